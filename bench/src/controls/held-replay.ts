import type { ContextChanges } from "../grounding/context-changes.ts";
import type { HeldNeeds } from "../grounding/held-needs.ts";
import { createHeldContext, createNeedCounts } from "../grounding/held-needs.ts";
import type { Need } from "../grounding/needs.ts";
import type { NeedKind } from "../grounding/wanted.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { type ControlResult, type FollowedCall, meanPromptOf } from "./control.ts";
import { type Controls, controlsOf } from "./controls.ts";

/** The needs that the contexts of one replay held, and those that controls of the same size hold. */
export interface HeldReplay {
  add(sent: ReplayedCall, reply: ReplyAtCall): void;
  result(kind: NeedKind): HeldNeeds;
  /** Lists the needs of these kinds at the call that was added last that its context lacks. */
  missing(kinds: readonly NeedKind[]): readonly Need[];
  /** Made when they are asked for first, from the calls so far. */
  controls(): Controls;
}

/** The place of a call's reply among the recorded messages, and what came into its context and left it; `null` if it was not sent. */
interface ReplyAtCall {
  readonly ordinal: number;
  readonly shown: ContextChanges | null;
}

/** Follows one replay of a session. */
export function createHeldReplay(session: PreparedSession): HeldReplay {
  const needs = session.needs();
  const counts = createNeedCounts(needs);
  const context = createHeldContext(needs.index, needs.needleCount);
  const followed: FollowedCall[] = [];
  let latest: { readonly ordinal: number; readonly lost: boolean } | null = null;
  let controls: Controls | null = null;
  return {
    add({ call, reply, promptTokens, nonMessageTokens, compactions }, { ordinal, shown }) {
      const lost = shown === null;
      latest = reply === null ? null : { ordinal, lost };
      if (reply === null) return;
      if (!lost) context.follow(shown);
      counts.add(ordinal, lost ? null : context.holds);
      followed.push({ call, ordinal, promptTokens, nonMessageTokens, compactions: compactions.length });
    },
    result: counts.result,
    missing(kinds) {
      if (latest === null) return [];
      const { ordinal, lost } = latest;
      return needs.at(ordinal).filter(({ kind, needle }) => kinds.includes(kind) && (lost || !context.holds(needle)));
    },
    controls: () => {
      controls ??= neverCut(followed) ? sameAs(counts.result, followed) : controlsOf(session, needs, followed);
      return controls;
    },
  };
}

function neverCut(calls: readonly FollowedCall[]): boolean {
  return calls.every(({ compactions }) => compactions === 0);
}

/** If the policy never cut, its controls do not either. */
function sameAs(result: ControlResult["result"], calls: readonly FollowedCall[]): Controls {
  const meanPromptTokens = meanPromptOf(calls);
  const same = { amountTokens: null, meanPromptTokens, policyPromptTokens: meanPromptTokens, result };
  return { tail: same, oracle: same };
}
