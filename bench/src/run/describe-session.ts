import { statedCostUsd } from "../formats/stated-cost.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { SessionDescription } from "../results.ts";

/** What a session's recording states. */
export function describeSession({ transcript, sizeModel, repaired }: PreparedSession): SessionDescription {
  const reported = sizeModel.calls.flatMap((call) => call.reportedTokens ?? []);
  return {
    session: transcript.name,
    file: transcript.file,
    format: transcript.format,
    parentSession: transcript.parentName,
    modelIds: [...new Set(sizeModel.calls.map((call) => call.modelId))],
    messages: transcript.entries.filter((entry) => entry.type === "message").length,
    calls: sizeModel.calls.length,
    maxReportedPromptTokens: reported.reduce((largest, tokens) => Math.max(largest, tokens), 0),
    sumReportedPromptTokens: reported.reduce((sum, tokens) => sum + tokens, 0),
    recordedBoundaries: transcript.entries.filter((entry) => entry.type === "compaction").length,
    repairs: repaired.repairCount + repaired.continuationCount,
    isEstimated: sizeModel.isEstimated,
    statedCostUsd: statedCostUsd(transcript.entries),
    sizeModel: sizeModel.error,
  };
}
