import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decodeAnthropicStream } from "./anthropic/decode.ts";
import { recordAt, recordsAt, stringAt } from "./fields.ts";
import { decodeOpenAiChatStream } from "./openai-chat/decode.ts";
import { decodeOpenAiResponsesStream } from "./openai-responses/decode.ts";
import type { DriverEvent } from "./wire/wire.ts";

const FOLDER = new URL("../recordings/", import.meta.url);

function readJson(file: string): unknown {
  const value: unknown = JSON.parse(readFileSync(new URL(file, FOLDER), "utf8"));
  return value;
}

const manifest = recordsAt(readJson("manifest.json"), "recordings").map((entry) => ({
  file: stringAt(entry, "file") ?? "",
  wire: stringAt(entry, "wire") ?? "",
  origin: stringAt(entry, "origin"),
}));

const decoders: Readonly<Record<string, (events: AsyncIterable<unknown>) => AsyncIterable<DriverEvent>>> = {
  anthropic: decodeAnthropicStream,
  "openai-chat": decodeOpenAiChatStream,
  "openai-responses": decodeOpenAiResponsesStream,
};

async function* streamOf(events: readonly unknown[]): AsyncGenerator<unknown> {
  yield* events;
}

async function decoded(wire: string, events: readonly unknown[]): Promise<DriverEvent | undefined> {
  let last: DriverEvent | undefined;
  for await (const event of decoders[wire]?.(streamOf(events)) ?? []) last = event;
  return last;
}

test("the manifest names every recording and where it is from", () => {
  const files = readdirSync(FOLDER).filter((file) => file !== "manifest.json");
  expect(manifest.map(({ file }) => file).sort()).toEqual(files.sort());
  expect(manifest.filter(({ origin }) => origin !== "made" && origin !== "recorded")).toEqual([]);
});

test.each(manifest)("$file gives its reply and usage", async ({ file, wire }) => {
  const recording = readJson(file);
  const expected = recordAt(recording, "expected");
  const reply = recordAt(expected, "reply");
  const last = await decoded(wire, recordsAt(recording, "events"));
  expect(last).toMatchObject({
    type: "reply",
    reply: { stopReason: reply?.stopReason, parts: reply?.parts, usage: recordAt(expected, "usage") },
  });
});

test.each(manifest)("$file, cut before its end, is no reply", async ({ file, wire }) => {
  const events = recordsAt(readJson(file), "events");
  const endings = ["message_delta", "message_stop", "response.completed", "response.incomplete"];
  const hasEnd = (event: unknown) =>
    endings.includes(stringAt(event, "type") ?? "") || stringAt(recordsAt(event, "choices")[0], "finish_reason") !== null;
  const cut = events.slice(0, events.findIndex(hasEnd));
  await expect(decoded(wire, cut)).rejects.toMatchObject({ details: { reason: "cut-stream" } });
});
