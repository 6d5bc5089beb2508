/**
 * What encoding puts where the user has to speak before the assistant can go on, as at the beginning: the one place for its words, so that it can be
 * counted. Chosen: it says what happened and asks for nothing.
 */
export const FIRST_MESSAGE_NOTICE = "[The conversation continues from an earlier point.]";

/** What encoding puts between results and the user if a server wants the assistant's answer there. Chosen: it claims nothing. */
export const RESULTS_NOTICE = "[Results received.]";

/** How messages of one wire are told apart, made and joined. */
export interface TurnRules<Item> {
  /** "other" for what stands outside of the turns, as system text does. */
  readonly roleOf: (item: Item) => "user" | "assistant" | "tool" | "other";
  readonly said: (role: "user" | "assistant", text: string) => Item;
  /** Two messages of the user as one. */
  readonly join: (first: Item, second: Item) => Item;
  /** Whether the user may speak right after results. */
  readonly userAfterTool: "accept" | "reject";
}

/**
 * The messages with user and assistant in turn, the user first: fixed notices stand where one of them is missing, neighbours of the user are joined.
 * What is in turn already comes back as it is; every message that is not joined keeps its identity.
 */
export function inTurn<Item>(items: readonly Item[], rules: TurnRules<Item>): readonly Item[] {
  const list: Item[] = [];
  let before: "user" | "assistant" | "tool" | null = null;
  for (const item of items) {
    const role = rules.roleOf(item);
    const last = list.at(-1);
    if (role === "user" && before === "user" && last !== undefined) {
      list.splice(-1, 1, rules.join(last, item));
      continue;
    }
    if (role === "assistant" && (before === null || before === "assistant"))
      list.push(rules.said("user", FIRST_MESSAGE_NOTICE));
    if (role === "user" && before === "tool" && rules.userAfterTool === "reject")
      list.push(rules.said("assistant", RESULTS_NOTICE));
    list.push(item);
    if (role !== "other") before = role;
  }
  return list.length === items.length && list.every((item, index) => item === items[index]) ? items : list;
}
