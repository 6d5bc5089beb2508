import { expect, test } from "vitest";
import { ARRAY_ROWS } from "../../testing/array-subjects.ts";
import { itemsCase, itemsWith } from "../../testing/published-play.ts";
import { publishedValues } from "../../testing/published-types.ts";

/** The kinds whose SDKs publish types, with the problems of some items: a vendor's own compaction is never cut away. */
const LOST_STATE = ['compaction is refused: {"reason":"vendor-compaction"}'];
const KINDS: readonly (readonly [kind: string, subject: string, faults: readonly string[], unmade: readonly string[]])[] = [
  ["Anthropic messages", "Anthropic messages", [], []],
  ["Chat Completions messages", "Chat Completions messages", [], []],
  ["Responses items", "Responses items", LOST_STATE, []],
  ["Gemini contents", "Gemini contents", [], []],
  ["LangChain messages", "LangChain messages", [], []],
  ["OpenAI Agents items", "OpenAI Agents items", LOST_STATE, []],
  ["AI SDK prompts", "AI SDK prompts", [], []],
  ["AI SDK 7 prompts", "AI SDK prompts", [], []],
];

const published = publishedValues();

test("every kind of which an SDK publishes types is played", () => {
  expect(KINDS.map(([kind]) => kind)).toEqual([...published.keys()]);
});

test.each(KINDS)(
  "%s: every item that the SDK's types allow, each optional absent once, is sent or recorded as cut",
  { timeout: 600_000 },
  async (kind, name, faults, unmade) => {
    const { members, unmade: without } = published.get(kind) ?? expect.fail(`no types of ${kind}`);
    expect(without).toEqual(unmade);
    expect(members.length).toBeGreaterThan(0);
    expect(members.filter(({ values }) => values.length === 0)).toEqual([]);
    const items = members.flatMap(({ values }) => values).flatMap((value) => itemsWith(kind, value));
    const found = new Set<string>();
    const row = ARRAY_ROWS.find((each) => each.name === name) ?? expect.fail(`no ${name}`);
    await row.run(itemsCase(items, found));
    expect([...found]).toEqual(faults);
  },
);
