import type { Message } from "@plimsoll/core";
import type { ContextChanges } from "../grounding/context-changes.ts";
import type { PreparedReferences } from "../references/prepare.ts";
import type { ReferenceUse } from "../references/recorded-history.ts";
import { FAR_TOKENS } from "../references/recorded-history.ts";
import { type ArtifactMetrics, createArtifactProbe } from "./artifacts.ts";
import { createReadableContext } from "./readable.ts";

/** Asks at every recorded call what of the references in its reply the sent context still held. */
export interface RetentionProbe {
  /** A call that was sent, with what came into its context (without the reply) and left it since the last one that was sent. */
  atCall(call: number, reply: Message, changes: ContextChanges): readonly FoundUse[];
  /** A call that could not be sent: all its uses count, and none of them could be read. */
  lost(reply: Message): readonly FoundUse[];
  result(): RetentionMetrics;
}

/** A use of a reference, what of it the context held, and at which call its source was lost (`null`: not lost, or not known). */
export interface FoundUse extends Found {
  readonly use: ReferenceUse;
  readonly lostAtCall: number | null;
}

/** Retention over one set of uses, as counts; a ratio is `n / uses`. */
export interface RetentionCount {
  readonly uses: number;
  /** The string is readable in the context that the policy sent. */
  readonly recalled: number;
  /** A line that stated it is readable. */
  readonly evidenced: number;
  /** The latest line of a human or tool message that stated it is readable. */
  readonly sourceEvidenced: number;
  /** Not readable, but stated in a message whose handle the context names: the model would have to ask for it. */
  readonly behindHandle: number;
}

/** Retention at use, over all uses and over far ones (latest earlier occurrence at least 20,000 tokens back). */
export interface RetentionMetrics {
  readonly all: RetentionCount;
  readonly far: RetentionCount;
  /** Of all uses, those whose every introduction the recorded agent had itself compacted away: it knew them from its summary. */
  readonly compactedAway: RetentionCount;
  readonly artifacts: ArtifactMetrics;
}

/**
 * Retention at use over one replay. System text and tool schemas are not looked at, for every request sends them. Far uses and uses
 * whose introduction the recorded agent had compacted away are counted among all uses and once more apart.
 */
export function createRetentionProbe(prepared: PreparedReferences): RetentionProbe {
  const all = createTally();
  const far = createTally();
  const compactedAway = createTally();
  const artifacts = createArtifactProbe(prepared);
  const readable = createReadableContext(prepared, artifacts.changed);
  const count = (found: FoundUse): FoundUse => {
    all.add(found);
    if (found.use.distanceTokens >= FAR_TOKENS) far.add(found);
    if (found.use.isCompactedAway) compactedAway.add(found);
    return found;
  };
  return {
    atCall(call, reply, changes) {
      readable.follow(changes, call);
      const ordinal = prepared.ordinalOf(reply) ?? 0;
      artifacts.atCall(ordinal, "sent");
      return prepared.usesOf(reply).map((use) => {
        const recalled = readable.hasReference(use.reference);
        return count({
          use,
          lostAtCall: readable.lostAtCall(use.sourceStatement),
          recalled,
          evidenced: readable.hasStatementOf(use.reference, ordinal),
          sourceEvidenced: readable.hasStatement(use.sourceStatement),
          behindHandle: !recalled && readable.hasHandleOf(use.reference),
        });
      });
    },
    lost(reply) {
      artifacts.atCall(prepared.ordinalOf(reply) ?? 0, "lost");
      return prepared.usesOf(reply).map((use) => count({ use, lostAtCall: null, ...NOTHING_FOUND }));
    },
    result: () => ({ all: all.total(), far: far.total(), compactedAway: compactedAway.total(), artifacts: artifacts.result() }),
  };
}

/** What of a use the context held. */
export interface Found {
  readonly recalled: boolean;
  readonly evidenced: boolean;
  readonly sourceEvidenced: boolean;
  readonly behindHandle: boolean;
}

const NOTHING_FOUND: Found = { recalled: false, evidenced: false, sourceEvidenced: false, behindHandle: false };

function createTally(): { add(found: Found): void; total(): RetentionCount } {
  let uses = 0;
  let recalled = 0;
  let evidenced = 0;
  let sourceEvidenced = 0;
  let behindHandle = 0;
  return {
    add(found) {
      uses += 1;
      if (found.recalled) recalled += 1;
      if (found.evidenced) evidenced += 1;
      if (found.sourceEvidenced) sourceEvidenced += 1;
      if (found.behindHandle) behindHandle += 1;
    },
    total: () => ({ uses, recalled, evidenced, sourceEvidenced, behindHandle }),
  };
}
