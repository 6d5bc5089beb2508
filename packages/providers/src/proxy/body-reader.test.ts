import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ITEM_FORMS, type KeptName, stepItems } from "../../testing/item-forms.ts";
import { WIRE_NAMES } from "../../testing/kept-items.ts";
import { proxyInMemory } from "../../testing/proxy-in-memory.ts";
import { bodyOf, pathOf } from "../../testing/wire-bodies.ts";
import { type Fields, parseRecord } from "../fields.ts";
import { createBodyReader } from "./body-reader.ts";

const said = (...texts: string[]) => texts.map((text) => ({ role: "user", content: text }));
const MARK = { cache_control: { type: "ephemeral" } };

describe("a body that goes on from one that was read", () => {
  test.each([
    ["ends with the same items", '{"m":[{"a":1},{"b":2}],"n":1}', 2],
    ["has more items", '{"m":[{"a":1},{"b":2},{"c":3}]}', 2],
    ["has its items at another place", '{"n":"é]","m":[{"a":1},{"b":2},{"c":3}]}', 2],
    ["was rewound", '{"m":[{"a":1}]}', 1],
    ["has another item in the middle", '{"m":[{"a":1},{"x":2},{"b":2}]}', 1],
    ["is written with spaces", '{"m":[ {"a":1},{"b":2}]}', 0],
    ["has the key twice", '{"m":[{"a":1},{"b":2}],"m":[{"a":1},{"x":2}]}', 1],
  ])("%s", (_, text, sharedCount) => {
    const readBody = createBodyReader();
    const before = readBody('{"m":[{"a":1},{"b":2}]}', "m");
    const body = readBody(text, "m");
    expect({ ...body?.fields, m: body?.all }).toEqual(JSON.parse(text));
    expect(body?.places.elements.map(({ start, end }) => JSON.parse(text.slice(start, end)))).toEqual(body?.all);
    expect(body?.all.filter((item) => before?.all.includes(item))).toHaveLength(sharedCount);
  });

  test.each([
    ["no comma behind the known items", '{"m":[{"a":1},{"b":2} {"c":3}]}'],
    ["a comma too many", '{"m":[{"a":1},{"b":2},]}'],
    ["no end", '{"m":[{"a":1},{"b":2}'],
    ["something else behind it", '{"m":[{"a":1},{"b":2}]} x'],
    ["an item that is no object", '{"m":[{"a":1},{"b":2},3]}'],
    ["no item", '{"m":[]}'],
    ["no list", '{"m":"words"}'],
  ])("is not read with %s", (_, text) => {
    const readBody = createBodyReader();
    readBody('{"m":[{"a":1},{"b":2}]}', "m");
    expect(readBody(text, "m")).toBeNull();
  });

  test("is read as if it were the first, whatever was read before", () => {
    const item = fc.record({ role: fc.constantFrom("a", "b"), content: fc.oneof(fc.string(), fc.jsonValue()) });
    const body = fc.record({ a: fc.jsonValue(), m: fc.array(item, { minLength: 1, maxLength: 4 }), z: fc.jsonValue() });
    const texts = fc.array(fc.tuple(body, fc.constantFrom(0, 1)), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, (bodies) => {
        const readBody = createBodyReader();
        for (const [each, space] of bodies) {
          const text = JSON.stringify(each, null, space);
          const read = readBody(text, "m");
          expect({ ...read?.fields, m: read?.all }).toEqual(parseRecord(text));
        }
      }),
    );
  });

  test("is logged by the same objects where only breakpoints of the cache moved", () => {
    const readBody = createBodyReader();
    const [first, second] = [said("one", "two"), said("one", "two", "three")];
    const before = readBody(JSON.stringify({ m: [first[0], { ...first[1], ...MARK }] }), "m");
    const now = readBody(JSON.stringify({ m: [...second.slice(0, 2), { ...second[2], ...MARK }] }), "m");
    expect(now?.all.slice(0, 2).map(now.plain)).toEqual(first);
    const isSame = (item: Fields, at: number) => now?.plain(item) === before?.plain(before.all[at] ?? item);
    expect(now?.all.slice(0, 2).every(isSame)).toBe(true);
  });

  test("is known again beside other conversations, and after a side request that begins as it does", () => {
    const readBody = createBodyReader();
    const main = readBody(JSON.stringify({ m: said("one", "two", "three", "four") }), "m");
    readBody(JSON.stringify({ m: said("another") }), "m");
    readBody(JSON.stringify({ m: said("one", "a title?") }), "m");
    const next = readBody(JSON.stringify({ m: said("one", "two", "three", "four", "five") }), "m");
    expect(next?.all.slice(0, 4).every((item, at) => item === main?.all[at])).toBe(true);
  });
});

const RESULT = "const value = read(); // checked\n".repeat(30);
/** Items of a step: a call and its result. */
const stepOf = (wire: KeptName, id: string) =>
  stepItems(wire, {
    id,
    given: ITEM_FORMS[wire].holds === "text" ? `{"part":"${id}"}` : { part: id },
    result: `${id} ${RESULT}`,
  });

const proxyCompaction = () => proxyInMemory({ limits: { contextWindowTokens: 10_000_000, maxOutputTokens: 100 } });

test.each(WIRE_NAMES)("the work of a step on %s does not grow with the session", async (wire) => {
  const compaction = proxyCompaction();
  const { signal } = new AbortController();
  const items = [ITEM_FORMS[wire].said("Go on.")];
  const works: (readonly number[])[] = [];
  for (let step = 100; step < 400; step += 1) {
    items.push(...stepOf(wire, `c${step}`));
    const bodyText = JSON.stringify(bodyOf(wire, items));
    const counted = countWork();
    await compaction.prepare({ path: pathOf(wire), headers: {}, bodyText, signal });
    works.push(counted());
  }
  // Ids of three digits each, so that only numbers of characters differ.
  expect(works.at(-1)?.map((each, at) => Math.abs(each - (works[50]?.[at] ?? 0)) < 100)).toEqual([true, true, true, true]);
});

test("of a conversation that is mended before it is sent no more is parsed at a later step", async () => {
  const compaction = proxyCompaction();
  const { signal } = new AbortController();
  const prompt = ITEM_FORMS.anthropic.said("Go on.");
  const items: unknown[] = [prompt, stepOf("anthropic", "open")[0], prompt];
  const parsed: (number | undefined)[] = [];
  for (let step = 100; step < 140; step += 1) {
    items.push(...stepOf("anthropic", `c${step}`));
    const bodyText = JSON.stringify(bodyOf("anthropic", items));
    const counted = countWork();
    const request = await compaction.prepare({ path: pathOf("anthropic"), headers: { session_id: "one" }, bodyText, signal });
    parsed.push(counted()[0]);
    const refused = { status: 400, bodyText: '{"error":{"message":"messages.1: tool_use ids without tool_result"}}' };
    await request?.recover(refused, 0);
    expect(request?.bodyText?.includes("was called and gave no result") ?? false).toBe(step > 100);
  }
  expect(Math.abs((parsed.at(-1) ?? 0) - (parsed[5] ?? 0))).toBeLessThan(100);
});

/** Counts characters that are parsed, written as JSON, hashed or measured one by one, and walked in search of something. */
function countWork(): () => readonly number[] {
  const parsing = vi.spyOn(JSON, "parse");
  const writing = vi.spyOn(JSON, "stringify");
  const reading = vi.spyOn(String.prototype, "charCodeAt");
  const searching = vi.spyOn(String.prototype, "indexOf");
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  return () => {
    const work = [
      sum(parsing.mock.calls.map(([text]) => text.length)),
      sum(writing.mock.results.map(({ value }) => String(value).length)),
      reading.mock.calls.length,
      sum(searching.mock.calls.map(([, from = 0], at) => (searching.mock.results[at]?.value ?? 0) - from)),
    ];
    for (const spy of [parsing, writing, reading, searching]) spy.mockRestore();
    return work;
  };
}
