import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { beforeAll, expect, test } from "vitest";
import { ARRAY_ROWS } from "../../testing/array-subjects.ts";
import { markedHistory } from "../../testing/marked-history.ts";
import type { ArrayContractCase, ContractTurn } from "../testing/index.ts";
import { createChatCompactor } from "./openai-chat.ts";

const STEPS = 90;
const TURNS: readonly ContractTurn[] = markedHistory({ marker: "long", turns: STEPS, resultChars: 2400, humanEvery: 30 });
const limits = { contextWindowTokens: 12_000, maxOutputTokens: 500 };

/** Messages that an agent puts behind its newest turn in one request only. */
type Reminder = (turn: ContractTurn, index: number) => readonly ContractTurn[];
const clock = (index: number) => `\nThe clock says 10:${index}. Nothing else is new.`;
const withText = (turn: ContractTurn, text: string): ContractTurn =>
  turn.kind === "step" ? { ...turn, result: `${turn.result}${text}` } : { ...turn, text: `${turn.text}${text}` };
const REMINDERS: readonly (readonly [string, Reminder])[] = [
  ["a clock in the newest text", (turn, index) => [withText(turn, clock(index))]],
  ["a notice behind the newest turn", (turn, index) => [turn, { kind: "human", text: clock(index), before: null }]],
];

/** How often a request does not go on with the one before, but for the newest turn of that. */
async function breaks(reminder: Reminder): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { name, run } of ARRAY_ROWS) {
    const play: ArrayContractCase = {
      rule: name,
      run: async (subject) => {
        const compactor = subject.create({ policy: PLIMSOLL_POLICY, limits, nowMs: () => 0 });
        let [before, count]: [readonly string[], number] = [[], 0];
        for (const [index, turn] of TURNS.entries()) {
          const newest = subject.items(reminder(turn, index));
          const sent = await compactor.fit([...subject.items(TURNS.slice(0, index)), ...newest]);
          const texts = sent.map((item) => JSON.stringify(item));
          await compactor.observe(sent, subject.answer(`request_${index}`, Math.ceil(texts.join("").length / 4)));
          if (before.some((text, at) => texts[at] !== text)) count += 1;
          before = texts.slice(0, Math.max(0, texts.length - newest.length));
        }
        found.set(name, count);
      },
    };
    await run(play);
  }
  return found;
}

let plain: ReadonlyMap<string, number> = new Map();
beforeAll(async () => {
  plain = await breaks((turn) => [turn]);
});

test.each(REMINDERS)("%s of one request costs no cache of the next, on any wire", async (_, reminder) => {
  const reminded = await breaks(reminder);
  const more = [...plain].filter(([name, count]) => (reminded.get(name) ?? 0) > count + 1);
  expect(more).toEqual([]);
});

const call = (id: string) => ({ id, type: "function" as const, function: { name: "read", arguments: "{}" } });
const step = (id: string, content: string) => [
  { role: "assistant" as const, content: null, tool_calls: [call(id)] },
  { role: "tool" as const, tool_call_id: id, content },
];
test.each([
  ["goes on where a clock is gone", "a", "what the file says\nThe clock says 10:00.", 1],
  ["goes on where a clock went on", "a", "what the file says\nThe clock says 10:01.\n[more]", 1],
  ["is another where another text was read", "a", "nothing of that kind is in any of these folders", 2],
  ["is another where another call was answered", "b", "what the file says", 2],
])("a conversation %s", async (_, id, settled, count) => {
  const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits });
  const asked = { role: "user" as const, content: "Read it." };
  await compactor.fit([asked, ...step(id, "what the file says\nThe clock says 10:00.\n[more]")]);
  await compactor.fit([asked, ...step("a", settled), ...step("c", "more")]);
  expect(compactor.conversations()).toHaveLength(count);
});
