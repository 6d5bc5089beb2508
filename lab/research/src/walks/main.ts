/** `pnpm walks`: counts the files and functions of ours that run on five ways through the product, each warm. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Message, MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { importFile, runBench } from "@plimsoll/bench";
import { createDigest, createSession, PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import { createMessagesCompactor } from "@plimsoll/providers/drop-in/anthropic";
import { loadPolicy } from "@plimsoll/stores";

const SOURCES = /\/(packages\/[a-z]+|bench)\/src\//;
const file = fileURLToPath(new URL("../../../../fixtures/sessions/tour-and-feature.jsonl", import.meta.url));
const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 8_000 };
const REPLY = {
  model: "claude-haiku-5-5",
  usage: { input_tokens: 100, output_tokens: 10 },
  stop_reason: "tool_use",
  content: [{ type: "text", text: "Reading." }],
};

/** Files with a function that ran, beside the functions: the body of a module runs when it is loaded, and is none. */
function ranIn(scripts: readonly Profiler.ScriptCoverage[]): { readonly files: number; readonly functions: number } {
  const ours = scripts.filter(({ url }) => SOURCES.test(url));
  const ran = ours.map(({ functions }) =>
    functions.filter(
      ({ functionName, ranges }) => (ranges[0]?.count ?? 0) > 0 && (functionName !== "" || (ranges[0]?.startOffset ?? 0) > 0),
    ),
  );
  return { files: ran.filter((of) => of.length > 0).length, functions: ran.flat().length };
}

/** Runs a way twice, the second time counted: `begin` makes the way's starting point. */
async function counted<From>(name: string, begin: () => Promise<From> | From, way: (from: From) => unknown): Promise<void> {
  await way(await begin());
  const from = await begin();
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await way(from);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const { files, functions } = ranIn(result);
  process.stdout.write(`${String(files).padStart(4)} files ${String(functions).padStart(5)} functions  ${name}\n`);
}

const [transcript] = await importFile(file, "session");
const recorded = (transcript?.entries ?? []).filter(({ type }) => type === "session" || type === "message" || type === "usage");
const opened = () => createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest(), entries: recorded });
const { signal } = new AbortController();

await counted("when does it fire: a gate that cuts nothing", opened, (made) =>
  made.fit({ gate: "before-step", pending: [], model: LIMITS, nowMs: null }, signal),
);

await counted("usage → the next prediction", opened, (made) => {
  const { messages, modelId, viewHash } = made.view();
  made.append({
    type: "usage",
    requestId: "walk",
    modelId: modelId ?? "model",
    throughMessageId: messages.at(-1)?.id ?? null,
    overheadHash: null,
    viewHash,
    usage: usageOf({ totalInputTokens: 60_000, outputTokens: 100 }),
    atMs: null,
  });
  return made.predict();
});

/** An array of Anthropic's SDK after some steps, whose next result has the given length, and a function that sends it. */
async function loop(windowTokens: number, resultChars: number) {
  const compactor = createMessagesCompactor({
    policy: PLIMSOLL_POLICY,
    limits: { ...LIMITS, contextWindowTokens: windowTokens },
  });
  const messages: MessageParam[] = [{ role: "user", content: "Read the notes." }];
  const send = () => compactor.send(messages, async () => REPLY as Message);
  const step = (chars: number) => {
    const id = `call_${messages.length}`;
    messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `${id}.md` } }] });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: "A line of notes.\n".repeat(chars / 17) }],
    });
  };
  for (let count = 0; count < 12; count += 1) {
    await send();
    step(4_000);
  }
  await send();
  step(resultChars);
  return { send };
}

await counted(
  "a result through a drop-in with nothing to cut",
  () => loop(LIMITS.contextWindowTokens, 4_000),
  ({ send }) => send(),
);
await counted(
  "the same with a cut",
  () => loop(40_000, 100_000),
  ({ send }) => send(),
);

await counted(
  "a log → its row",
  () => null,
  () =>
    runBench({
      files: [{ path: file, displayName: "session" }],
      policies: [PLIMSOLL_POLICY],
      windows: [{ kind: "working-room", tokens: 64_000 }],
      plimsollVersion: "walk",
    }),
);

await counted(
  "a line of YAML → the policy",
  () => {
    const path = join(mkdtempSync(join(tmpdir(), "walks-")), "plimsoll.yaml");
    writeFileSync(path, "policy:\n  extends: plimsoll\n  keep: { recall: 10% }\n");
    return path;
  },
  loadPolicy,
);
