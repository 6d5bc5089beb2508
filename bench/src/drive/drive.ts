import { setImmediate as nextTurn } from "node:timers/promises";
import type { CompactionEntry, Message, Session, SessionEntry, SessionView, UsageEntry } from "@plimsoll/core";
import { isHuman, toolCallsOf, usageOf } from "@plimsoll/core";
import type { followingChecks } from "@plimsoll/core/extend";
import { coverageOf, sendWithRecovery } from "@plimsoll/core/extend";
import type { PreparedSession } from "../open/prepared-session.ts";
import { type SizedMessages, sizedMessages } from "../size-judge/message-sizes.ts";
import { replyAfter } from "../size-judge/recorded-calls.ts";
import { isRollBack } from "../transcript.ts";
import { type Cell, isRecordedPolicy, limitsOf } from "./cell.ts";
import { createEngineRun, type EngineRun } from "./engine-run.ts";
import type { PartFailure } from "./part-failures.ts";
import { createProgramRun } from "./program-run.ts";
import type { CallObserver, ReplayedCall } from "./replayed-call.ts";

/** Calls after which the process may do something else. Chosen: some seconds of a large window. */
const CALLS_BETWEEN = 1_000;

/**
 * Drives the production engine, or the program in its place, over the full recorded history. Messages arrive as they did; the engine is asked before a human
 * message is submitted, before every call, and when the last result of a batch has arrived. The recorded agent's own
 * compactions, with the messages that exist only inside them, are folded under `recorded` and under no other policy. Resolves to the parts that failed.
 */
export async function drive(session: PreparedSession, cell: Cell, onCall: CallObserver): Promise<readonly PartFailure[]> {
  const { program } = cell;
  const run = program === null ? createEngineRun(session, cell) : await createProgramRun(session, cell, program);
  const foldsBoundaries = isRecordedPolicy(cell.policy);
  const openCalls = new Set<string>();
  const check = session.wireChecks();
  const sizes = sizedMessages(session.sizeJudge);
  const letIn = session.arrivals(cell.policy, cell.kinds);
  let call = 0;
  const sent: { last: ReplayedCall | null } = { last: null };

  const arrive = async (recorded: Message) => {
    const message = recorded.role === "tool-result" ? letIn(recorded) : recorded;
    if (isHuman(message)) await run.fit("before-submit", { pending: [message], nowMs: message.atMs });
    run.append({ type: "message", message });
    for (const call of toolCallsOf(message)) openCalls.add(call.callId);
    if (message.role !== "tool-result" || !openCalls.delete(message.callId) || openCalls.size > 0) return;
    await run.fit("after-tool-batch", { pending: [], nowMs: message.atMs });
  };
  const send = async (entry: UsageEntry, position: number) => {
    if (sent.last !== null) onCall(sent.last);
    // The progress of a long session is shown in between.
    if (call % CALLS_BETWEEN === CALLS_BETWEEN - 1) await nextTurn();
    sent.last = await sendCall(session, cell, run, { call, entry, reply: replyAfter(session.entries, position), check, sizes });
    call += 1;
  };
  /** Takes an entry; a promise only if the engine is asked about it. */
  const take = (entry: SessionEntry, position: number): Promise<void> | undefined => {
    switch (entry.type) {
      case "message":
        return arrive(entry.message);
      case "usage":
        return send(entry, position);
      case "session":
      case "setup-change":
        run.append(entry);
        return undefined;
      case "model-change":
        run.append({ ...entry, limits: limitsOf(cell) });
        return undefined;
      case "compaction":
        if (isRollBack(entry)) run.append(foldsBoundaries ? entry : rollBack(entry, session.entries, run.view()));
        else if (foldsBoundaries) {
          run.append(entry);
          run.note(entry);
        }
        return undefined;
      case "attempt":
      case "context-call":
        return undefined;
      case "revert":
        if (foldsBoundaries) run.append(entry);
        return undefined;
      default:
        return entry satisfies never;
    }
  };
  for (const [position, entry] of session.entries.entries()) {
    run.reach(position);
    const asked = take(entry, position);
    if (asked !== undefined) await asked;
  }
  const { last } = sent;
  if (last === null) return [];
  const failures = run.end();
  onCall({ ...last, summaries: [...last.summaries, ...run.takeDone().summaries] });
  return failures;
}

/** A recorded roll-back for a view that a policy has shaped: entries since the last message that stays leave it. */
function rollBack(entry: CompactionEntry, entries: readonly SessionEntry[], view: SessionView): CompactionEntry {
  const stays = new Set(entry.edits.flatMap((edit) => ("messages" in edit ? edit.messages.map(({ id }) => id) : [])));
  const gone = new Set<string>();
  for (let at = entries.indexOf(entry) - 1; at >= 0; at--) {
    const before = entries[at];
    if (before?.type !== "message") continue;
    if (stays.has(before.message.id)) break;
    gone.add(before.message.id);
  }
  const [left, kept] = [true, false].map((isGone) => view.messages.slice().filter(({ id }) => gone.has(id) === isGone));
  const edit = { kind: "replace-history" as const, through: null, messages: kept ?? [], covered: coverageOf(left ?? []) };
  return { ...entry, throughEntryId: view.lastEntryId, edits: [edit] };
}

/** One call to send. */
interface CallToSend {
  readonly call: number;
  readonly entry: UsageEntry;
  readonly reply: ReplayedCall["reply"];
  /** Checks the requests of this replay against the strictest wire. */
  readonly check: ReturnType<ReturnType<typeof followingChecks>>;
  /** Sizes the requests of this replay. */
  readonly sizes: SizedMessages;
}

/**
 * Sends a call as the policy would have it. A request above the window is rejected as a provider would: the engine is asked to recover, at most as
 * often as the policy allows. A request that still does not fit is lost: charged as recorded, and the session goes on with the recorded reply. The
 * engine sees the size of the sent request.
 */
async function sendCall(session: PreparedSession, cell: Cell, run: EngineRun, toSend: CallToSend): Promise<ReplayedCall> {
  const { call, entry, reply, check, sizes } = toSend;
  const { sizeJudge } = session;
  const isRecorded = isRecordedPolicy(cell.policy);
  const history = isRecorded ? "recorded" : "own";
  // The engine is asked when the request goes out: how long its answer takes is not known then.
  const nowMs = sizeJudge.calls[call]?.requestMs ?? entry.atMs;
  const request = () => {
    const { messages } = run.view();
    sizes.follow(call, messages);
    return { messages, promptTokens: sizeJudge.nonMessageTokens(call, history) + sizes.tokens() };
  };

  let outcome = await run.fit("before-step", { pending: [], nowMs });
  let messages = run.view().messages;
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
      return outcome.entry !== undefined;
    },
  });
  const lost = sent.kind !== "answered";
  const irreducible = lost && outcome.kind === "irreducible";
  if (!lost) await run.report(run.view(), reportedOf(entry, isRecorded ? null : promptTokens));
  return {
    call,
    recorded: entry,
    reply,
    context: messages,
    promptTokens,
    nonMessageTokens: sizeJudge.nonMessageTokens(call, history),
    chargedTokens: lost ? (sizeJudge.recordedPromptTokens[call] ?? promptTokens) : promptTokens,
    overflowed,
    irreducible,
    lost,
    violations: check(messages),
    ...run.takeDone(),
  };
}

/** Refuses a prompt above the window as a provider does: names only its limit. */
function refusedAt({ contextWindowTokens: limitTokens }: Cell): Awaited<ReturnType<typeof sendWithRecovery<null>>> {
  const rejection = {
    outcome: { kind: "too-large", of: "tokens" } as const,
    limitTokens,
    requestedTokens: null,
    promptTokens: null,
    error: null,
  };
  return { kind: "refused", rejection };
}

/**
 * Returns the usage that the provider would have reported: the size model's figure, with the recording's share of cached tokens, or the recorded
 * usage if the figure is `null`.
 */
function reportedOf(
  { requestId, modelId, usage, atMs }: UsageEntry,
  promptTokens: number | null,
): Parameters<Session["report"]>[1] {
  const answered = { requestId, modelId, ...(atMs === null ? {} : { atMs }) };
  const { input, output } = usage;
  if (promptTokens === null) return { ...answered, usage };
  const shareOf = (tokens: number | null) =>
    tokens === null || !input.totalTokens ? null : Math.floor((tokens * promptTokens) / input.totalTokens);
  const measured = usageOf({
    totalInputTokens: promptTokens,
    cacheReadTokens: shareOf(input.cacheReadTokens),
    cacheWriteTokens: shareOf(input.cacheWriteTokens),
    cacheWriteOneHourTokens: shareOf(input.cacheWriteOneHourTokens),
    outputTokens: output.totalTokens,
    reasoningTokens: output.reasoningTokens,
  });
  return { ...answered, usage: measured };
}
