import type { SessionEntry } from "@plimsoll/core";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { sessionOpening } from "./describe-session.ts";

const made = madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 10, overheadTokens: 10, boundaries: [] }, "made");

/** A session in which the person says only this. */
function said(text: string): readonly SessionEntry[] {
  return made.entries.map((entry) =>
    entry.type === "message" && entry.message.role === "user"
      ? { ...entry, message: { ...entry.message, parts: [{ type: "text", text }], atMs: 86_400_000 } }
      : entry,
  );
}

test.each([
  ["one line", "Mend the parser.", "Mend the parser."],
  ["lines and tabs become spaces", "  Mend\n\n\tthe parser ", "Mend the parser"],
  ["marks that turn the direction go", "\u202eevil\u2066 text\u200f", "evil text"],
  ["halves of pairs and controls go", "a\ud800b\u0000c\u001b[31m", "a b c [31m"],
  ["a long text is cut between letters", "🙂".repeat(200), `${"🙂".repeat(79)}…`],
  ["a line of a megabyte is cut", `x${" y".repeat(500_000)}`, `x${" y".repeat(39)}…`],
  [
    "a command is as it was typed",
    "<command-message>do</command-message>\n<command-name>/do</command-name>\n<command-args>it</command-args>",
    "/do it",
  ],
  ["an agent's tags go", '<teammate-message from="lead">\nMend it</teammate-message>', "Mend it"],
  ["a person's tags stay", "<div> is wrong", "<div> is wrong"],
  ["nothing but spaces says nothing", " \n ", null],
])("first words: %s", (_, text, words) => {
  expect(sessionOpening(said(text)).firstWords).toBe(words);
});

test("without a person, another agent's words", () => {
  const others = said("Mend it").map((entry) =>
    entry.type === "message" && entry.message.role === "user"
      ? { ...entry, message: { ...entry.message, origin: "injected" as const } }
      : entry,
  );
  expect(sessionOpening(others).firstWords).toBe("Mend it");
});

test("a session begins at the first time that its log tells", () => {
  expect(sessionOpening(said("go")).startedMs).toBe(86_400_000);
  expect(sessionOpening([])).toEqual({ startedMs: null, firstWords: null });
});
