export type { ArrayCompactor, ArrayRequest, ConversationOf } from "./drop-in/array-compactor.ts";
export { createArrayCompactor } from "./drop-in/array-compactor.ts";
export type { CompactorOptions, ConversationContext, RequestFacts } from "./drop-in/request.ts";
export type { BeforeItems, Declaration, ObservedAnswer, WireArray } from "./drop-in/wire-array.ts";
export { declaredByRole, imageAt, replyDraft, resultDraft, textParts, userDraft, WHOLE_ITEMS } from "./drop-in/wire-array.ts";
export type { TurnRules } from "./wire/turns.ts";
