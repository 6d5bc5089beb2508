import type { Message } from "@plimsoll/core";
import { partHandle } from "@plimsoll/core/extend";
import type { ContextChanges } from "../needs/needles.ts";
import { FAR_TOKENS, type PreparedReferences, type ReferenceUse, type TouchedFile } from "../needs/recorded-references.ts";
import type { Holdings } from "../needs/statements.ts";
import { messageTexts } from "../needs/texts.ts";

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

/** Files that the session had touched before a call, summed over the calls; a ratio is `named / files`. */
interface ArtifactCount {
  readonly files: number;
  /** Those whose path the context that the policy sent still names. */
  readonly named: number;
}

/** Artifact recall: files only read so far, and files modified so far. */
interface ArtifactMetrics {
  readonly read: ArtifactCount;
  readonly modified: ArtifactCount;
}

/** Asks at every call which of the files that were touched before it the context still names. */
interface ArtifactProbe {
  /** A reference can be read in the context from now on, or no longer. */
  changed(reference: number, isReadable: boolean): void;
  /** A call before the message at `ordinal`; one that could not be sent names nothing. */
  atCall(ordinal: number, outcome: "sent" | "lost"): void;
  result(): ArtifactMetrics;
}

type Access = TouchedFile["access"];

/**
 * Artifact recall over one replay: a file is named if the path stands as the call gave it. A file that was read and later
 * modified counts as modified from then on. Work at a call follows the files that were touched since the call before.
 */
function createArtifactProbe({ touchedFiles }: Pick<PreparedReferences, "touchedFiles">): ArtifactProbe {
  const readable = new Set<number>();
  const accessOf = new Map<number, Access>();
  const now = { read: emptyCount(), modify: emptyCount() };
  const sum = { read: emptyCount(), modify: emptyCount() };
  let next = 0;
  const count = (reference: number, access: Access, by: 1 | -1) => {
    now[access].files += by;
    if (readable.has(reference)) now[access].named += by;
  };
  const follow = (ordinal: number) => {
    for (let file = touchedFiles[next]; file !== undefined && file.ordinal < ordinal; file = touchedFiles[next]) {
      next += 1;
      const { reference, access } = file;
      const before = accessOf.get(reference);
      if (before === access || before === "modify") continue;
      if (before !== undefined) count(reference, before, -1);
      count(reference, access, 1);
      accessOf.set(reference, access);
    }
  };
  return {
    changed(reference, isReadable) {
      if (isReadable) readable.add(reference);
      else readable.delete(reference);
      const access = accessOf.get(reference);
      if (access !== undefined) now[access].named += isReadable ? 1 : -1;
    },
    atCall(ordinal, outcome) {
      follow(ordinal);
      for (const access of ["read", "modify"] as const) {
        sum[access].files += now[access].files;
        if (outcome === "sent") sum[access].named += now[access].named;
      }
    },
    result: () => ({ read: { ...sum.read }, modified: { ...sum.modify } }),
  };
}

function emptyCount(): { -readonly [Key in keyof ArtifactCount]: ArtifactCount[Key] } {
  return { files: 0, named: 0 };
}

/** The statements that can be read in a context that is followed. References and statements by number. */
interface ReadableContext {
  /** Follows the messages that came and went at the next call. Each message is read once. */
  follow(changes: ContextChanges, call: number): void;
  hasReference(reference: number): boolean;
  /** True if the context names the handle of a recorded message that held the reference. */
  hasHandleOf(reference: number): boolean;
  hasStatement(statement: number): boolean;
  /** The call at which a statement that cannot be read was gone first; `null` if it was never in a context, or still is. */
  lostAtCall(statement: number): number | null;
  /** True if some statement of the reference that was first made before the message at `ordinal` is readable. */
  hasStatementOf(reference: number, ordinal: number): boolean;
}

/** A context without messages, over one session's references. `changed` is told of each reference that can be read from now on, or no longer. */
export function createReadableContext(
  prepared: PreparedReferences,
  changed: (reference: number, isReadable: boolean) => void = () => undefined,
): ReadableContext {
  const { index } = prepared;
  const referenceCount = new Int32Array(prepared.references.length);
  const recordedCount = new Int32Array(prepared.references.length);
  const handleCount = new Int32Array(prepared.references.length);
  const statementCount = new Int32Array(index.statementCount());
  const lostAt = new Int32Array(index.statementCount()).fill(-1);
  const counts = { referenceCount, recordedCount, handleCount, statementCount, changed };
  const known: Known = { prepared, readings: new WeakMap() };
  return {
    follow({ removed, added }, call) {
      for (const message of removed) change(counts, readingOf(known, message), -1);
      for (const message of added) change(counts, readingOf(known, message), 1);
      for (const message of removed) {
        for (const statement of readingOf(known, message).holdings.statements) {
          if (at(statementCount, statement) === 0) lostAt[statement] = call;
        }
      }
    },
    hasReference: (reference) => at(referenceCount, reference) > 0,
    hasHandleOf: (reference) => at(handleCount, reference) > 0,
    hasStatement: (statement) => at(statementCount, statement) > 0,
    lostAtCall: (statement) => {
      const call = lostAt[statement] ?? -1;
      return call < 0 || at(statementCount, statement) > 0 ? null : call;
    },
    hasStatementOf(reference, ordinal) {
      if (at(recordedCount, reference) > 0) return true;
      for (const statement of index.statementsOf(reference)) {
        if (at(statementCount, statement) > 0 && (index.statement(statement)?.firstOrdinal ?? ordinal) < ordinal) return true;
      }
      return false;
    },
  };
}

/** How many messages of the context hold what, by number. */
interface Counts {
  readonly referenceCount: Int32Array;
  readonly recordedCount: Int32Array;
  readonly handleCount: Int32Array;
  readonly statementCount: Int32Array;
  readonly changed: (reference: number, isReadable: boolean) => void;
}

/** A function of the module, as the next one: what is compiled of a closure is lost with its replay. */
function change(counts: Counts, { holdings, isRecorded, behindHandle }: Reading, step: 1 | -1): void {
  const { referenceCount, recordedCount, handleCount, statementCount, changed } = counts;
  for (const reference of behindHandle) handleCount[reference] = at(handleCount, reference) + step;
  for (const reference of holdings.references) {
    const before = at(referenceCount, reference);
    referenceCount[reference] = before + step;
    if (before === 0 || before + step === 0) changed(reference, before === 0);
    if (isRecorded) recordedCount[reference] = at(recordedCount, reference) + step;
  }
  for (const statement of holdings.statements) statementCount[statement] = at(statementCount, statement) + step;
}

/** The statements that were read of messages. */
interface Known {
  readonly prepared: PreparedReferences;
  readonly readings: WeakMap<Message, Reading>;
}

function readingOf({ prepared, readings }: Known, message: Message): Reading {
  const before = readings.get(message);
  if (before !== undefined) return before;
  const recorded = prepared.recordedHoldings(message);
  const behindHandle = recorded === null && namesOwnHandle(message) ? prepared.originalHoldings(message.id) : null;
  const reading: Reading = {
    holdings: recorded ?? prepared.scannedHoldings(message),
    isRecorded: recorded !== null,
    behindHandle: behindHandle?.references ?? [],
  };
  readings.set(message, reading);
  return reading;
}

/** A message's holdings. A recorded message states what it holds; another may hold a reference without a line that stated it. */
interface Reading {
  readonly holdings: Holdings;
  readonly isRecorded: boolean;
  /** References of the original of a shortened message that says how to get it back. */
  readonly behindHandle: readonly number[];
}

/** Stubs say a message's handle as `handle <its id>`. Cut output and dropped spans name none. */
function namesOwnHandle(message: Message): boolean {
  return messageTexts(message).some((text) => text.includes(`handle ${partHandle(message.id, 0)}`));
}

function at(counts: Int32Array, index: number): number {
  return counts[index] ?? 0;
}
