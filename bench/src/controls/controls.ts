import type { Needs } from "../grounding/needs.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { type ControlResult, controlOfSize, type FollowedCall } from "./control.ts";
import { oracleControl } from "./oracle.ts";
import { tailControl } from "./tail.ts";

/** The controls of a policy: its size without any choice, and with perfect foresight. */
export interface Controls {
  readonly tail: ControlResult;
  readonly oracle: ControlResult;
}

/** Both controls of a session's replay under a policy (docs/evidence.md). */
export function controlsOf(session: PreparedSession, needs: Needs, calls: readonly FollowedCall[]): Controls {
  const history = session.history();
  const { messages, totalTokens: largestTokens } = history;
  const tokensPerChar = largestTokens / Math.max(1, needs.recordedChars);
  const needleTokens = (needle: number) => Math.ceil(needs.charsOf(needle) * tokensPerChar);
  return {
    tail: controlOfSize(calls, tailControl(calls, history), { needs, messages, largestTokens }),
    oracle: controlOfSize(calls, oracleControl(calls, { needs, history, needleTokens }), { needs, messages, largestTokens }),
  };
}
