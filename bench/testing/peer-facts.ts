import type { Policy } from "@plimsoll/core";
import { triggerTokens } from "@plimsoll/core/extend";

/** Where a published program was seen to act, and where not yet. Sizes are the prompt and the reply to it, as the provider counts them. */
export interface PeerFact {
  /** Name of the peer that imitates it. */
  readonly peer: string;
  readonly program: string;
  readonly versions: string;
  readonly windowTokens: number;
  /** The largest reply that it asks for; `null` if it asks for none. */
  readonly outputTokens: number | null;
  /** The largest size at which it did nothing. */
  readonly silentTokens: number;
  /** The smallest size at which it acted by itself. */
  readonly actsTokens: number;
  /** How it was seen. */
  readonly source: string;
}

const RECORDED = "automatic compactions and the calls before them in recorded sessions";

/** Facts from recorded sessions about programs that cannot be run here; the others' facts are the observatory's. */
export const RECORDED_FACTS: readonly PeerFact[] = [
  {
    peer: "claude-code-2.1.20",
    program: "Claude Code",
    versions: "2.1.1 to 2.1.20",
    windowTokens: 200_000,
    outputTokens: 32_000,
    silentTokens: 154_959,
    actsTokens: 155_099,
    source: RECORDED,
  },
  {
    peer: "claude-code",
    program: "Claude Code",
    versions: "2.1.25 to 2.1.39",
    windowTokens: 200_000,
    outputTokens: 32_000,
    silentTokens: 166_727,
    actsTokens: 167_066,
    source: RECORDED,
  },
];

/** The facts about the policy's program that its trigger contradicts. */
export function contradictedFacts(
  { name, trigger }: Pick<Policy, "name" | "trigger">,
  facts: readonly PeerFact[],
): readonly PeerFact[] {
  return facts.filter(({ peer, windowTokens, outputTokens, silentTokens, actsTokens }) => {
    if (peer !== name) return false;
    const lineTokens = triggerTokens(trigger, { windowTokens, inputBudgetTokens: windowTokens - (outputTokens ?? 0) });
    return silentTokens >= lineTokens || actsTokens < lineTokens;
  });
}
