import type { Message } from "@plimsoll/core";
import type { PreparedReferences } from "../references/prepare.ts";
import type { ReferenceUse } from "../references/recorded-history.ts";
import { FAR_TOKENS } from "../references/recorded-history.ts";
import type { RetentionCount, RetentionMetrics } from "../results.ts";
import { createArtifactProbe } from "./artifacts.ts";
import { createReadableContext } from "./readable.ts";

/** Asks at every recorded call what of the references in its reply the sent context still held. */
export interface RetentionProbe {
  /** A call that was sent: `context` without the reply. */
  atCall(call: number, reply: Message, context: readonly Message[]): void;
  /** A call that could not be sent: all its uses count, and none of them could be read. */
  lost(call: number, reply: Message): void;
  result(): RetentionMetrics;
}

/** Hears of every use: whether its source was readable, and otherwise at which call that was lost (`null`: not known). */
export type UseListener = (heard: {
  readonly call: number;
  readonly use: ReferenceUse;
  readonly sourceEvidenced: boolean;
  readonly lostAtCall: number | null;
}) => void;

/**
 * Retention at use over one replay. System text and tool schemas are not looked at, for every request sends them. Far uses and uses
 * whose introduction the recorded agent had compacted away are counted among all uses and once more apart.
 */
export function createRetentionProbe(prepared: PreparedReferences, onUse: UseListener = () => {}): RetentionProbe {
  const readable = createReadableContext(prepared);
  const all = createTally();
  const far = createTally();
  const compactedAway = createTally();
  const artifacts = createArtifactProbe(prepared);
  const count = (use: ReferenceUse, found: Found) => {
    all.add(found);
    if (use.distanceTokens >= FAR_TOKENS) far.add(found);
    if (use.isCompactedAway) compactedAway.add(found);
  };
  return {
    atCall(call, reply, context) {
      readable.show(context, call);
      const ordinal = prepared.ordinalOf(reply) ?? 0;
      artifacts.atCall(ordinal, readable);
      for (const use of prepared.usesOf(reply)) {
        const recalled = readable.hasReference(use.reference);
        const sourceEvidenced = readable.hasStatement(use.sourceStatement);
        onUse({ call, use, sourceEvidenced, lostAtCall: readable.lostAtCall(use.sourceStatement) });
        count(use, {
          recalled,
          evidenced: readable.hasStatementOf(use.reference, ordinal),
          sourceEvidenced,
          behindHandle: !recalled && readable.hasHandleOf(use.reference),
        });
      }
    },
    lost(call, reply) {
      artifacts.atCall(prepared.ordinalOf(reply) ?? 0, null);
      for (const use of prepared.usesOf(reply)) {
        onUse({ call, use, sourceEvidenced: false, lostAtCall: null });
        count(use, NOTHING_FOUND);
      }
    },
    result: () => ({ all: all.total(), far: far.total(), compactedAway: compactedAway.total(), artifacts: artifacts.result() }),
  };
}

/** What of a use the context held. */
interface Found {
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
