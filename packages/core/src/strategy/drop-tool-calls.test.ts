import { expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Message } from "../message/message.ts";
import { assistant, calling, human, reply, result, summaryMessage } from "../testing/builders.ts";
import { DROP_TOOL_CALLS, type DropToolCallsSpec } from "./drop-tool-calls.ts";

const call = (callId: string) => ({ type: "tool-call", callId, toolName: "tool", argumentsJson: "{}", paths: [] }) as const;
const reasoning = (text: string) => ({ type: "reasoning", text, opaque: null }) as const;
const silent = (id: string, ...callIds: readonly string[]) => assistant(id, callIds.map(call));

const planned = (spec: DropToolCallsSpec, messages: readonly Message[]) =>
  DROP_TOOL_CALLS.bind(spec).plan(strategyInput(messages));

const OPEN = [silent("b", "d"), result("s", "d", "new")];

test.each<readonly [string, number, readonly Message[], readonly string[], readonly string[]]>([
  ["a silent reply with its result", 2, [human("u", "go"), silent("a", "c"), result("r", "c", "old"), ...OPEN], ["a–r"], []],
  [
    "of a reply that speaks its call and its reasoning, each for a word",
    2,
    [
      human("u", "go"),
      assistant("a", [reasoning("long enough to be worth it"), { type: "text", text: "I look" }, call("c")]),
      result("r", "c", "old"),
      ...OPEN,
    ],
    ["r–r"],
    ["a#0: [reasoning]", "a#2: [tool]"],
  ],
  [
    "no short reasoning",
    2,
    [human("u", "go"), assistant("a", [reasoning("hm"), { type: "text", text: "done" }]), human("v", "on"), ...OPEN],
    [],
    [],
  ],
  [
    "steps that follow each other as one span",
    2,
    [silent("a", "c"), result("r", "c", "1"), silent("a2", "c2"), result("r2", "c2", "2"), ...OPEN],
    ["a–r2"],
    [],
  ],
  [
    "nothing of the newest messages, where the results of one reply are one message",
    4,
    [silent("a", "c", "c2"), result("r", "c", "1"), result("r2", "c2", "2"), ...OPEN],
    [],
    [],
  ],
  ["no call whose result is among the newest messages", 2, [silent("a", "c"), result("r", "c", "1"), human("u", "go")], [], []],
  ["nothing of the open step, whatever is asked for", 0, [human("u", "go"), ...OPEN], [], []],
  [
    "no words of a person, no summary and no answer",
    0,
    [summaryMessage("k", "so far"), human("u", "go"), reply("t", "done"), human("v", "thanks")],
    [],
    [],
  ],
  ["a result without its call", 1, [result("r", "gone", "old"), human("u", "go")], ["r–r"], []],
])("drop-tool-calls takes %s", (_, keepMessages, messages, spans, words) => {
  const answer = planned({ kind: "drop-tool-calls", keepMessages }, messages);
  const edits = answer.kind === "edits" ? answer.edits : [];
  const taken = edits.flatMap((edit) => (edit.kind === "replace-spans" ? edit.spans : []));
  const written = edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit] : []));
  expect(taken.map(({ from, through }) => `${from}–${through}`)).toEqual(spans);
  expect(written.map(({ messageId, partIndex, text }) => `${messageId}#${partIndex}: ${text}`)).toEqual(words);
});

test("what it leaves has nothing more to take", () => {
  const messages = [human("u", "go"), calling("a", ["c"], "I look"), result("r", "c", "old"), ...OPEN];
  const [human0, , , ...newest] = messages;
  const left = [human0, reply("a", "I look"), ...newest].flatMap((message) => message ?? []);
  const spec = { kind: "drop-tool-calls", keepMessages: 2 } as const;
  expect(planned(spec, messages).kind).toBe("edits");
  expect(planned(spec, left).kind).toBe("not-applicable");
});
