import type { Message, SessionView } from "@plimsoll/core";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createEstimator, createWorkCounter } from "@plimsoll/core/build";
import { messageShares } from "../chat/context-table.ts";
import type { TokensOf } from "./compaction-loss.ts";

/** What fills a context, by kind and tool, in estimated tokens. */
export type Composition = ReadonlyMap<string, number>;

/** Keeps a composition up to date with a log that is folded. */
export interface CompositionCounter {
  readonly tokensOf: TokensOf;
  /** Counts one message more. */
  add(message: Message): void;
  /** Counts anew, after an edit. */
  recount(view: SessionView): void;
  now(): Composition;
}

/** A counter by the default policy's measure, uncalibrated. Each message is measured once. */
export function createCompositionCounter(): CompositionCounter {
  const { measure } = createEstimator(PLIMSOLL_POLICY.estimator, createWorkCounter());
  const sizes = new WeakMap<Message, number>();
  let kinds = new Map<string, number>();
  const tokensOf = (message: Message): number => {
    const known = sizes.get(message) ?? measure.messageTokens(message);
    sizes.set(message, known);
    return known;
  };
  const put = (what: string, tokens: number) => {
    if (tokens > 0) kinds.set(what, (kinds.get(what) ?? 0) + tokens);
  };
  const add = (message: Message) => {
    for (const { what, tokens } of messageShares(message, tokensOf(message))) put(what, tokens);
  };
  return {
    tokensOf,
    add,
    recount: (view) => {
      kinds = new Map();
      put("system", measure.textTokens(view.system));
      put("tools", view.tools.length === 0 ? 0 : measure.toolsTokens(view.tools));
      for (const message of view.messages) add(message);
    },
    now: () => new Map(kinds),
  };
}
