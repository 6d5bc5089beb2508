import { mkdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { type Message, PLIMSOLL_POLICY, type SessionEntry } from "@plimsoll/core";
import { coverageOf, messageChars } from "@plimsoll/core/build";
import { openConversation } from "@plimsoll/core/conversation";
import { messagesWrittenBy } from "@plimsoll/core/internal";
import { createFileSessionStore } from "@plimsoll/core/node";

/**
 * Writes a large log, or opens one and says what that took. A process of its own for each: the most memory of a process is never given back.
 * `write` writes so many megabytes; `read` takes the entries one by one and keeps none; `open` opens a conversation over it, `recall` then asks
 * for the oldest output, which a compaction covers, and `undo` undoes the newest compaction.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { megabytes: { type: "string", default: "1024" }, file: { type: "string", default: "" } },
});
const sessions = createFileSessionStore({ folder: dirname(values.file), sync: "on-close" });
const SESSION_ID = "big";
const MEGABYTE = 1024 * 1024;

/** Usual outputs, and a huge one in between; each stretch ends with a compaction. Chosen. */
const OUTPUT_CHARS = 50_000;
const HUGE_OUTPUT_CHARS = 50 * MEGABYTE;
const STEPS_PER_STRETCH = 1_500;

async function write(): Promise<void> {
  await mkdir(dirname(values.file), { recursive: true });
  await rm(values.file, { force: true });
  const writer = await sessions.create({
    type: "session",
    version: 1,
    id: SESSION_ID,
    createdMs: null,
    system: "You are a coding agent.",
    tools: [],
    parent: null,
    agent: null,
  });
  const goal = Number(values.megabytes) * MEGABYTE;
  let covered: readonly Message[] = [];
  for (let step = 1, chars = 0; chars < goal; step++) {
    const outputChars = step % STEPS_PER_STRETCH === 0 ? HUGE_OUTPUT_CHARS : OUTPUT_CHARS;
    const messages = stepOf(step, outputChars);
    await writer.append(messages.map((message) => ({ type: "message", message })));
    // A compaction counts the characters that it covers, so the texts themselves need not be kept.
    covered = [...covered, ...messages];
    chars += outputChars;
    if (step % STEPS_PER_STRETCH > 0) continue;
    const entry = compactionOf(step, covered);
    await writer.append([entry]);
    covered = entry.type === "compaction" ? entry.edits.flatMap(messagesWrittenBy) : [];
  }
  await writer.close();
}

/** Does a task and answers with the characters of the context that it ends with. */
async function work(what: string): Promise<number> {
  if (what === "read") {
    const { writer } = await sessions.open(SESSION_ID, () => undefined);
    await writer.close();
    return 0;
  }
  const summarizer = () => Promise.reject(new Error("not asked"));
  const setting = { policy: PLIMSOLL_POLICY, summarizer, nowMs: () => null };
  const { conversation } = await openConversation(setting, sessions, { sessionId: SESSION_ID });
  const { manager } = conversation;
  if (what === "recall" && (await manager.recall("r1", { startChar: 0, maximumChars: 10 })) === null)
    throw new Error("the oldest output is not found");
  if (what === "undo") {
    await manager.prepareUndo();
    manager.revert(null);
  }
  const liveChars = manager.context().messages.reduce((sum, message) => sum + messageChars(message), 0);
  // What was undone is not written: the next task opens the log as it was.
  await conversation.close();
  return liveChars;
}

async function report(what: string): Promise<void> {
  const baseBytes = process.resourceUsage().maxRSS * 1024;
  const start = performance.now();
  const liveChars = await work(what);
  const seconds = (performance.now() - start) / 1_000;
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  console.log(
    [
      `${what}: ${megabytes((await stat(values.file)).size)} in the file`,
      `context ${megabytes(liveChars)}`,
      `most memory ${megabytes(peakBytes)}, ${megabytes(baseBytes)} before it was opened`,
      `${seconds.toFixed(1)} s`,
    ].join("; "),
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

function stepOf(step: number, outputChars: number): readonly [Message, Message] {
  const line = `${step}\tconst value${step} = read("src/part-${step}.ts"); // checked\n`;
  const text = line.repeat(Math.ceil(outputChars / line.length)).slice(0, outputChars);
  return [
    {
      role: "assistant",
      id: `a${step}`,
      origin: "model",
      parts: [{ type: "tool-call", callId: `c${step}`, toolName: "look", argumentsJson: `{"part":${step}}`, paths: [] }],
      modelId: "test/model",
      requestId: `q${step}`,
      stopReason: "tool-calls",
      atMs: null,
    },
    {
      role: "tool-result",
      id: `r${step}`,
      callId: `c${step}`,
      toolName: "look",
      isError: false,
      category: "file-content",
      parts: [{ type: "text", text }],
      atMs: null,
    },
  ];
}

function compactionOf(step: number, covered: readonly Message[]): SessionEntry {
  const [from, through] = [covered[0]?.id ?? "", covered.at(-1)?.id ?? ""];
  const text = `Parts up to ${step} were looked at.`;
  const message: Message = { role: "user", id: `s${step}`, origin: "summary", parts: [{ type: "text", text }], atMs: null };
  const spans = [{ from, through, promptId: "test" }];
  return {
    type: "compaction",
    id: `k${step}`,
    throughEntryId: through,
    edits: [{ kind: "replace-spans", spans, by: "summary", message, covered: coverageOf(covered), usage: null }],
    record: {
      policy: "test",
      reason: "manual",
      gate: null,
      steps: [],
      estimator: "test",
      cutEstimator: null,
      modelId: null,
      budgetTokens: null,
      tokensBefore: 0,
      tokensAfter: 0,
      messagesBefore: covered.length,
      messagesAfter: 1,
      work: { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 },
    },
    atMs: null,
  };
}

const [task = ""] = positionals;
await (task === "write" ? write() : report(task));
