import type { SessionEntry } from "@plimsoll/core";
import type { ModelCatalog } from "@plimsoll/providers";
import { agentWindowOf } from "../formats/agent-windows.ts";
import type { PreparedSession } from "./prepared-session.ts";

/** The window that a recorded session ran in, and why it is that one. */
export function realWindowOf(session: PreparedSession, catalog: Pick<ModelCatalog, "contextWindowOf">): RealWindow {
  return realWindow(windowEvidenceOf(session, catalog));
}

/** Collects the evidence of recording and catalog about the window that a session ran in. */
function windowEvidenceOf(
  { transcript, entries, sizeJudge }: PreparedSession,
  catalog: Pick<ModelCatalog, "contextWindowOf">,
): WindowEvidence {
  const [start] = entries;
  const modelIds = [...new Set(sizeJudge.calls.map((call) => call.modelId))];
  const stated = entries.flatMap((entry) => (entry.type === "model-change" ? (entry.limits?.contextWindowTokens ?? []) : []));
  return {
    modelIds,
    statedTokens: largest(stated),
    automaticTokens: largest(automaticPrompts(entries, transcript.automaticCompactionIds ?? [])),
    largestPromptTokens: largest(sizeJudge.calls.flatMap((call) => call.reportedTokens ?? [])) ?? 0,
    agent: agentWindowOf(start?.type === "session" ? start.agent : null),
    catalogueTokens: largest(modelIds.flatMap((modelId) => catalog.contextWindowOf(modelId) ?? [])),
  };
}

/** How large the prompt was before each compaction that the agent made by itself, as reported last or as the recording states it; or might be. */
function automaticPrompts(entries: readonly SessionEntry[], ids: readonly string[]): readonly number[] {
  const automatic = new Set(ids);
  const prompts: number[] = [];
  let reportedTokens = 0;
  for (const entry of entries) {
    if (entry.type === "usage") reportedTokens = entry.usage.input.totalTokens ?? reportedTokens;
    if (entry.type !== "compaction") continue;
    // Our own logs have the tokens that a prompt might hold, and drop-ins write no window beside them.
    prompts.push(entry.record.budgetTokens ?? 0);
    if (automatic.has(entry.id)) prompts.push(Math.max(reportedTokens, entry.record.tokensBefore ?? 0));
  }
  return prompts.filter((tokens) => tokens > 0);
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value));
}

/** The evidence of the window that a recorded session ran in. */
export interface WindowEvidence {
  readonly modelIds: readonly string[];
  /** The largest window that the recording states; `null` if it states none. */
  readonly statedTokens: number | null;
  /** The largest prompt before a compaction that the agent is known to have made by itself; `null` if there was none. */
  readonly automaticTokens: number | null;
  /** The largest prompt that was accepted; 0 if none was reported. */
  readonly largestPromptTokens: number;
  /** The window by the agent's version; `null` if the version does not determine it. */
  readonly agent: RealWindow | null;
  /** The largest that the catalogue knows for the models; `null` if it knows none of them. */
  readonly catalogueTokens: number | null;
}

/** A window, and why it is that one: a phrase for a person. */
interface RealWindow {
  readonly tokens: number;
  readonly reason: string;
}

/** Sizes in which windows are sold, in tokens; from the vendors' model pages, November 2026. */
const SOLD_TOKENS = [32_000, 64_000, 128_000, 200_000, 256_000, 400_000, 1_000_000, 2_000_000] as const;

/** Window of a model that has no other evidence: that of most models in the recorded sessions. */
const UNTOLD: RealWindow = { tokens: 200_000, reason: "unknown; most recorded models have 200,000" };

/**
 * The window that the session ran in: the recording's evidence outranks other knowledge of the model. In this order: a window that it states; the
 * smallest sold one that holds the prompt at which the agent compacted by itself, if the catalogue has no smaller one; the size in a model's name
 * (`[1m]`, `:1m`); the agent's version; the catalogue. A prompt above it that was accepted moves it up to the next sold one.
 */
export function realWindow(evidence: WindowEvidence): RealWindow {
  const { statedTokens, largestPromptTokens, agent, catalogueTokens } = evidence;
  const stated = windowBy(statedTokens, "stated by the recording");
  const listed = windowBy(catalogueTokens, "the catalogue's for the model");
  const told = stated ?? compacted(evidence) ?? named(evidence) ?? agent ?? listed ?? UNTOLD;
  if (largestPromptTokens <= told.tokens) return told;
  return { tokens: soldFor(largestPromptTokens), reason: `a prompt of ${shown(largestPromptTokens)} was accepted` };
}

function windowBy(tokens: number | null, reason: string): RealWindow | null {
  return tokens === null ? null : { tokens, reason };
}

/** Agents act in the last half of their window, and no two sold sizes lie closer than that but for 200k and 256k. */
function compacted({ automaticTokens, catalogueTokens }: WindowEvidence): RealWindow | null {
  if (automaticTokens === null) return null;
  const tokens = Math.min(soldFor(automaticTokens), catalogueTokens ?? Number.POSITIVE_INFINITY);
  return { tokens, reason: `the agent compacted by itself at ${shown(automaticTokens)}` };
}

function named({ modelIds }: WindowEvidence): RealWindow | null {
  const sizes = modelIds.flatMap((modelId) => {
    const [, count = "", unit = ""] = /(?:\[|:(?=\d{1,4}k|[1-9]m|10m))(\d{1,4})([km])\]?$/i.exec(modelId) ?? [];
    return count === "" ? [] : [Number(count) * (unit.toLowerCase() === "m" ? 1_000_000 : 1000)];
  });
  return windowBy(largest(sizes), "the size in the model's name");
}

/** The smallest sold window that holds the prompt; the prompt itself if none does. */
function soldFor(promptTokens: number): number {
  return SOLD_TOKENS.find((tokens) => tokens >= promptTokens) ?? promptTokens;
}

function shown(tokens: number): string {
  return `${tokens.toLocaleString("en-US")} tokens`;
}
