/**
 * The text of the user that encoding adds before the assistant can go on, as at the beginning: the one place for its words, so that it can be counted.
 * Chosen: it names the event and asks for nothing.
 */
export const FIRST_MESSAGE_NOTICE = "[The conversation continues from an earlier point.]";

/** The text of the assistant that encoding adds between results and the user if a server wants an answer there. Chosen: it claims nothing. */
export const RESULTS_NOTICE = "[Results received.]";

/** The speaker of a message: "system" is outside of the turns, and holds the agent's declarations. */
type TurnRole = "user" | "assistant" | "tool" | "system";

/** How messages of one wire are distinguished, made and joined. */
export interface TurnRules<Item> {
  readonly roleOf: (item: Item) => TurnRole;
  /** The last role of an item that holds more than one; its role by default. */
  readonly endOf?: (item: Item) => TurnRole;
  readonly said: (role: "user" | "assistant", text: string) => Item;
  /** Joins two messages of one role; `null` if that is impossible. */
  readonly join: (first: Item, second: Item) => Item | null;
  /** Whether the user may speak right after results. */
  readonly userAfterTool: "accept" | "reject";
  /** True for a vendor's summary: it begins a list and joins nothing. Left out for wires without one. */
  readonly isSummary?: (item: Item) => boolean;
  /** The allowed places of the agent's declarations behind the beginning: anywhere by default, or by themselves behind the user and before the assistant. */
  readonly system?: "anywhere" | "after-user";
}

/**
 * Puts user and assistant in turn, the user first: a fixed notice replaces a missing one, and neighbouring messages of the user are joined. Gives back
 * the same array if all are in turn; a message that is not joined keeps its identity.
 */
export function inTurn<Item>(items: readonly Item[], rules: TurnRules<Item>): readonly Item[] {
  const list = joinedStretches(
    items.map((item) => [item]),
    rules,
    "made",
  );
  return list.length === items.length && list.every((item, index) => item === items[index]) ? items : list;
}

/**
 * Stretches of messages as one list. Within a stretch they keep the caller's order; where two stretches meet, and at a beginning that was made, no
 * order of roles arises that turns do not have.
 */
export function joinedStretches<Item>(
  stretches: readonly (readonly Item[])[],
  rules: TurnRules<Item>,
  beginning: "own" | "made",
): Item[] {
  const list: Item[] = [];
  for (const [order, stretch] of stretches.entries()) {
    // Neighbours meet up to the first that is no declaration; where declarations follow the user, up to the second.
    let isMet = order === 0 && beginning === "own";
    for (const [index, item] of stretch.entries()) {
      if (isMet) list.push(item);
      else addInTurn(list, item, rules);
      const next = stretch[index + 1];
      const isOpen = rules.system === "after-user" && next !== undefined && rules.roleOf(next) === "system";
      isMet ||= rules.roleOf(item) !== "system" && !isOpen;
    }
  }
  return list;
}

/** Two messages of the agent as one: for forms with only text. */
export function joinedSystem<Message extends { readonly content: string }>(first: Message, second: Message): Message {
  return { ...first, ...second, content: `${first.content}\n${second.content}` };
}

function addInTurn<Item>(list: Item[], item: Item, rules: TurnRules<Item>): void {
  const { roleOf, endOf = roleOf, said, join, isSummary = () => false } = rules;
  const newest = list.at(-1);
  if (isSummary(item) || (newest !== undefined && isSummary(newest))) {
    list.push(item);
    return;
  }
  const role = roleOf(item);
  const at = list.findLastIndex((each) => roleOf(each) !== "system");
  const last = list[at];
  const before = last === undefined ? null : endOf(last);
  const place = role === "system" ? list.length - 1 : role === "user" && before === "user" ? at : -1;
  const together = list[place];
  const joined = together === undefined || roleOf(together) !== role ? null : join(together, item);
  if (joined !== null) {
    list.splice(place, 1);
    // A declaration between two messages of the user stays before the later one, unless it has to follow the user.
    list.splice(rules.system === "after-user" ? place : list.length, 0, joined);
    return;
  }
  if (role === "user" && before === "tool" && rules.userAfterTool === "reject") list.push(said("assistant", RESULTS_NOTICE));
  const needsUser =
    role === "assistant"
      ? before === null || before === "assistant"
      : role === "system" && rules.system === "after-user" && before !== "user";
  if (needsUser) list.push(said("user", FIRST_MESSAGE_NOTICE));
  list.push(item);
}
