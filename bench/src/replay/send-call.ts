import { type UsageEntry, usageOf } from "@plimsoll/core";
import type { Attempt, FollowingCheck, ReportedUsage } from "@plimsoll/core/extend";
import { sendWithRecovery, TOO_MANY_TOKENS } from "@plimsoll/core/extend";
import type { FollowingSizes } from "../size-model/following-sizes.ts";
import { type Cell, isRecordedPolicy } from "./cell.ts";
import type { EngineRun } from "./engine-run.ts";
import type { PreparedSession } from "./prepared-session.ts";
import type { ReplayedCall } from "./replayed-call.ts";

/** One call to send. */
export interface CallToSend {
  readonly call: number;
  readonly entry: UsageEntry;
  readonly reply: ReplayedCall["reply"];
  /** Checks the requests of this replay against the strictest wire. */
  readonly check: FollowingCheck;
  /** Sizes the requests of this replay. */
  readonly sizes: FollowingSizes;
}

/**
 * Sends a call as the policy would have it. A request above the window is rejected as a provider would: the engine is asked to
 * recover, at most as often as the policy allows. What still does not fit is lost: charged as recorded, and the session goes on with the recorded reply. The engine sees the size of what was sent.
 */
export async function sendCall(
  session: PreparedSession,
  cell: Cell,
  run: EngineRun,
  toSend: CallToSend,
): Promise<ReplayedCall> {
  const { call, entry, reply, check, sizes } = toSend;
  const { sizeModel } = session;
  const isRecorded = isRecordedPolicy(cell.policy);
  const history = isRecorded ? "recorded" : "own";
  const { manager } = run;
  const nowMs = entry.atMs;
  const request = () => {
    const { messages } = manager.view();
    return { messages, promptTokens: sizes(call, messages) };
  };

  let outcome = await run.fit("before-step", { pending: [], nowMs });
  let messages = manager.view().messages;
  let promptTokens = 0;
  let overflowed = false;
  const sent = await sendWithRecovery<null>({
    policy: cell.policy,
    attempt: async () => {
      ({ messages, promptTokens } = request());
      const isTooLong = !isRecorded && promptTokens > cell.contextWindowTokens;
      overflowed ||= isTooLong;
      return isTooLong ? refusedAt(cell) : { kind: "answered", answer: null };
    },
    recover: async (overflow) => {
      outcome = await run.fit("on-overflow", { pending: [], nowMs, overflow });
      return outcome.kind === "compacted";
    },
  });
  const lost = sent.kind !== "answered";
  const irreducible =
    lost && (outcome.kind === "irreducible" || (outcome.kind === "compacted" && outcome.missed !== undefined));
  const prediction = manager.predict();
  if (!lost) await run.report(manager.view(), reportedOf(entry, isRecorded ? null : promptTokens));
  return {
    call,
    recorded: entry,
    reply,
    context: messages,
    promptTokens,
    nonMessageTokens: sizeModel.nonMessageTokens(call, history),
    chargedTokens: lost ? (sizeModel.recordedPromptTokens[call] ?? promptTokens) : promptTokens,
    prediction,
    overflowed,
    irreducible,
    lost,
    violations: check(messages),
    ...run.takeDone(),
  };
}

/** Refuses a prompt above the window as a provider does: names its limit alone. */
function refusedAt({ contextWindowTokens: limitTokens }: Cell): Attempt<null> {
  const rejection = { outcome: TOO_MANY_TOKENS, limitTokens, requestedTokens: null, promptTokens: null, error: null };
  return { kind: "refused", rejection };
}

/** Returns the usage that the provider would have reported: the size model's figure, or the recorded usage if it is `null`. */
function reportedOf({ requestId, modelId, usage }: UsageEntry, promptTokens: number | null): ReportedUsage {
  const { totalTokens, reasoningTokens } = usage.output;
  const measured = { totalInputTokens: promptTokens, outputTokens: totalTokens, reasoningTokens };
  return { requestId, modelId, usage: promptTokens === null ? usage : usageOf(measured) };
}
