import { readFileSync } from "node:fs";
import { IMPORTERS, prepareSession, replay, textSource } from "@plimsoll/bench/extend";
import {
  createDigest,
  createSession,
  type FitInput,
  type Message,
  PI_POLICY,
  PLIMSOLL_POLICY,
  type Policy,
  type SessionEntry,
  SVEN_POLICY,
  UNREPORTED_USAGE,
  usageOf,
} from "@plimsoll/core";
import { charClass, createWorkCounter, foldEntries } from "@plimsoll/core/extend";
import { fixtureSessions } from "@plimsoll/fixtures";
import { Bench } from "tinybench";
import { numberAbove0, optionsOf } from "../options.ts";

const USAGE = `pnpm bench:micro: how long a person or a step waits, in milliseconds of this
machine, and times as long as JSON.stringify of the same messages

  --messages N   of the session (20000, the largest that is served)
  --row TEXT     rows that have the text in their name`;

const values = optionsOf(USAGE, { messages: { type: "string", default: "20000" }, row: { type: "string", default: "" } });
const count = numberAbove0("messages", values.messages);
const entries = longSession(count);
const messages = messagesOf(entries);
const { signal } = new AbortController();
const WINDOW = { kind: "working-room", tokens: 64_000 } as const;
/** Messages of the session that is replayed whole. Chosen: about two hundred calls. */
const REPLAYED_MESSAGES = 600;

const bench = new Bench({ time: 500, iterations: 5, warmupIterations: 1, warmupTime: 100 });
const UNIT = `JSON.stringify of ${count} messages`;
bench.add(UNIT, () => JSON.stringify(messages));
for (const policy of [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY]) {
  addGate(policy);
  addCut(policy);
}
add(`opening a session of ${count} messages`, () =>
  createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), entries }),
);
add(`folding ${count} messages`, () => foldEntries(entries));
add(`char-class of ${count} messages`, () => {
  const measure = charClass(createWorkCounter());
  for (const message of messages) measure.messageTokens(message);
});
for (const { path, name } of fixtureSessions()) {
  const text = readFileSync(path, "utf8");
  const importer = IMPORTERS.find(({ format }) => format === "plimsoll");
  if (importer !== undefined) add(`importing ${name}`, () => importer.read(textSource(text, name)));
}
addReplay(PLIMSOLL_POLICY);

await bench.run();
const medianMs = new Map(
  bench.tasks.map(({ name, result }) => [name, result.state === "completed" ? result.latency.p50 : Number.NaN]),
);
const unitMs = medianMs.get(UNIT) ?? Number.NaN;
console.log(`node ${process.version}, median of a run\n\n| | ms | × JSON.stringify |\n|---|---:|---:|`);
for (const [name, ms] of medianMs) console.log(`| ${name} | ${ms.toPrecision(3)} | ${(ms / unitMs).toPrecision(2)} |`);

function add(name: string, run: () => unknown, afterEach: () => void | Promise<void> = () => undefined): void {
  if (name.includes(values.row)) bench.add(name, run, { afterEach });
}

/** A gate that fires nothing: the window is so large. */
function addGate(policy: Policy): void {
  const opened = createSession({ policy, summarizer: createDigest(), entries });
  const parts = [{ type: "text", text: "And now?" }] as const;
  const pending = [{ role: "user", id: "next", origin: "human", parts, atMs: null }] as const;
  const model = { contextWindowTokens: 1_000_000_000, maxOutputTokens: 8000 };
  const input: FitInput = { gate: "before-step", pending, model, nowMs: null };
  add(`${policy.name}: a gate that does not fire, at ${count} messages`, () => opened.fit(input, signal));
}

function addCut(policy: Policy): void {
  const opened = createSession({ policy, summarizer: createDigest(), entries });
  const model = { contextWindowTokens: 128_000, maxOutputTokens: 8_000 };
  const now = { reason: "manual", keep: null } as const;
  const cut = async () => {
    const { kind } = await opened.fit({ gate: "before-step", pending: [], model, nowMs: null, now }, signal);
    if (kind !== "compacted") throw new Error(`nothing was cut: ${kind}`);
  };
  add(`${policy.name}: the fit that cuts ${count} messages`, cut, async () => void (await opened.undo()));
}

function addReplay(policy: Policy): void {
  const session = { name: "long", file: "long", format: "made", parentName: null, hasUsage: true, notes: [] };
  const transcript = { ...session, entries: longSession(REPLAYED_MESSAGES) };
  add(`preparing a session of ${REPLAYED_MESSAGES} messages`, () => prepareSession(transcript));
  const prepared = prepareSession(transcript);
  add(`its replay under ${policy.name}`, () => replay(prepared, { policy, window: WINDOW }));
}

function messagesOf(log: readonly SessionEntry[]) {
  return log.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

const STEPS_PER_TURN = 12;

/** Characters of a result: the middle of what recorded sessions hold (measured on nineteen sessions, 2026). */
const USUAL_RESULT_CHARS = 3000;

/** A log of that many messages: turns of steps, each with one call and its result, and a usage report before each reply. No two texts are the same. */
function longSession(messageCount: number, resultChars: number = USUAL_RESULT_CHARS): readonly SessionEntry[] {
  const entries: SessionEntry[] = [
    {
      type: "session",
      version: 1,
      id: "long",
      createdMs: null,
      system: "You are a coding agent.",
      tools: [],
      parent: null,
      agent: null,
    },
  ];
  let step = 0;
  let written = 0;
  const write = (message: Message) => {
    if (written >= messageCount) return;
    entries.push({ type: "message", message });
    written += 1;
  };
  while (written < messageCount) {
    if (step % STEPS_PER_TURN === 0) write(human(step));
    entries.push(usageOfStep(step));
    for (const message of stepOf(step, resultChars)) write(message);
    step += 1;
  }
  return entries;
}

function human(step: number): Message {
  const text = `Please look at part ${step} and mend what fails there.`;
  return { role: "user", id: `u${step}`, origin: "human", parts: [{ type: "text", text }], atMs: null };
}

function stepOf(step: number, resultChars: number): readonly Message[] {
  const callId = `c${step}`;
  const line = `${step}\tconst value${step} = read("src/part-${step}.ts"); // checked\n`;
  const text = line.repeat(Math.ceil(resultChars / line.length)).slice(0, resultChars);
  return [
    {
      role: "assistant",
      id: `a${step}`,
      origin: "model",
      parts: [
        { type: "text", text: `I look at part ${step} first.` },
        { type: "tool-call", callId, toolName: "look", argumentsJson: `{"part":${step}}`, paths: [] },
      ],
      modelId: "test/model",
      requestId: `q${step}`,
      stopReason: "tool-calls",
      atMs: null,
    },
    {
      role: "tool-result",
      id: `r${step}`,
      callId,
      toolName: "look",
      isError: false,
      category: "file-content",
      parts: [{ type: "text", text }],
      atMs: null,
    },
  ];
}

/** Every tenth call reports its size, so that anchors are there and much is still estimated. */
function usageOfStep(step: number): SessionEntry {
  const usage = step % 10 === 0 ? usageOf({ totalInputTokens: 1000 + step * 1000, outputTokens: 40 }) : UNREPORTED_USAGE;
  return {
    type: "usage",
    requestId: `q${step}`,
    modelId: "test/model",
    throughMessageId: step === 0 ? null : `r${step - 1}`,
    overheadHash: null,
    viewHash: null,
    usage,
    atMs: null,
  };
}
