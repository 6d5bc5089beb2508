import { type Message, toolCallsOf } from "@plimsoll/core";
import { contextsOfSize, messagesAt } from "../needs/controls.ts";
import { type FollowedCall, tailControl } from "../needs/tail-and-oracle.ts";
import type { Cell } from "../replay/cell.ts";
import { drive } from "../replay/drive.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { type Action, actionOf } from "./agreement.ts";
import type { AskedContext } from "./ask-report.ts";

/** The calls of one session under one policy at which a model can be asked. */
export interface CallsAfterCuts {
  readonly calls: readonly number[];
  /** Calls after a cut that are left out: the full history does not fit the model's window. */
  readonly tooLongCount: number;
}

/** A recorded call with the messages of each context, and what the recorded agent did. */
export interface CallContexts {
  readonly call: number;
  readonly recorded: Action;
  readonly messages: Readonly<Record<Exclude<AskedContext, "again">, readonly Message[]>>;
  /** Reported for the recorded reply; `null` if it was not. */
  readonly replyTokens: number | null;
}

/**
 * The calls after a compaction of the policy whose recorded reply calls a tool, that the policy could send, and whose full history takes at most so
 * many tokens.
 */
export async function callsAfterCuts(
  session: PreparedSession,
  cell: Cell,
  mostPromptTokens: number | null,
): Promise<CallsAfterCuts> {
  const sizes = session.history().sizes();
  const copied = new Set(session.transcript.copiedIds);
  const calls: number[] = [];
  let tooLongCount = 0;
  for (const { followed, canAsk } of await follow(session, cell)) {
    if (!canAsk || copied.has(session.sizeJudge.calls[followed.call]?.usage.requestId ?? "")) continue;
    const { call, ordinal, nonMessageTokens } = followed;
    sizes.reach(call);
    const fits = nonMessageTokens + sizes.between(0, ordinal) <= (mostPromptTokens ?? Infinity);
    if (fits) calls.push(call);
    else tooLongCount += 1;
  }
  return { calls, tooLongCount };
}

/** The three contexts at some of those calls, in the order of the calls. */
export async function contextsAt(
  session: PreparedSession,
  cell: Cell,
  wanted: ReadonlySet<number>,
): Promise<readonly CallContexts[]> {
  const history = session.history();
  const kept = new Map<number, ReplayedCall>();
  const all = await follow(session, cell, (sent) => wanted.has(sent.call) && kept.set(sent.call, sent));
  const calls = all.map(({ followed }) => followed);
  const tail = contextsOfSize(calls, tailControl(calls, history), history.totalTokens);
  return calls.flatMap(({ call, ordinal }, place) => {
    const sent = kept.get(call);
    const { reply, context, recorded } = sent ?? {};
    const tailAt = tail.contexts[place]?.kept;
    if (reply === undefined || reply === null || context === undefined) return [];
    return {
      call,
      recorded: actionOf(toolCallsOf(reply)),
      messages: {
        full: history.messages.slice(0, ordinal),
        compacted: context.slice(),
        tail: tailAt === undefined ? [] : messagesAt(history.messages, tailAt),
      },
      replyTokens: recorded?.usage.output.totalTokens ?? null,
    };
  });
}

interface Followed {
  readonly followed: FollowedCall;
  readonly canAsk: boolean;
}

/** Replays the session; the calls that have a reply, as the bench's controls follow them. */
async function follow(
  session: PreparedSession,
  cell: Cell,
  onCall: (sent: ReplayedCall) => unknown = () => undefined,
): Promise<readonly Followed[]> {
  const all: Followed[] = [];
  let cuts = 0;
  await drive(session, cell, (sent) => {
    const { call, reply, promptTokens, nonMessageTokens, compactions } = sent;
    cuts += compactions.length;
    const ordinal = reply === null ? null : session.references.ordinalOf(reply);
    if (ordinal === null) return;
    onCall(sent);
    const followed = { call, ordinal, promptTokens, nonMessageTokens, compactions: compactions.length };
    all.push({ followed, canAsk: cuts > 0 && canBeAsked(sent) });
  });
  return all;
}

/** The request of the policy is one that a provider takes, and the recorded agent did something next. */
function canBeAsked({ reply, lost, context, violations }: ReplayedCall): boolean {
  const calls = reply === null ? [] : toolCallsOf(reply);
  return calls.length > 0 && !lost && violations.length === 0 && context.at(-1)?.role !== "assistant";
}
