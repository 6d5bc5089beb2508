import type { Message } from "@plimsoll/core";
import { partHandle } from "@plimsoll/core/extend";
import type { ContextChanges } from "../needs/needles.ts";
import type { PreparedReferences } from "../needs/recorded-references.ts";
import type { Holdings } from "../needs/statements.ts";
import { messageTexts } from "../needs/texts.ts";

/** The statements that can be read in a context that is followed. References and statements by number. */
export interface ReadableContext {
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
      for (const message of removed) count(counts, readingOf(known, message), -1);
      for (const message of added) count(counts, readingOf(known, message), 1);
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
function count(counts: Counts, { holdings, isRecorded, behindHandle }: Reading, step: 1 | -1): void {
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
