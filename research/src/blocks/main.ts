import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Policy, SessionEntry } from "@plimsoll/core";
import { createContextManager, createDigest, decodeLog, encodeLog, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { openConversation } from "@plimsoll/core/conversation";
import { createFileSessionStore } from "@plimsoll/core/node";
import { longSession } from "../micro/long-session.ts";
import type { Blocks } from "./blocks.ts";
import { blocksOf, processorMsOf } from "./blocks.ts";

/**
 * What a session of that many messages costs whoever waits: the fit that cuts it, with the longest turn of the event loop, against
 * `JSON.stringify` of its messages; and appending it message by message to a log in a file, and taking it up again, at three sizes. A figure of
 * the processor is one of the whole process.
 */
const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "100000" },
    only: { type: "string", multiple: true, default: ["fit", "log"] },
    policy: { type: "string", multiple: true, default: ["plimsoll", "sven"] },
    rounds: { type: "string", default: "3" },
  },
});
const count = Number(values.messages);
const POLICIES = [PLIMSOLL_POLICY, SVEN_POLICY].filter(({ name }) => values.policy.includes(name));
const { signal } = new AbortController();

if (values.only.includes("fit")) for (const policy of POLICIES) await measureFit(policy);
if (values.only.includes("log"))
  for (const policy of POLICIES) for (const share of [0.1, 0.2, 1]) await measureLog(policy, Math.round(count * share));

async function measureFit(policy: Policy): Promise<void> {
  const entries = readBack(longSession(count));
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const manager = createContextManager({ policy, summarizer: createDigest(), entries });
  const model = { contextWindowTokens: 128_000, maxOutputTokens: 8_000 };
  const now = { reason: "manual", keep: null } as const;
  for (let round = 1; round <= Number(values.rounds); round++) {
    const json = await blocksOf(async () => JSON.stringify(messages));
    const fit = await blocksOf(async () => {
      const { kind } = await manager.fit({ gate: "before-step", pending: [], model, nowMs: null, now }, signal);
      if (kind !== "compacted") throw new Error(`nothing was cut: ${kind}`);
    });
    print(`${policy.name}: fit of ${count} messages, round ${round}`, fit, json);
    manager.revert(null);
  }
}

async function measureLog(policy: Policy, size: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-blocks-"));
  const setting = { policy, summarizer: createDigest(), nowMs: () => null };
  try {
    const sessions = createFileSessionStore({ folder });
    const [start, ...rest] = readBack(longSession(size));
    if (start?.type !== "session") throw new Error("the session has no beginning");
    const json = await blocksOf(async () => {
      for (const entry of rest) JSON.stringify(entry);
    });
    const { conversation } = await openConversation(setting, sessions, start);
    const appendMs = await processorMsOf(async () => {
      for (const entry of rest) await conversation.append(entry);
    });
    await conversation.close();
    const ratio = (appendMs / json.processorMs).toFixed(1);
    process.stdout.write(
      `${policy.name}: appending ${size} messages, one by one, to a file: ${appendMs.toFixed(0)} ms of the processor, × ${ratio}\n`,
    );
    const parsed = await blocksOf(async () => decodeLog(encodeLog([start, ...rest]), "log"));
    const resume = await blocksOf(async () => {
      const again = await openConversation(setting, sessions, { sessionId: start.id });
      await again.conversation.close();
    });
    print(`${policy.name}: resuming ${size} messages`, resume, parsed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Read back from text, as a log from a file is: every string then is one of its own. */
function readBack(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  return decodeLog(encodeLog(entries), "log").entries;
}

function print(what: string, of: Blocks, unit: Blocks): void {
  const ratio = (of.processorMs / unit.processorMs).toFixed(1);
  const longest = of.longestMs.map((ms) => ms.toFixed(0)).join(" ");
  process.stdout.write(
    `${what}: ${of.processorMs.toFixed(0)} ms of the processor, × ${ratio} (unit ${unit.processorMs.toFixed(0)} ms); ` +
      `${of.turns} turns, longest ${longest} ms, most of the processor in one ${of.mostProcessorMs.toFixed(0)} ms\n`,
  );
}
