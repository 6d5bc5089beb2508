import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { beforeAll, expect, test } from "vitest";
import { ARRAY_ROWS } from "../../testing/array-subjects.ts";
import { markedHistory } from "../../testing/marked-history.ts";
import type { ArrayContractCase, ContractTurn } from "../testing/index.ts";
import { createChatCompactor } from "./openai-chat.ts";

const STEPS = 45;
const TURNS: readonly ContractTurn[] = markedHistory({ marker: "long", turns: STEPS, resultChars: 2400, humanEvery: 15 });
const limits = { contextWindowTokens: 12_000, maxOutputTokens: 500 };

/** The turns of one request, of which only this request has what an agent put there. `from` is the first turn that may change. */
interface Reminded {
  readonly turns: readonly (ContractTurn | string)[];
  readonly from: number;
}
const clock = (index: number) => `\nThe clock says 10:${index}. Nothing else is new.`;
const withText = (turn: ContractTurn, text: string): ContractTurn =>
  turn.kind === "step" ? { ...turn, result: `${turn.result}${text}` } : { ...turn, text: `${turn.text}${text}` };
type Reminder = (turns: readonly ContractTurn[]) => Reminded;
const said = (index: number): ContractTurn => ({ kind: "human", text: clock(index), before: null });
/** A text that the agent adds to the turn so many places before the end. */
const inText =
  (back: number): Reminder =>
  (turns) => {
    const at = Math.max(0, turns.length - 1 - back);
    return { turns: turns.map((turn, place) => (place === at ? withText(turn, clock(turns.length)) : turn)), from: at };
  };
/** A message, a person's or a declared one, that the agent puts before the newest `back` turns. */
const before =
  (back: number, notice: (index: number) => ContractTurn | string): Reminder =>
  (turns) => {
    const at = turns.length - back;
    return { turns: at < 1 ? turns : [...turns.slice(0, at), notice(turns.length), ...turns.slice(at)], from: Math.max(0, at) };
  };
const inNewestWords: Reminder = (turns) =>
  inText(turns.length - 1 - turns.findLastIndex(({ kind }) => kind === "human"))(turns);
const REMINDERS: readonly (readonly [string, Reminder])[] = [
  ["a clock in the newest text", inText(0)],
  ["a clock in the result before the newest call", inText(1)],
  ["a clock in the person's newest words, however far back", inNewestWords],
  ["a notice behind the newest turn", before(0, said)],
  ["a notice before the newest call", before(1, said)],
  ["a notice before the two newest calls", before(2, said)],
  ["a notice of other words before the newest call", before(1, (index) => `${index} `.repeat(40))],
  ["a notice that is declared before the three newest calls", before(3, clock)],
];

/** How often a request does not go on with the one before, but for the turns of that which may change; none may open a conversation that stays, or lose a handle. */
async function breaks(reminder: Reminder): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { name, run } of ARRAY_ROWS) {
    const play: ArrayContractCase = {
      rule: name,
      run: async (subject) => {
        const compactor = subject.create({ policy: PLIMSOLL_POLICY, limits, nowMs: () => 0 });
        const itemsOf = (turns: Reminded["turns"]) =>
          turns.flatMap((turn) =>
            typeof turn === "string" ? (subject.declared === undefined ? [] : [subject.declared(turn)]) : subject.items([turn]),
          );
        let [before, count, texts]: [readonly string[], number, readonly string[]] = [[], 0, []];
        for (const index of TURNS.keys()) {
          const { turns, from } = reminder(TURNS.slice(0, index + 1));
          const sent = await compactor.fit(itemsOf(turns), { conversation: "one" });
          texts = sent.map((item) => JSON.stringify(item));
          await compactor.observe(sent, subject.answer(`request_${index}`, Math.ceil(texts.join("").length / 4)));
          if (before.some((text, at) => texts[at] !== text)) count += 1;
          before = texts.slice(0, Math.max(0, texts.length - itemsOf(turns.slice(from)).length));
        }
        found.set(name, count);
        expect(compactor.conversations(), name).toHaveLength(1);
        const handles = texts.flatMap((text) =>
          [...text.matchAll(/handle ([0-9a-z#.]*[0-9a-z])/g)].map(([, handle = ""]) => handle),
        );
        expect(handles.length, name).toBeGreaterThan(0);
        for (const handle of handles)
          expect(await compactor.recall(handle, { startChar: 0, maximumChars: 10 }, "one"), handle).not.toBeNull();
      },
    };
    await run(play);
  }
  return found;
}

let plain: ReadonlyMap<string, number> = new Map();
beforeAll(async () => {
  plain = await breaks(inText(-1));
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

test("a program that empties its older results is not cut for the sizes that they had", async () => {
  const told: string[] = [];
  const compactor = createChatCompactor({
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: 48_000, maxOutputTokens: 8_000 },
    nowMs: () => 0,
    onEvent: ({ type }) => told.push(type),
  });
  const lines = (at: number) => `line of call ${at}\n`.repeat(480);
  for (const count of Array.from({ length: 100 }, (_, at) => at)) {
    // As Gemini CLI and Qwen Code do: at once, all but the newest.
    const emptied = Math.floor(count / 45) * 45 - 5;
    const steps = Array.from({ length: count }, (_, at) => step(`c${at}`, at < emptied ? "[cleared]" : lines(at)));
    const sent = await compactor.fit([{ role: "user", content: "Read it." }, ...steps.flat()], { conversation: "one" });
    const prompt_tokens = Math.ceil(JSON.stringify(sent).length / 4);
    const usage = { prompt_tokens, completion_tokens: 9, total_tokens: prompt_tokens + 9 };
    await compactor.observe(sent, { id: `r${count}`, model: "m", usage, object: "chat.completion", created: 0, choices: [] });
  }
  expect(told.filter((type) => type === "compaction-end").length).toBeLessThanOrEqual(6);
});
