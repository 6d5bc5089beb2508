import type { SessionEntry } from "@plimsoll/core";
import { createContextManager, createDigest, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { longSession } from "../micro/long-session.ts";
import { createMeter, type MeterHooks, type StageSample } from "./meter.ts";

/** How many messages are appended to a long session. */
const APPENDED_COUNT = 2000;

const MODEL = { contextWindowTokens: 200_000, maxOutputTokens: 8000 } as const;

/**
 * Appending to a session of so many messages, against writing what is appended as JSON, and the fit that then cuts all of them, with a digest,
 * against writing all as JSON.
 */
export async function fitSamples(
  messageCount: number,
  { rounds, hooks }: { readonly rounds: number; readonly hooks?: MeterHooks | undefined },
): Promise<readonly StageSample[]> {
  const all = longSession(messageCount + APPENDED_COUNT);
  const firstAppended = all.length - longSession(APPENDED_COUNT).length;
  const [entries, appended] = [all.slice(0, firstAppended), all.slice(firstAppended)];
  const appending = await createMeter(() => jsonChars(appended), { hooks });
  const fitting = await createMeter(() => jsonChars(all), { hooks });
  for (let round = 0; round < rounds; round++)
    for (const policy of [SVEN_POLICY, PLIMSOLL_POLICY]) {
      const manager = createContextManager({ policy, summarizer: createDigest(undefined, null), entries });
      await appending.measure(
        `append to ${messageCount} messages, \`${policy.name}\`, × JSON.stringify of what is appended`,
        () => {
          for (const entry of appended) manager.append(entry);
        },
      );
      const input = { gate: "before-step", pending: [], model: MODEL, nowMs: null } as const;
      await fitting.measure(`fit that cuts ${messageCount} messages, \`${policy.name}\`, × JSON.stringify`, async () => {
        const outcome = await manager.fit(input, new AbortController().signal);
        if (outcome.kind !== "compacted") throw new Error(`${policy.name} did not compact: ${outcome.kind}`);
      });
    }
  return [...appending.samples(), ...fitting.samples()];
}

/** Characters of messages written as JSON: what the limit reads. */
function jsonChars(entries: readonly SessionEntry[]): number {
  let chars = 0;
  for (const entry of entries) if (entry.type === "message") chars += JSON.stringify(entry.message).length;
  return chars;
}
