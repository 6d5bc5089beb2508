/** `pnpm bench:micro`: how long a person or a step waits, in milliseconds of this machine, and how that grows with a session. */
import { parseArgs } from "node:util";
import { createDigest, createSession, type Message, PLIMSOLL_POLICY as policy, type SessionEntry } from "@plimsoll/core";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import { Bench } from "tinybench";

type ChatMessage = Parameters<ReturnType<typeof createChatCompactor>["fit"]>[0][number];

const COUNTS = [100, 1_000, 10_000] as const;
/** Characters of a result: the median of recorded sessions (measured on nineteen sessions, 2026). */
const RESULT_CHARS = 3_000;
const TURN_STEPS = 12;
const WIDE = { contextWindowTokens: 1_000_000_000, maxOutputTokens: 8_000 };
const { signal } = new AbortController();

const { values } = parseArgs({ options: { row: { type: "string", default: "" } } });
const bench = new Bench({ time: 0, iterations: 30, warmupTime: 0, warmupIterations: 3 });
const medians = new Map<string, number[]>();

for (const count of COUNTS) {
  const log = logOf(count);
  const opened = () => createSession({ policy, summarizer: createDigest(), entries: log });
  const cut = async (of: ReturnType<typeof opened>) => {
    const now = { reason: "manual", keep: null } as const;
    const model = { contextWindowTokens: 128_000, maxOutputTokens: 8_000 };
    const { kind } = await of.fit({ gate: "before-step", pending: [], model, nowMs: null, now }, signal);
    if (kind !== "compacted") throw new Error(`nothing was cut: ${kind}`);
  };
  const [appended, stepped, undone] = [opened(), opened(), opened()];
  const compactor = createChatCompactor({ policy, limits: WIDE }, "unused");
  const array = stepsOf(count).flatMap(chatOf);
  let next = count;
  add("append", count, () => {
    for (const message of messagesAt(next)) appended.append({ type: "message", message });
    next += 1;
  });
  add("step without a cut", count, async () => {
    array.push(...chatOf(next));
    next += 1;
    await compactor.fit(array);
  });
  add("cut", count, () => cut(stepped), { afterEach: async () => void (await stepped.undo()) });
  add("undo", count, async () => void (await undone.undo()), { beforeEach: () => cut(undone) });
  add("reopen", count, () => void opened());
}

await bench.run();
for (const { name, result } of bench.tasks) {
  const [row = ""] = name.split(" at ");
  medians.set(row, [...(medians.get(row) ?? []), result.state === "completed" ? result.latency.p50 : Number.NaN]);
}
const heads = COUNTS.map((count) => count.toLocaleString("en"));
console.log(
  `node ${process.version}, medians in ms\n\n| | ${heads.join(" | ")} | growth |\n|---|${"---:|".repeat(COUNTS.length + 1)}`,
);
for (const [row, all] of medians) {
  const growth = (all.at(-1) ?? Number.NaN) / (all[0] ?? Number.NaN);
  console.log(`| ${row} | ${all.map((ms) => ms.toPrecision(3)).join(" | ")} | × ${growth.toPrecision(2)} |`);
}

function add(row: string, count: number, run: () => void | Promise<void>, around: Parameters<typeof bench.add>[2] = {}): void {
  if (row.includes(values.row)) bench.add(`${row} at ${count}`, run, around);
}

function logOf(count: number): readonly SessionEntry[] {
  const start = { type: "session", version: 1, id: "long", createdMs: null, parent: null, agent: null } as const;
  const messages = stepsOf(count).flatMap(messagesAt);
  return [
    { ...start, system: "You are a coding agent.", tools: [] },
    ...messages.map((message) => ({ type: "message", message }) as const),
  ];
}

function stepsOf(count: number): readonly number[] {
  return Array.from({ length: Math.ceil(count / (2 + 1 / TURN_STEPS)) }, (_, step) => step);
}

/** A step with one call and its result, after the person's message if it begins a turn. No two texts are the same. */
function messagesAt(step: number): readonly Message[] {
  const [callId, atMs] = [`c${step}`, null];
  const line = `${step}\tconst value${step} = read("src/part-${step}.ts"); // checked\n`;
  const said = { type: "text", text: `Please look at part ${step} and mend what fails there.` } as const;
  const call = { type: "tool-call", callId, toolName: "look", argumentsJson: `{"part":${step}}`, paths: [] } as const;
  const shown = { type: "text", text: line.repeat(RESULT_CHARS / line.length) } as const;
  const reply = { origin: "model", modelId: "test/model", requestId: `q${step}`, stopReason: "tool-calls" } as const;
  const result = { callId, toolName: "look", isError: false, category: "file-content" } as const;
  const person: Message = { role: "user", id: `u${step}`, origin: "human", parts: [said], atMs };
  return [
    ...(step % TURN_STEPS === 0 ? [person] : []),
    { role: "assistant", id: `a${step}`, ...reply, parts: [call], atMs },
    { role: "tool-result", id: `r${step}`, ...result, parts: [shown], atMs },
  ];
}

function chatOf(step: number): readonly ChatMessage[] {
  return messagesAt(step).map((message): ChatMessage => {
    const content = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    if (message.role === "user") return { role: "user", content };
    if (message.role === "tool-result") return { role: "tool", tool_call_id: message.callId, content };
    const called = { name: "look", arguments: `{"part":${step}}` };
    return { role: "assistant", content: null, tool_calls: [{ id: `c${step}`, type: "function", function: called }] };
  });
}
