import { expect, test } from "vitest";
import { createAnswerReader } from "./answer-reader.ts";
import { WIRES } from "./wires.ts";

const WIRE = WIRES.anthropic;
const USAGE = { id: "m1", usage: { input_tokens: 7 } };
const event = (message: object) => `data: ${JSON.stringify({ type: "message_start", message })}\n\n`;

function read(pieces: Iterable<string>, form: "events" | "whole") {
  const reader = createAnswerReader(WIRE, form);
  for (const piece of pieces) reader.take(piece);
  return reader.end();
}

const LONG = Array.from({ length: 33 }, () => "x".repeat(1_000_000));

test.each([
  ["a line in pieces", [...event(USAGE)], "events", USAGE, false],
  ["a whole answer in pieces", [...JSON.stringify({ type: "message", ...USAGE })], "whole", USAGE, false],
  ["a line behind one that is too long", ["data: ", ...LONG, "\n", event(USAGE)], "events", USAGE, true],
  ["nothing of a last line that is too long", ["data: ", ...LONG], "events", null, true],
  ["nothing of a whole answer that is too long", LONG, "whole", null, true],
  ["nothing of an event that is nested too deep", [`data: {"error":${"[".repeat(100_000)}\n\n`], "events", null, false],
] as const)("reads %s", (_, pieces, form, answer, isUnread) => {
  expect(read(pieces, form)).toMatchObject({ answer, failure: null, isUnread });
});
