/** Calls that wait for results, in a walk over a list. Servers use ids again, so a result belongs to a call by place first, by id second. */
export interface WaitingCalls<Call> {
  /** Calls of one message, in order. */
  met(calls: readonly (readonly [callId: string, call: Call])[]): void;
  /** The call that a result answers: of the newest message that has one of this id waiting, the first; `null` if none waits. */
  answered(callId: string): Call | null;
  /** The newest call of this id, whether or not it waits; `null` if none was met. */
  newest(callId: string): Call | null;
  /** Calls of this id that wait, the oldest first. */
  left(callId: string): readonly Call[];
}

/** No call was met yet. */
export function createWaitingCalls<Call>(): WaitingCalls<Call> {
  const waiting = new Map<string, Call[][]>();
  const newest = new Map<string, Call>();
  return {
    met: (calls) => {
      const own = new Map<string, Call[]>();
      for (const [callId, call] of calls) {
        newest.set(callId, call);
        const together = own.get(callId);
        if (together !== undefined) {
          together.push(call);
          continue;
        }
        const first = [call];
        own.set(callId, first);
        const batches = waiting.get(callId);
        if (batches === undefined) waiting.set(callId, [first]);
        else batches.push(first);
      }
    },
    answered: (callId) => {
      const batches = waiting.get(callId);
      const call = batches?.at(-1)?.shift() ?? null;
      if (batches?.at(-1)?.length === 0) batches.pop();
      return call;
    },
    newest: (callId) => newest.get(callId) ?? null,
    left: (callId) => waiting.get(callId)?.flat() ?? [],
  };
}
