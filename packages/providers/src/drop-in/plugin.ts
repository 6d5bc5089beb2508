import { type ModelLimits, PLIMSOLL_POLICY } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { afterUndoWords, isUndone, keptState, shortCount, wishAnswer } from "./person-wishes.ts";
import type { CompactorOptions, ConversationContext } from "./request.ts";
import type { TypedWord } from "./typed-words.ts";
import type { WireArray } from "./wire-array.ts";

/** Options of a plugin, whose host knows the model and the limits of each request. */
export type PluginOptions = Partial<Omit<CompactorOptions, "limits" | "limitsOf" | "model">>;

/** Facts of a request that its host knows; the window is `null` if it states none. */
interface PluginRequest {
  readonly conversation: string;
  readonly modelId: string | null;
  readonly limits: ModelLimits;
}

/** The compaction of a plugin, whose hook cannot send a request again. */
interface Plugin<Item> {
  fit(items: readonly Item[], request: PluginRequest): Promise<Item[]>;
  /** Answers words that a person typed about the conversation of a key that was used last. */
  answer(word: TypedWord, key: string): Promise<string>;
}

/** The window if a host states none of its model; chosen, the smallest that hosts work in. */
export const UNKNOWN_WINDOW_TOKENS = 32_000;

/**
 * Share of the window that may be filled where an overflow cannot be mended: estimates are off by little once a step was reported. Over 200 steps the
 * worst of all presets was off by 0.1% of the window; chosen with room.
 */
const UNMENDED_WINDOW_RATIO = 0.98;

/** Makes the compaction of a plugin. It keeps the texts that a person wants kept, and holds cuts off after an undo. */
export function createPlugin<Item, Answer>(wire: WireArray<Item, Answer>, options: PluginOptions): Plugin<Item> {
  option.check("a plugin", option.object, options);
  const logOf = (id: string) => compactor.conversations().find(({ sessionId }) => sessionId === id);
  const entriesOf = (id: string) => logOf(id)?.entries ?? [];
  const context = (key: string, sessionId: string): ConversationContext => {
    const given = options.context?.(key, sessionId) ?? {};
    return {
      ...given,
      stateProviders: [...(given.stateProviders ?? []), () => keptState(entriesOf(sessionId))],
      beforeCompaction: async (notice, signal) => {
        if (notice.reason === "threshold" && isUndone(entriesOf(sessionId))) return { kind: "cancel", why: "undone" };
        return (await given.beforeCompaction?.(notice, signal)) ?? { kind: "go" };
      },
    };
  };
  const unknown = { contextWindowTokens: UNKNOWN_WINDOW_TOKENS, maxOutputTokens: null };
  const own = { policy: PLIMSOLL_POLICY, ...options, context, limits: unknown };
  const compactor: ArrayCompactor<Item, Answer> = createArrayCompactor(wire, own);
  return {
    fit: (items, { conversation, modelId, limits }) => {
      const windowTokens = limits.contextWindowTokens ?? UNKNOWN_WINDOW_TOKENS;
      const within = { ...limits, contextWindowTokens: Math.floor(windowTokens * UNMENDED_WINDOW_RATIO) };
      const named = modelId === null ? {} : { modelId };
      return compactor.fit(items, { oversized: "sent", limits: within, conversation, ...named });
    },
    answer: async (word, key) => {
      const log = compactor.conversations().find((each) => each.key === key);
      if (log === undefined)
        return "Nothing was said in this conversation since it was opened, so there is nothing to report or undo.";
      const { entries, sessionId, expectedTokens } = log;
      const status = `About ${shortCount(expectedTokens)} tokens of this conversation are sent.`;
      const undo = async () => {
        await compactor.undo(sessionId);
        return afterUndoWords(logOf(sessionId));
      };
      return await wishAnswer(word, { entries, status, undo });
    },
  };
}
