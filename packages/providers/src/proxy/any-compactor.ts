import { isRecord, MAXIMUM_RECALL_CHARS, type recallArtifact } from "@plimsoll/core/extend";
import type { ArrayCompactor, ArrayRequest } from "../drop-in/array-compactor.ts";
import type { ConversationLog } from "../drop-in/array-conversations.ts";
import type { Fields } from "../fields.ts";

type FitRequest = Omit<ArrayRequest<never>, "answer"> & {
  /** Has the vendor summarise items, and gives its answer. */
  readonly compact?: (items: readonly Fields[]) => PromiseLike<unknown>;
};

/** Items to send, and facts that can be added to them later. */
export interface FittedItems {
  /** Items that nothing was done to are the request's own objects. */
  readonly items: readonly Fields[];
  /** Expected tokens of a request with them. */
  readonly expectedTokens: number;
  /** The id of the log that they go on. */
  readonly sessionId: string | null;
  /** Takes the measurement in the answer. */
  observe(answer: Fields): Promise<void>;
  /** Makes the items to send in their place after a failure; `null` if nothing new can be sent. */
  recover(thrown: unknown, recovery: number): Promise<FittedItems | null>;
}

/** A compactor over untyped items of a wire. */
export interface AnyCompactor extends Pick<ArrayCompactor<never, never>, "conversations" | "undo" | "close"> {
  fit(items: readonly Fields[], request: FitRequest): Promise<FittedItems>;
  logOf(items: readonly Fields[], request: FitRequest): Promise<ConversationLog>;
  /** A piece of a handle's text in the conversation of a key. */
  recall(handle: string, startChar: number, conversation: string): ReturnType<typeof recallArtifact>;
}

/** A typed compactor as one that takes outside data, whose items `isItem` recognises. */
export function anyCompactor<Item, Answer>(
  own: ArrayCompactor<Item, Answer>,
  isItem: (item: Fields) => item is Fields & Item,
): AnyCompactor {
  // The vendor's answers are read field by field, with any other fields.
  const isAnswer = (answer: Fields): answer is Fields & Answer => isRecord(answer);
  const fields = (items: readonly Item[]) => items.map((item) => (isRecord(item) ? item : {}));
  const fitted = (sent: readonly Item[]): FittedItems => ({
    items: fields(sent),
    expectedTokens: own.expectedTokens(sent) ?? 0,
    sessionId: own.sessionIdOf(sent),
    observe: async (answer) => {
      if (isAnswer(answer)) await own.observe(sent, answer);
    },
    recover: async (thrown, recovery) => {
      const next = await own.recover(sent, thrown, recovery);
      return next === null ? null : fitted(next);
    },
  });
  return {
    fit: async (items, { compact: ask, ...request }) => {
      const compact = ask === undefined ? {} : { compact: (own: Item[]) => ask(fields(own)) };
      return fitted(await own.fit(items.filter(isItem), { ...request, ...compact, oversized: "sent" }));
    },
    logOf: (items, request) => own.logOf(items.filter(isItem), request),
    recall: (handle, startChar, conversation) =>
      own.recall(handle, { startChar, maximumChars: MAXIMUM_RECALL_CHARS }, conversation),
    conversations: own.conversations,
    undo: own.undo,
    close: own.close,
  };
}
