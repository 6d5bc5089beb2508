import type { Message } from "@plimsoll/core";
import type { ContextChanges } from "../needs/needles.ts";
import { FAR_TOKENS, type PreparedReferences, type ReferenceUse } from "../needs/recorded-references.ts";
import { type ArtifactMetrics, createArtifactProbe } from "./artifacts.ts";
import { createReadableContext, type ReadableContext } from "./readable.ts";

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
  const tallies: Tallies = { all: noUses(), far: noUses(), compactedAway: noUses() };
  const artifacts = createArtifactProbe(prepared);
  const readable = createReadableContext(prepared, artifacts.changed);
  return {
    atCall(call, reply, changes) {
      readable.follow(changes, call);
      const ordinal = prepared.ordinalOf(reply) ?? 0;
      artifacts.atCall(ordinal, "sent");
      const uses = prepared.usesOf(reply);
      return uses.length === 0 ? NO_USES : counted(foundIn(readable, uses, ordinal), tallies);
    },
    lost(reply) {
      artifacts.atCall(prepared.ordinalOf(reply) ?? 0, "lost");
      return counted(notFound(prepared.usesOf(reply)), tallies);
    },
    result: () => ({
      all: { ...tallies.all },
      far: { ...tallies.far },
      compactedAway: { ...tallies.compactedAway },
      artifacts: artifacts.result(),
    }),
  };
}

const NO_USES: readonly FoundUse[] = [];

// Functions of the module and loops: what is compiled of a closure is lost with its replay.

function foundIn(readable: ReadableContext, uses: readonly ReferenceUse[], ordinal: number): readonly FoundUse[] {
  const found: FoundUse[] = [];
  for (const use of uses) {
    const recalled = readable.hasReference(use.reference);
    found.push({
      use,
      lostAtCall: readable.lostAtCall(use.sourceStatement),
      recalled,
      evidenced: readable.hasStatementOf(use.reference, ordinal),
      sourceEvidenced: readable.hasStatement(use.sourceStatement),
      behindHandle: !recalled && readable.hasHandleOf(use.reference),
    });
  }
  return found;
}

function notFound(uses: readonly ReferenceUse[]): readonly FoundUse[] {
  const nothing = { lostAtCall: null, recalled: false, evidenced: false, sourceEvidenced: false, behindHandle: false };
  return uses.map((use) => ({ use, ...nothing }));
}

function counted(found: readonly FoundUse[], { all, far, compactedAway }: Tallies): readonly FoundUse[] {
  for (const each of found) {
    count(all, each);
    if (each.use.distanceTokens >= FAR_TOKENS) count(far, each);
    if (each.use.isCompactedAway) count(compactedAway, each);
  }
  return found;
}

type Tally = { -readonly [Key in keyof RetentionCount]: RetentionCount[Key] };

type Tallies = Readonly<Record<"all" | "far" | "compactedAway", Tally>>;

function noUses(): Tally {
  return { uses: 0, recalled: 0, evidenced: 0, sourceEvidenced: 0, behindHandle: 0 };
}

function count(into: Tally, found: Found): void {
  into.uses += 1;
  if (found.recalled) into.recalled += 1;
  if (found.evidenced) into.evidenced += 1;
  if (found.sourceEvidenced) into.sourceEvidenced += 1;
  if (found.behindHandle) into.behindHandle += 1;
}

/** The parts of a use that the context held. */
interface Found {
  readonly recalled: boolean;
  readonly evidenced: boolean;
  readonly sourceEvidenced: boolean;
  readonly behindHandle: boolean;
}
