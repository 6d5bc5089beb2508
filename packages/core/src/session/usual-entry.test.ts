import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { isRecord } from "../json.ts";
import { arbitraryLog } from "../testing/arbitrary-transcript.ts";
import { absentImage, assistant, human, result, sessionStart, usageEntry } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { sessionEntrySchema } from "./entry-schema.ts";
import { usualEntry } from "./usual-entry.ts";

const written = (entry: SessionEntry): unknown => JSON.parse(JSON.stringify(entry));

const reply = assistant("a", [
  { type: "reasoning", text: "so", opaque: { signature: "abc", nested: [1, null, true] } },
  { type: "text", text: "calling" },
  { type: "tool-call", callId: "c", toolName: "t", argumentsJson: "{", paths: [{ path: "x", access: "modify" }] },
]);
const usage = usageOf({ uncachedTokens: 1, outputTokens: 3, raw: { input_tokens: 1, cache_creation: { hour: 0 } } });

describe("a line of the usual kinds", () => {
  test.each<readonly [string, SessionEntry]>([
    ["a human message", { type: "message", message: { ...human("u", "hello"), atMs: 1 } }],
    ["a reply", { type: "message", message: reply }],
    ["a result", { type: "message", message: result("r", "c", "found") }],
    ["a usage report", { ...usageEntry("request", "a", 100), usage }],
  ])("is read without the schema, to the same bytes: %s", (_, entry) => {
    const read = usualEntry(written(entry));
    expect(read).not.toBeNull();
    expect(JSON.stringify(read)).toBe(JSON.stringify(sessionEntrySchema.parse(written(entry))));
  });

  test.each<readonly [string, SessionEntry]>([
    ["a session's beginning", sessionStart()],
    ["an image", { type: "message", message: { ...human("u", "see"), parts: [absentImage()] } }],
    ["a vendor's object that is nested deeply", { ...usageEntry("q", null, 1), usage: { ...usage, raw: [[[[1]]]] } }],
  ])("is left to the schema if it is another: %s", (_, entry) => {
    expect(usualEntry(written(entry))).toBeNull();
    expect(sessionEntrySchema.safeParse(written(entry)).success).toBe(true);
  });
});

/** Values that damage puts in the place of others. */
const oddValue: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  "",
  "model",
  "text",
  -1,
  0.5,
  Number.POSITIVE_INFINITY,
  true,
  [],
  {},
  [null],
  [{ type: "text", text: "x" }],
);

/** Every object and array in a value, the value first. */
function containersIn(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersIn)];
}

/** The value with one key of one container that is in it set, or taken out. */
function damaged(
  entry: unknown,
  { at, key, odd }: { readonly at: number; readonly key: number; readonly odd: unknown },
): unknown {
  const copy: unknown = structuredClone(entry);
  const containers = containersIn(copy).filter((each) => isRecord(each));
  const container = containers[at % containers.length] ?? {};
  const keys = [...Object.keys(container), "extra"];
  const name = keys[key % keys.length] ?? "extra";
  const isDone = odd === undefined ? Reflect.deleteProperty(container, name) : Reflect.set(container, name, odd);
  expect(isDone).toBe(true);
  return copy;
}

test("whatever is in a line: what is read without the schema is what the schema reads, to the byte and in its order", () => {
  let read = 0;
  fc.assert(
    fc.property(
      arbitraryLog,
      fc.array(fc.record({ at: fc.nat(), key: fc.nat(), odd: fc.option(oddValue, { nil: undefined, freq: 4 }) }), {
        maxLength: 2,
      }),
      (entries, damages) => {
        const values = entries.map((entry) => damages.reduce<unknown>(damaged, written(entry)));
        const usual = values.map((value) => ({ value, entry: usualEntry(value) })).filter(({ entry }) => entry !== null);
        for (const { value, entry } of usual)
          expect(JSON.stringify(entry)).toBe(JSON.stringify(sessionEntrySchema.parse(value)));
        read += usual.length;
      },
    ),
  );
  expect(read).toBeGreaterThan(100);
});
