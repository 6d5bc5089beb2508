import type { Message, UsageEntry } from "@plimsoll/core";
import { checkMessages, STRICT_WIRE_RULES, usageOf } from "@plimsoll/core";
import { type Cell, isRecordedPolicy } from "./cell.ts";
import type { EngineRun } from "./engine-run.ts";
import type { PreparedSession } from "./prepared-session.ts";
import type { ReplayedCall } from "./replayed-call.ts";

/** One call to send. */
export interface CallToSend {
  readonly call: number;
  readonly entry: UsageEntry;
  readonly reply: ReplayedCall["reply"];
}

/**
 * Sends a call as the policy would have it. A request above the window is rejected as a provider would: the engine is asked to
 * recover, at most as often as the policy allows. What still does not fit, and what the engine says cannot be made to fit,
 * is lost: charged as recorded, and the session goes on with the recorded reply. The engine sees the size of what was sent.
 */
export async function sendCall(
  session: PreparedSession,
  cell: Cell,
  run: EngineRun,
  toSend: CallToSend,
): Promise<ReplayedCall> {
  const { call, entry, reply } = toSend;
  const { sizeModel } = session;
  const isRecorded = isRecordedPolicy(cell.policy);
  const history = isRecorded ? "recorded" : "own";
  const { manager } = run;
  const nowMs = entry.atMs;
  const request = () => {
    const messages = manager.view().messages.slice();
    return { messages, promptTokens: sizeModel.promptTokens(call, messages, history) };
  };

  let outcome = await run.fit("before-step", { pending: [], nowMs });
  let { messages, promptTokens } = request();
  const isTooLong = () => !isRecorded && promptTokens > cell.contextWindowTokens;
  const overflowed = isTooLong();
  for (let recovery = 0; isTooLong() && recovery < cell.policy.overflow.maxRecoveries; recovery++) {
    outcome = await run.fit("on-overflow", { pending: [], nowMs, recovery });
    if (outcome.kind !== "compacted") break;
    ({ messages, promptTokens } = request());
  }
  const irreducible = outcome.kind === "irreducible";
  const lost = irreducible || isTooLong();
  const prediction = manager.predict();
  if (!lost) observe(run, entry, isRecorded ? null : promptTokens);
  return {
    call,
    recorded: entry,
    reply,
    context: messages,
    promptTokens,
    accountTokens: sizeModel.accountTokens(call, history),
    chargedTokens: lost ? (sizeModel.recordedPromptTokens[call] ?? promptTokens) : promptTokens,
    prediction,
    overflowed,
    irreducible,
    lost,
    violations: checkMessages(messages, STRICT_WIRE_RULES),
    ...run.takeDone(),
  };
}

/** Appends what the provider would have reported: the size model's figure, or the recorded usage where it is `null`. */
function observe({ manager, overheadHash }: EngineRun, entry: UsageEntry, promptTokens: number | null): void {
  const view = manager.view();
  const { totalTokens, reasoningTokens } = entry.usage.output;
  const measured = { totalInputTokens: promptTokens, outputTokens: totalTokens, reasoningTokens };
  manager.append({
    ...entry,
    throughMessageId: lastId(view.messages.at(-1)),
    overheadHash: overheadHash(view),
    viewHash: view.viewHash,
    usage: promptTokens === null ? entry.usage : usageOf(measured),
  });
}

function lastId(message: Message | undefined): string | null {
  return message?.id ?? null;
}
