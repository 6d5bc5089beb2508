import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { proxyInMemory } from "../../testing/proxy-in-memory.ts";
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
const parameters = { type: "object" };

/** How the wires write a prompt, a step of a call and its result, and the tool. */
const WIRES = {
  "/v1/messages": {
    itemsKey: "messages",
    prompt: { role: "user", content: "Go on." },
    step: (id: string) => [
      { role: "assistant", content: [{ type: "tool_use", id, name: "look", input: { part: id } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `${id} ${RESULT}` }] },
    ],
    tools: [{ name: "look", input_schema: parameters }],
  },
  "/v1/chat/completions": {
    itemsKey: "messages",
    prompt: { role: "user", content: "Go on." },
    step: (id: string) => [
      { role: "assistant", tool_calls: [{ id, type: "function", function: { name: "look", arguments: `{"part":"${id}"}` } }] },
      { role: "tool", tool_call_id: id, content: `${id} ${RESULT}` },
    ],
    tools: [{ type: "function", function: { name: "look", parameters } }],
  },
  "/v1/responses": {
    itemsKey: "input",
    prompt: { type: "message", role: "user", content: [{ type: "input_text", text: "Go on." }] },
    step: (id: string) => [
      { type: "function_call", call_id: id, name: "look", arguments: `{"part":"${id}"}` },
      { type: "function_call_output", call_id: id, output: `${id} ${RESULT}` },
    ],
    tools: [{ type: "function", name: "look", parameters }],
  },
  "/v1beta/models/m:generateContent": {
    itemsKey: "contents",
    prompt: { role: "user", parts: [{ text: "Go on." }] },
    step: (id: string) => [
      { role: "model", parts: [{ functionCall: { id, name: "look", args: { part: id } } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "look", response: { output: `${id} ${RESULT}` } } }] },
    ],
    tools: [{ functionDeclarations: [{ name: "look", parameters }] }],
  },
} as const;

const proxyCompaction = () => proxyInMemory({ limits: { contextWindowTokens: 10_000_000, maxOutputTokens: 100 } });

test.each(Object.entries(WIRES))("the work of a step at %s does not grow with the session", async (path, wire) => {
  const compaction = proxyCompaction();
  const { signal } = new AbortController();
  const items: unknown[] = [wire.prompt];
  const works: (readonly number[])[] = [];
  for (let step = 100; step < 400; step += 1) {
    items.push(...wire.step(`c${step}`));
    const bodyText = JSON.stringify({ model: "m", max_tokens: 100, [wire.itemsKey]: items, tools: wire.tools });
    const counted = countWork();
    await compaction.prepare({ path, headers: {}, bodyText, signal });
    works.push(counted());
  }
  // Ids of three digits each, so that only numbers of characters differ.
  expect(works.at(-1)?.map((each, at) => Math.abs(each - (works[50]?.[at] ?? 0)) < 100)).toEqual([true, true, true, true]);
});

test("of a conversation that is mended before it is sent no more is parsed at a later step", async () => {
  const path = "/v1/messages";
  const wire = WIRES[path];
  const compaction = proxyCompaction();
  const { signal } = new AbortController();
  const items: unknown[] = [wire.prompt, wire.step("open")[0], wire.prompt];
  const parsed: (number | undefined)[] = [];
  for (let step = 100; step < 140; step += 1) {
    items.push(...wire.step(`c${step}`));
    const bodyText = JSON.stringify({ model: "m", max_tokens: 100, messages: items, tools: wire.tools });
    const counted = countWork();
    const request = await compaction.prepare({ path, headers: { session_id: "one" }, bodyText, signal });
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
