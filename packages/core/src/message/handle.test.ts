import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleReadings, parseHandle, partHandle, spanHandle } from "./handle.ts";

/** Ids made of the pieces of handles, and any others. */
const oddId = fc.oneof(
  fc
    .array(fc.constantFrom(...`a b .. . # #1 % %2E %u : artifact: " ] é \ud800`.split(" "), " ", "\n", "; handle "), {
      maxLength: 5,
    })
    .map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constant("x.".repeat(5000)),
);
const part = fc.record({ messageId: oddId, partIndex: fc.nat({ max: 12 }) });
const span = fc.record({ from: oddId, through: oddId });
const runs = { seed: 20_261_122, numRuns: 1000 };

/** The span that a handle may name first; `null` for none. */
const spanIn = (handle: string) => handleReadings(handle).find((reading) => "from" in reading) ?? null;

describe("a part's handle", () => {
  test.each([
    ["the first part's is the message's id", "id", 0, "id"],
    ["another part's has its index", "id", 3, "id#3"],
    ["ids of the usual forms are left as they are", "msg_01:a-b/c.d@e", 0, "msg_01:a-b/c.d@e"],
    ["a mark in the id is written as its code", "a#b", 2, "a%23b#2"],
    ["an id that looks like a part's handle", "x#1", 0, "x%231"],
    ["an id that looks like a span's handle", "a..b", 0, "a%2E%2Eb"],
    ["an id that looks written already", "%2E", 0, "%252E"],
    ["an id that looks like an artifact's handle", "artifact:0f", 0, "artifact%3A0f"],
    ["an id of several lines", "a]\n[b; handle c", 0, "a%5D%0A%5Bb%3B%20handle%20c"],
    ["an id in another script", "é世", 1, "%E9%u4E16#1"],
    ["no id", "", 0, "%"],
  ])("%s, and is read back", (_, messageId, partIndex, handle) => {
    expect(partHandle(messageId, partIndex)).toBe(handle);
    expect(parseHandle(handle)).toEqual({ messageId, partIndex });
  });

  test("of any id is read back, is no span's, and is one word", () => {
    fc.assert(
      fc.property(part, ({ messageId, partIndex }) => {
        const handle = partHandle(messageId, partIndex);
        expect(handleReadings(handle)[0]).toEqual({ messageId, partIndex });
        expect(parseHandle(handle)).toEqual({ messageId, partIndex });
        expect(spanIn(handle)).toBeNull();
        expect(handle).toMatch(/^[!-~]+$/);
        expect(handle).not.toMatch(/[\][<>;"'\\`]|\.$|^artifact:/);
      }),
      runs,
    );
  });

  test.each([
    ["a mark without a number", "a#b", { messageId: "a#b", partIndex: 0 }],
    ["a number that is none", "a#1.5", { messageId: "a#1.5", partIndex: 0 }],
    ["a number that no index is written as", "a#01", { messageId: "a#01", partIndex: 0 }],
    ["an id with a mark, and an index", "a#b#2", { messageId: "a#b", partIndex: 2 }],
    ["an id in another script", "é", { messageId: "é", partIndex: 0 }],
  ])("of an older version: %s", (_, handle, reading) => {
    expect(parseHandle(handle)).toEqual(reading);
  });
});

describe("a span's handle", () => {
  test.each([
    ["names both ends", { from: "a", through: "b" }, "a..b"],
    ["whose ends have dots", { from: "a..", through: ".b.c" }, "a%2E%2E..%2Eb.c"],
    ["whose ends are no id", { from: "", through: "" }, "%..%"],
  ])("%s, and is read back", (_, ends, handle) => {
    expect(spanHandle(ends)).toBe(handle);
    expect(spanIn(handle)).toEqual(ends);
  });

  test("of any ids is read back, and is no part's", () => {
    fc.assert(
      fc.property(span, part, (ends, { messageId, partIndex }) => {
        const handle = spanHandle(ends);
        expect(handleReadings(handle)[0]).toEqual(ends);
        expect(spanIn(handle)).toEqual(ends);
        expect(handle).toMatch(/^[!-~]+$/);
        expect(handle).not.toBe(partHandle(messageId, partIndex));
      }),
      runs,
    );
  });

  test.each([["id"], ["id#1"], ["..b"], [""]])("%j is none", (handle) => {
    expect(spanIn(handle)).toBeNull();
  });

  test("of an older version is taken apart at each pair of dots", () => {
    expect(handleReadings("a#1..b..c").filter((reading) => "from" in reading)).toEqual([
      { from: "a#1", through: "b..c" },
      { from: "a#1..b", through: "c" },
    ]);
  });

  test("of an older version has a bounded number of readings, however many dots there are", () => {
    expect(handleReadings(".".repeat(100_000)).length).toBeLessThanOrEqual(10);
  });
});
