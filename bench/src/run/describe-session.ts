import { createSpending, type ModelCatalog } from "@plimsoll/providers";
import { ownEntries } from "../lineage.ts";
import { realWindowOf } from "../replay/cell.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { SessionDescription } from "../results.ts";
import { isRollBack } from "../transcript.ts";
import { sessionOpening } from "./session-opening.ts";

/** What a session's recording states. The catalogue tells its window if nothing in it does. */
export function describeSession(session: PreparedSession, catalog: ModelCatalog): SessionDescription {
  const { transcript, sizeModel, repaired } = session;
  const [start] = transcript.entries;
  const copied = new Set(transcript.copiedIds);
  const calls = sizeModel.calls.filter(({ usage }) => !copied.has(usage.requestId));
  const spending = createSpending((modelId, atMs) => catalog.pricesOf(modelId, atMs));
  for (const entry of ownEntries(transcript)) spending.add(entry);
  const { usd, usdIs, statedUsd } = spending.now();
  const reported = calls.flatMap((call) => call.reportedTokens ?? []);
  return {
    session: transcript.name,
    file: transcript.file,
    format: transcript.format,
    agentVersion: start?.type === "session" ? (start.agent?.version ?? null) : null,
    ownWindowTokens: realWindowOf(session, catalog).tokens,
    parentSession: transcript.parentName,
    ...sessionOpening(transcript.entries),
    modelIds: [...new Set(sizeModel.calls.map((call) => call.modelId))],
    messages: transcript.entries.filter((entry) => entry.type === "message").length,
    calls: calls.length,
    maxReportedPromptTokens: reported.reduce((largest, tokens) => Math.max(largest, tokens), 0),
    sumReportedPromptTokens: reported.reduce((sum, tokens) => sum + tokens, 0),
    recordedBoundaries: transcript.entries.filter(
      (entry) => entry.type === "compaction" && !copied.has(entry.id) && !isRollBack(entry),
    ).length,
    repairs: repaired.repairCount + repaired.continuationCount,
    isEstimated: sizeModel.isEstimated,
    recordedUsd: usd,
    recordedUsdIs: usdIs,
    statedCostUsd: (copied.size > 0 ? null : transcript.statedUsd) ?? statedUsd,
    ...(transcript.outcome !== undefined && { outcome: transcript.outcome }),
    sizeModel: sizeModel.error,
  };
}
