import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContextManager, Policy, SessionEntry } from "@plimsoll/core";
import { createContextManager, createDigest, decodeLog, encodeLog, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { openConversation } from "@plimsoll/core/conversation";
import { createFileSessionStore } from "@plimsoll/core/node";
import { longSession } from "../micro/long-session.ts";
import { chosenOf, numberAbove0, optionsOf } from "../options.ts";
import type { Blocks } from "./blocks.ts";
import { blocksOf, processorMsOf } from "./blocks.ts";

const USAGE = `pnpm blocks: what a long session costs whoever waits, with the longest turns of
the event loop. A figure of the processor is one of the whole process.

  --messages N    of the session (100000)
  --only PART     fit (the fit that cuts it, against JSON.stringify of its
                  messages), append (message by message to a log in a file, at
                  four sizes, with and without forcing each to the disk) or open
                  (taking it up again, and the first fit after that); again for
                  several, all if none is named
  --policy NAME   plimsoll or sven; both if none is named
  --rounds N      of fit and open (3)`;

const values = optionsOf(USAGE, {
  messages: { type: "string", default: "100000" },
  only: { type: "string", multiple: true, default: [] },
  policy: { type: "string", multiple: true, default: [] },
  rounds: { type: "string", default: "3" },
});
const count = numberAbove0("messages", values.messages);
const ROUNDS = numberAbove0("rounds", values.rounds);
const parts = chosenOf("only", values.only, ["fit", "append", "open"]);
const policyNames = chosenOf("policy", values.policy, ["plimsoll", "sven"]);
const POLICIES = [PLIMSOLL_POLICY, SVEN_POLICY].filter(({ name }) => policyNames.some((chosen) => chosen === name));
const { signal } = new AbortController();
const MODEL = { contextWindowTokens: 128_000, maxOutputTokens: 8_000 };

if (parts.includes("fit")) for (const policy of POLICIES) await measureFit(policy);
if (parts.includes("append"))
  for (const policy of POLICIES)
    for (const sync of ["on-close", "every-append"] as const)
      for (const share of [0.1, 0.2, 0.5, 1]) await measureAppend(policy, Math.round(count * share), sync);
if (parts.includes("open")) for (const policy of POLICIES) await measureOpening(policy);

async function measureFit(policy: Policy): Promise<void> {
  const entries = readBack(longSession(count));
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const manager = createContextManager({ policy, summarizer: createDigest(), entries });
  for (let round = 1; round <= ROUNDS; round++) {
    const json = await blocksOf(async () => JSON.stringify(messages));
    const fit = await blocksOf(() => cut(manager));
    print(`${policy.name}: fit of ${count} messages, round ${round}`, fit, json);
    manager.revert(null);
  }
}

async function cut(manager: ContextManager): Promise<void> {
  const now = { reason: "manual", keep: null } as const;
  const { kind } = await manager.fit({ gate: "before-step", pending: [], model: MODEL, nowMs: null, now }, signal);
  if (kind !== "compacted") throw new Error(`nothing was cut: ${kind}`);
}

function settingOf(policy: Policy) {
  return { policy, summarizer: createDigest(), nowMs: () => null };
}

async function measureAppend(policy: Policy, size: number, sync: "on-close" | "every-append"): Promise<void> {
  await inFolder(async (folder) => {
    const [start, ...rest] = readBack(longSession(size));
    if (start?.type !== "session") throw new Error("the session has no beginning");
    const json = await blocksOf(async () => {
      for (const entry of rest) JSON.stringify(entry);
    });
    const sessions = createFileSessionStore({ folder, sync });
    const { conversation } = await openConversation(settingOf(policy), sessions, start);
    const appendMs = await processorMsOf(async () => {
      for (const entry of rest) await conversation.append(entry);
    });
    await conversation.close();
    const ratio = (appendMs / json.processorMs).toFixed(1);
    process.stdout.write(
      `${policy.name}: appending ${size} messages, one by one, to a file, forced to the disk ${sync}: ` +
        `${((1000 * appendMs) / size).toFixed(0)} µs of the processor a message, × ${ratio}\n`,
    );
  });
}

async function measureOpening(policy: Policy): Promise<void> {
  await inFolder(async (folder) => {
    const sessions = createFileSessionStore({ folder });
    const text = encodeLog(longSession(count));
    const messages = decodeLog(text, "log").entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    writeFileSync(join(folder, "long.jsonl"), text);
    for (let round = 1; round <= ROUNDS; round++) {
      const parsed = await blocksOf(async () => {
        for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
      });
      const opened = () => openConversation(settingOf(policy), sessions, { sessionId: "long" });
      const processorMs = await processorMsOf(async () => await (await opened()).conversation.close());
      const opening = await blocksOf(async () => await (await opened()).conversation.close());
      print(`${policy.name}: opening ${count} messages, round ${round}`, { ...opening, processorMs }, parsed);
      const { conversation } = await opened();
      const json = await blocksOf(async () => JSON.stringify(messages));
      print(`${policy.name}: the first fit after it`, await blocksOf(() => cut(conversation.manager)), json);
      await conversation.close();
    }
  });
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-blocks-"));
  try {
    await work(folder);
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
  const longest = of.longest.map(({ ms, collectedMs }) => `${ms.toFixed(0)} (${collectedMs.toFixed(0)})`).join(" ");
  process.stdout.write(
    `${what}: ${of.processorMs.toFixed(0)} ms of the processor, × ${ratio} (unit ${unit.processorMs.toFixed(0)} ms); ` +
      `${of.turns} turns, longest ${longest} ms (of it the collector), most of the processor in one ${of.mostProcessorMs.toFixed(0)} ms\n`,
  );
}
