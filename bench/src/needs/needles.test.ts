import { sequenceOf } from "@plimsoll/core/extend";
import { human, result } from "@plimsoll/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createContextChanges, createNeedleIndex, type Needle } from "./needles.ts";
import { comparableText } from "./texts.ts";

const whole = (text: string): Needle => ({ text, share: 1 });

/** The definition, word for word: a whole text is a substring; a share is some run of so many lines, each whole. */
function naiveHolds({ text, share }: Needle, within: string): boolean {
  const lines = text.split("\n");
  if (share === 1 || lines.length <= 2) return text !== "" && within.includes(text);
  const least = Math.ceil(share * lines.length);
  return Array.from({ length: lines.length - least + 1 }, (_, from) => lines.slice(from, from + least).join("\n")).some((run) =>
    `\n${within}\n`.includes(`\n${run}\n`),
  );
}

describe("createNeedleIndex", () => {
  test.each<[string, readonly Needle[], string, readonly number[]]>([
    ["a text within a line", [whole("b c")], "a b c d", [0]],
    ["two lines that begin and end within lines", [whole("c\nd")], "abc\ndef", [0]],
    ["three lines that begin and end within lines", [whole("c\nm\nd")], "abc\nm\ndef", [0]],
    ["not with a gap", [whole("c\nm\nd")], "abc\nm\nm\ndef", []],
    ["not at the beginning, if something stands before", [whole("c\nm\nd")], "m\nd", []],
    ["four of five lines", [{ text: "1\n2\n3\n4\n5", share: 0.8 }], "x\n2\n3\n4\n5\ny", [0]],
    ["not three of five", [{ text: "1\n2\n3\n4\n5", share: 0.8 }], "x\n2\n3\n4\ny", []],
    ["needles that share their middle", [whole("a\nm\nb"), whole("c\nm\nd")], "c\nm\nd", [1]],
    ["the empty text nowhere", [whole("")], "abc", []],
  ])("finds %s", (_, needles, text, held) => {
    expect(createNeedleIndex(needles).heldIn(human("u", text))).toEqual(held);
  });

  test("a place is never put together from two texts of a message; a result is one text", () => {
    const parts = ["a\nb", "c"].map((text) => ({ type: "text", text }) as const);
    const index = createNeedleIndex([whole("b\nc"), whole("a\nb")]);
    expect(index.heldIn({ ...human("u", ""), parts })).toEqual([1]);
    expect(index.heldIn({ ...result("r", "c", ""), parts }).toSorted()).toEqual([0, 1]);
  });

  test("finds what looking everywhere finds", () => {
    const lines = fc.array(fc.constantFrom("", "a", "b", "ab", "}", "a }"), { minLength: 1, maxLength: 9 });
    const text = lines.map((each) => each.join("\n"));
    const needle = fc.record({ text, share: fc.constantFrom(1, 1, 0.8, 0.6) });
    fc.assert(
      fc.property(fc.array(needle, { maxLength: 6 }), text, (needles, within) => {
        const comparable = comparableText(within);
        const naive = needles.flatMap((each, number) => (naiveHolds(each, comparable) ? [number] : []));
        expect(createNeedleIndex(needles).heldIn(human("u", within)).toSorted()).toEqual(naive);
      }),
      { numRuns: 500 },
    );
  });
});

const MESSAGES = ["a", "b", "c", "d", "s"].map((id) => human(id, id));
const named = (ids: string) => sequenceOf(MESSAGES.filter(({ id }) => ids.includes(id)));

test.each([
  ["what is said next", "ab", "abc", "", "c"],
  ["nothing", "ab", "ab", "", ""],
  ["what a summary stands for", "abcd", "ads", "bc", "s"],
  ["all that was there", "abc", "", "abc", ""],
])("a context changes by %s", (_, before, now, removed, added) => {
  const changesTo = createContextChanges();
  changesTo(named(before));
  const changes = changesTo(named(now));
  const idsOf = (messages: typeof changes.added) => messages.map(({ id }) => id).join("");
  expect([idsOf(changes.removed), idsOf(changes.added)]).toEqual([removed, added]);
});
