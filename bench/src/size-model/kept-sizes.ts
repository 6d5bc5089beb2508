import type { Message, SessionEntry } from "@plimsoll/core";
import { type NumberLists, numberLists, numbersAt } from "../references/number-lists.ts";
import type { SizeStep, SizesSet } from "./message-sizes.ts";
import { type RecordedCall, recordedCalls } from "./recorded-calls.ts";
import type { FittedSizes } from "./size-model.ts";

/** What a size model is made from beside its log, as plain data. Messages are numbered as the recorded calls first sent them. */
export interface KeptSizes extends Omit<FittedSizes, "calls" | "sizesSet"> {
  /** By message: the calls from which its sizes hold. */
  readonly stepCalls: NumberLists;
  /** The sizes, in the order of all these calls. */
  readonly stepTokens: Float64Array;
  /** By message: the calls at which what is sent of it changed. */
  readonly changes: NumberLists;
  readonly resizedAt: ReadonlySet<number>;
}

/** What was fitted, as plain data. */
export function keptSizes({ calls, sizesSet, ...numbers }: FittedSizes): KeptSizes {
  const messages = sentMessages(calls);
  const steps = messages.map((message) => sizesSet.steps.get(message) ?? []);
  return {
    ...numbers,
    stepCalls: numberLists(steps.map((list) => list.map(({ fromCall }) => fromCall))),
    stepTokens: Float64Array.from(steps.flatMap((list) => list.map(({ tokens }) => tokens))),
    changes: numberLists(messages.map((message) => [...(sizesSet.changes.get(message) ?? [])])),
    resizedAt: sizesSet.resizedAt,
  };
}

/** What was fitted to a log, from what was kept of it. The calls are read off the log when they are asked for first. */
export function openSizes(kept: KeptSizes, entries: readonly SessionEntry[]): FittedSizes {
  let calls: readonly RecordedCall[] | null = null;
  const callsOf = () => {
    calls ??= recordedCalls(entries);
    return calls;
  };
  return {
    ...kept,
    get calls() {
      return callsOf();
    },
    get sizesSet() {
      return sizesSetOf(kept, sentMessages(callsOf()));
    },
  };
}

function sizesSetOf({ stepCalls, stepTokens, changes, resizedAt }: KeptSizes, messages: readonly Message[]): SizesSet {
  const steps = new Map<Message, SizeStep[]>();
  const changed = new Map<Message, Set<number>>();
  for (const [number, message] of messages.entries()) {
    const start = stepCalls.ends[number - 1] ?? 0;
    const list = Array.from(numbersAt(stepCalls, number), (fromCall, place) => ({
      fromCall,
      tokens: stepTokens[start + place] ?? 0,
    }));
    if (list.length > 0) steps.set(message, list);
    const at = numbersAt(changes, number);
    if (at.length > 0) changed.set(message, new Set(at));
  }
  return { steps, changes: changed, resizedAt: new Set(resizedAt) };
}

function sentMessages(calls: readonly RecordedCall[]): readonly Message[] {
  return [...new Set(calls.flatMap(({ newMessages }) => newMessages))];
}
