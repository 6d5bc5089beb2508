import type { Message, SessionView } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import { addTo } from "../needs/statements.ts";

/** A size of a message, and the call from which it holds. */
export interface SizeStep {
  readonly fromCall: number;
  readonly tokens: number;
}

/** Sizes of messages over the calls of a session: a size holds from the call at which it was set until the next one. */
export interface MessageSizes {
  set(message: Message, fromCall: number, tokens: number): void;
  /** Notes that the sent form of the message differs from the one sent before, so that a prompt cache ends there. */
  change(message: Message, call: number): void;
  /** The size at a call; of a message that enters later its first size. `undefined` for a message that was never set. */
  at(message: Message, call: number): number | undefined;
  /** All sizes in the order in which they hold. */
  stepsOf(message: Message): readonly SizeStep[];
  first(message: Message): number | undefined;
  /** The messages whose size, set before, holds no longer from this call on. */
  resizedAt(call: number): readonly Message[];
  /** The messages whose sent form changed at this call. */
  changedAt(call: number): readonly Message[];
  latest(message: Message): number | undefined;
}

/** Sizes without any set yet. */
export function createMessageSizes(): MessageSizes {
  const steps = new Map<Message, SizeStep[]>();
  const [resized, changed] = [new Map<number, Message[]>(), new Map<number, Message[]>()];
  return {
    resizedAt: (call) => resized.get(call) ?? [],
    changedAt: (call) => changed.get(call) ?? [],
    change: (message, call) => {
      addTo(changed, call, message);
    },
    set: (message, fromCall, tokens) => {
      if (steps.has(message)) addTo(resized, fromCall, message);
      addTo(steps, message, { fromCall, tokens });
    },
    at: (message, call) => {
      const known = steps.get(message);
      return (known?.findLast(({ fromCall }) => fromCall <= call) ?? known?.[0])?.tokens;
    },
    stepsOf: (message) => steps.get(message) ?? [],
    first: (message) => steps.get(message)?.[0]?.tokens,
    latest: (message) => steps.get(message)?.at(-1)?.tokens,
  };
}

/** Whose compactions shaped the history that is priced: the recorded agent's, or none of them. */
export type HistoryKind = "recorded" | "own";

/** Sizes requests. */
export interface RequestSizes {
  /** The size of one message at a call (from 0); messages that are not of the recording are priced by the fitted weights. */
  messageTokens(message: Message, call: number): number;
  /** The recorded messages whose size changes at this call. */
  resizedAt(call: number): readonly Message[];
  /**
   * Tokens in addition to the messages at a call: the epoch's overhead and the tokens carried with it (hidden events). It equals the reported prompt
   * less the recorded messages exactly for `recorded`. `own` keeps the overhead from before each recorded compaction.
   */
  nonMessageTokens(call: number, history: HistoryKind): number;
}

/** The messages of one replay's requests with their sizes. Work follows the messages that came and those that were resized, not the length of a request. */
export interface SizedMessages {
  /** Sizes them as of a call, which is none before an earlier one's. Those that do not go on from the messages before are sized anew. */
  follow(call: number, messages: SessionView["messages"]): void;
  /** Sizes them as of a call, and takes more. */
  take(call: number, more: readonly Message[]): void;
  clear(): void;
  /** The place of a message; -1 if it is not among them. */
  placeOf(message: Message): number;
  /** Tokens of so many messages from the first; of all if the count is left out. */
  tokens(count?: number): number;
  /** The largest count of messages from the first that have at most so many tokens; -1 for a negative number. */
  countWithin(tokens: number): number;
}

/** No messages yet. */
export function sizedMessages({ messageTokens, resizedAt }: Pick<RequestSizes, "messageTokens" | "resizedAt">): SizedMessages {
  let at = 0;
  let followed = sequenceOf<Message>();
  const [messages, sizes, sums]: [Message[], number[], number[]] = [[], [], []];
  /** The last place of an id, and of each place the one before it with the same id: an edited message has the id of the recorded one. */
  const [places, earlier]: [Map<string, number>, number[]] = [new Map(), []];
  const add = (from: number, tokens: number) => {
    for (let place = from; place < sums.length; place |= place + 1) sums[place] = (sums[place] ?? 0) + tokens;
  };
  const moveTo = (call: number) => {
    while (at < call) {
      at += 1;
      for (const { id } of messages.length === 0 ? [] : resizedAt(at))
        for (let place = places.get(id) ?? -1; place >= 0; place = earlier[place] ?? -1) {
          const message = messages[place];
          const tokens = message === undefined ? 0 : messageTokens(message, call);
          add(place, tokens - (sizes[place] ?? 0));
          sizes[place] = tokens;
        }
    }
    at = call;
  };
  const push = (message: Message) => {
    const place = messages.length;
    const tokens = messageTokens(message, at);
    messages.push(message);
    sizes.push(tokens);
    earlier.push(places.get(message.id) ?? -1);
    places.set(message.id, place);
    let sum = tokens;
    for (let child = place - 1; child >= (place & (place + 1)); child = (child & (child + 1)) - 1) sum += sums[child] ?? 0;
    sums.push(sum);
  };
  const clear = () => {
    messages.length = sizes.length = sums.length = earlier.length = 0;
    places.clear();
  };
  const take = (call: number, more: readonly Message[]) => {
    moveTo(call);
    for (const message of more) push(message);
  };
  return {
    clear,
    take,
    follow: (call, now) => {
      if (!now.goesOnFrom(followed)) clear();
      take(call, now.slice(messages.length));
      followed = now;
    },
    placeOf: (message) => {
      let place = places.get(message.id) ?? -1;
      while (place >= 0 && messages[place] !== message) place = earlier[place] ?? -1;
      return place;
    },
    tokens: (count = messages.length) => {
      let sum = 0;
      for (let place = count - 1; place >= 0; place = (place & (place + 1)) - 1) sum += sums[place] ?? 0;
      return sum;
    },
    countWithin: (tokens) => {
      if (tokens < 0) return -1;
      let [count, left] = [0, tokens];
      for (let step = 2 ** Math.floor(Math.log2(Math.max(1, messages.length))); step >= 1; step /= 2) {
        const sum = sums[count + step - 1] ?? Number.POSITIVE_INFINITY;
        if (sum > left) continue;
        count += step;
        left -= sum;
      }
      return count;
    },
  };
}
