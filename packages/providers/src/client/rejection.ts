import type { SessionView } from "@plimsoll/core";
import type { Rejection, ReportedUsage } from "@plimsoll/core/conversation";
import { rejectedUsage, shortHash } from "@plimsoll/core/internal";
import { failureOf } from "./failure.ts";

/** The caller's client has the key; only the failure's class is used. The text is one that no message holds. */
const UNKNOWN_SOURCE = { provider: "provider", key: "\u0000" } as const;

/** What an SDK's error says of a prompt that is too long; `null` for every other failure. */
export function rejectionIn(thrown: unknown): Rejection | null {
  const { error, class: failureClass } = failureOf(thrown, UNKNOWN_SOURCE);
  if (failureClass !== "context-overflow") return null;
  const numberAt = (key: string): number | null => {
    const value = error.details[key];
    return typeof value === "number" ? value : null;
  };
  return {
    limitTokens: numberAt("limitTokens"),
    requestedTokens: numberAt("requestedTokens"),
    promptTokens: numberAt("promptTokens"),
  };
}

/** The size of a prompt that was rejected: it measures what was sent, although nothing came back. */
export function rejectedReport({ lastEntryId, modelId }: SessionView, promptTokens: number): ReportedUsage {
  const requestId = `rejected-${shortHash(`${lastEntryId ?? ""}\n${promptTokens}`)}`;
  return { requestId, modelId: modelId ?? "unknown", usage: rejectedUsage(promptTokens) };
}
