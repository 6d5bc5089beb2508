import type { SessionView, ToolSpec } from "@plimsoll/core";
import type { Attempt, ConversationRequest, FoundConversation, Rejection } from "@plimsoll/core/conversation";
import { sendWithRecovery } from "@plimsoll/core/conversation";
import type { Recalled, RecallRange } from "@plimsoll/core/internal";
import { recoveriesOf } from "@plimsoll/core/internal";
import { rejectionIn } from "../client/failure.ts";
import type { ArrayConversations, CompactorOptions, ConversationLog, FittedLog, RequestFacts } from "./array-conversations.ts";
import { createArrayConversations } from "./array-conversations.ts";
import type { ItemGroup, ReadGroups } from "./array-items.ts";
import { createIsUntouched, createMended, itemsOf, readGroups } from "./array-items.ts";
import type { WireArray } from "./wire-array.ts";

/** What a request sends in addition to its array, and whose conversation it is. */
export interface ArrayRequest<Answer> extends RequestFacts {
  /** System text that is not in the array. */
  readonly system?: string;
  readonly tools?: readonly ToolSpec[];
  /** The caller's name for the conversation, a user's or a thread's id. Without it the history tells. */
  readonly conversation?: string;
  /** The answer that the array's newest reply was made of, for callers that do not `observe`. */
  readonly answer?: Answer;
}

/** A conversation, by the caller's key or by an array: the caller's whole one, or one that was made to be sent. */
export type ConversationOf<Item> = string | readonly Item[];

/** Compacts arrays that their callers keep whole and resend at each call. One serves any number of conversations at once. */
export interface ArrayCompactor<Item, Answer> {
  /** The array to send in place of the whole one. Items that nothing was done to are the caller's own. */
  fit(items: readonly Item[], request?: ArrayRequest<Answer>): Promise<Item[]>;
  /** Takes what a request measured that sent what `fit` or `recover` made. */
  observe(sent: readonly Item[], answer: Answer): Promise<void>;
  /**
   * Fits, calls, observes; if the vendor says that the prompt does not fit, compacts further and calls again as often as the policy allows.
   * Every other error reaches the caller as it came.
   */
  send<Own extends Answer>(
    items: readonly Item[],
    call: (items: Item[]) => PromiseLike<Own>,
    request?: ArrayRequest<Answer>,
  ): Promise<Own>;
  /**
   * What to send after `sent` failed: further compacted if the vendor said that the prompt does not fit and the policy allows it; `null` if
   * the failure is the caller's. `recovery` counts the attempts of one request from 0.
   */
  recover(sent: readonly Item[], thrown: unknown, recovery: number): Promise<Item[] | null>;
  /** A piece of what a notice's handle names in this conversation; `null` for a handle that it does not know. A tool of yours can offer it to the model. */
  recall(handle: string, range: RecallRange, of: ConversationOf<Item>): Promise<Recalled | null>;
  /** The conversations in memory with their logs, the one used last first. */
  conversations(): readonly ConversationLog[];
  /** Removes everything that is kept of a conversation with a key, in memory and in the store. */
  delete(conversation: string): Promise<void>;
  /** Releases all logs, after the work that is under way. */
  close(): Promise<void>;
}

/** What became an array to send, so that what follows is about the same conversation. */
interface SentArray<Item, Answer> {
  readonly array: ReadArray<Item>;
  readonly request: ArrayRequest<Answer>;
  readonly found: FoundConversation;
  readonly view: SessionView;
}

/** An array as it was read. */
interface ReadArray<Item> {
  readonly systemItems: readonly Item[];
  readonly groups: readonly ItemGroup<Item>[];
  readonly request: ConversationRequest;
}

/** A compactor over one kind of array. Messages are told by chain hash: the same history is found again, whoever made its objects. */
export function createArrayCompactor<Item, Answer>(
  wire: WireArray<Item, Answer>,
  options: CompactorOptions,
): ArrayCompactor<Item, Answer> {
  const logs: ArrayConversations = createArrayConversations(options);
  const known: ReadGroups<Item> = new WeakMap();
  const sentArrays = new WeakMap<readonly Item[], SentArray<Item, Answer>>();
  const isUntouched = createIsUntouched();
  const mended = createMended<Item>();

  const read = (items: readonly Item[], { system = "", tools = [], conversation }: ArrayRequest<Answer>): ReadArray<Item> => {
    const opening = wire.systemOf(items);
    const groups = readGroups(items.slice(opening.items.length), wire, known);
    const messages = groups.flatMap((group) => group.messages);
    const text = [opening.text, system].filter((each) => each !== "").join("\n");
    return {
      systemItems: mended(opening.items),
      groups,
      request: { key: conversation ?? null, system: text, tools, messages },
    };
  };
  /** The view as an array to send, remembered with what it was made from. */
  const written = (array: ReadArray<Item>, request: ArrayRequest<Answer>, { found, view }: FittedLog): Item[] => {
    const made = itemsOf(view.messages.slice(), { groups: array.groups, isUntouched, encode: wire.encode });
    const items = [...array.systemItems, ...wire.joined(mended(made))];
    sentArrays.set(items, { array, request, found, view });
    return items;
  };
  const fit = async (items: readonly Item[], request: ArrayRequest<Answer> = {}): Promise<Item[]> => {
    const array = read(items, request);
    const reported = request.answer === undefined ? null : wire.observed(request.answer);
    return written(array, request, await logs.fit(array.request, { ...request, reported }));
  };
  const observe = async (sent: readonly Item[], answer: Answer): Promise<void> => {
    const of = sentArrays.get(sent);
    const reported = wire.observed(answer);
    if (of !== undefined && reported !== null) await logs.report(of.found, of.view, reported);
  };
  const recoverFrom = async (sent: readonly Item[], rejection: Rejection, recovery: number): Promise<Item[] | null> => {
    const of = sentArrays.get(sent);
    if (of === undefined) return null;
    const { array, request, view } = of;
    const fitted = await logs.recover(array.request, { ...request, rejection, recovery, view });
    return fitted === null ? null : written(array, request, fitted);
  };
  return {
    fit,
    observe,
    recover: async (sent, thrown, recovery) => {
      const rejection = rejectionIn(thrown);
      const isOver = recovery >= recoveriesOf(options.policy);
      return rejection === null || isOver ? null : await recoverFrom(sent, rejection, recovery);
    },
    send: async <Own extends Answer>(
      items: readonly Item[],
      call: (items: Item[]) => PromiseLike<Own>,
      request: ArrayRequest<Answer> = {},
    ): Promise<Own> => {
      let sent = await fit(items, request);
      const attempt = async (): Promise<Attempt<Own, RejectedCall>> => {
        try {
          return { kind: "answered", answer: await call(sent) };
        } catch (error) {
          const rejection = rejectionIn(error);
          if (rejection === null) throw error;
          return { kind: "too-long", rejection: { ...rejection, error } };
        }
      };
      const end = await sendWithRecovery<Own, RejectedCall>({
        policy: options.policy,
        attempt,
        recover: async ({ recovery }, rejection) => {
          const next = await recoverFrom(sent, rejection, recovery);
          sent = next ?? sent;
          return next !== null;
        },
      });
      // An overflow is the engine's to mend; what it cannot mend is the caller's, as it came.
      if (end.kind === "too-long") throw end.rejection.error;
      // This request was answered: a report that could not be written is written with the next one, which fails if that cannot be, either.
      await observe(sent, end.answer).catch(() => undefined);
      return end.answer;
    },
    recall: async (handle, range, of) => {
      const found =
        typeof of === "string" ? of : (sentArrays.get(of)?.found ?? (await logs.holding(read(of, {}).request.messages)));
      return found === null ? null : await logs.recall(handle, range, found);
    },
    conversations: logs.all,
    delete: logs.delete,
    close: logs.close,
  };
}

interface RejectedCall extends Rejection {
  readonly error: unknown;
}
