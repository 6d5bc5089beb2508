import { PEERS, type Peer, type Transcript } from "@plimsoll/bench";
import { type ModelLimits, PI_POLICY } from "@plimsoll/core";

/** A recorded agent, the likeness that follows its version, and the limits that it ran with. */
export interface FollowedAgent {
  readonly agent: string;
  readonly version: string;
  readonly peer: Pick<Peer, "policy" | "leaves" | "countsAlso">;
  readonly limits: ModelLimits & { readonly contextWindowTokens: number; readonly maxOutputTokens: number };
}

/** Logs of Codex state the window of 272,000 tokens less the 5 % that it never fills (effective_context_window_percent). */
const CODEX_STATED_RATIO = 0.95;

/** The last version of Claude Code that was seen to leave 32,000 tokens for its summary; the next one seen, 2.1.25, leaves 20,000. */
const CLAUDE_CODE_OLDER = "2.1.24";

/** The replacement histories of 0.118 and 0.119 have the answers of earlier turns, those of 0.125 and later do not. */
const CODEX_WITHOUT_ANSWERS = "0.125.0";

/** Its log of 1.4.3 shows nothing behind the summary; the program of 1.18.33 keeps a tail, and our likeness follows that one. */
const OPENCODE_WITH_TAIL = "1.18.33";

/** Who wrote a session, and our likeness of it at that version; `null` if we follow none. */
export function followedAgent({ format, entries }: Transcript): FollowedAgent | null {
  const [start] = entries;
  const version = (start?.type === "session" ? start.agent?.version : null) ?? "";
  const from = (agent: string, peer: FollowedAgent["peer"] | undefined, [window, output]: readonly [number, number]) =>
    peer === undefined ? null : { agent, version, peer, limits: { contextWindowTokens: window, maxOutputTokens: output } };
  switch (format) {
    case "claude-code":
      return from(
        "Claude Code",
        peerNamed(isOlder(version, CLAUDE_CODE_OLDER) ? "claude-code-2.1.20" : "claude-code"),
        [200_000, 32_000],
      );
    case "codex":
      return from("Codex", isOlder(version, CODEX_WITHOUT_ANSWERS) ? withAnswers(peerNamed("codex")) : peerNamed("codex"), [
        (statedWindow(entries) ?? 258_400) / CODEX_STATED_RATIO,
        0,
      ]);
    case "opencode":
      // Its model had 128,000 tokens by the provider's list, and 32,000 is the most that it asks of a reply.
      return from(
        "OpenCode",
        isOlder(version, OPENCODE_WITH_TAIL) ? withoutTail(peerNamed("opencode")) : peerNamed("opencode"),
        [128_000, 32_000],
      );
    case "pi":
      return from("pi", { policy: PI_POLICY }, [200_000, 32_000]);
    default:
      return null;
  }
}

function peerNamed(name: string): Peer | undefined {
  return PEERS.find(({ policy }) => policy.name === name);
}

function isOlder(version: string, limit: string): boolean {
  return version.localeCompare(limit, "en", { numeric: true }) < 0;
}

function statedWindow(entries: Transcript["entries"]): number | null {
  const stated = entries.flatMap((entry) => (entry.type === "model-change" ? (entry.limits?.contextWindowTokens ?? []) : []));
  return stated.at(-1) ?? null;
}

function withAnswers(peer: Peer | undefined): Peer | undefined {
  return peer?.leaves === undefined ? peer : { ...peer, leaves: { ...peer.leaves, answers: true } };
}

function withoutTail(peer: Peer | undefined): Peer | undefined {
  const source = "a recorded session of 1.4.3";
  return peer && { ...peer, leaves: { personTokens: 0, answers: false, initialContext: false, files: null, source } };
}
