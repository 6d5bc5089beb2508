import { type Fields, recordsAt, stringAt } from "../fields.ts";

/** A message that begins so is for Plimsoll, not for the model. */
export const TYPED_PREFIX = "plimsoll:";

/** A command that a person typed for Plimsoll as a message, such as `plimsoll: undo`. */
export type TypedWord =
  | { readonly kind: "undo" | "dropped" | "status" | "help" }
  /** The text to keep word for word; empty for the model's last text. */
  | { readonly kind: "keep"; readonly text: string };

/** The wish that a text is, which some agents put between quotation marks; `null` for a text without the prefix. */
export function typedWord(text: string): TypedWord | null {
  const trimmed = text.trim().replace(/^"(.*)"$/s, "$1");
  if (trimmed.slice(0, TYPED_PREFIX.length).toLowerCase() !== TYPED_PREFIX) return null;
  const wish = trimmed.slice(TYPED_PREFIX.length).trim();
  const kept = /^keep\b(?:\s+this\b)?[\s:,.]*/i.exec(wish);
  if (kept !== null) return { kind: "keep", text: wish.slice(kept[0].length) };
  if (/^undo\b/i.test(wish)) return { kind: "undo" };
  if (/^(what\b.*\bdrop|dropped\b)/i.test(wish)) return { kind: "dropped" };
  return { kind: /^status\b/i.test(wish) ? "status" : "help" };
}

/**
 * Reads the beginning of a person's words in an item of a wire; `null` for an item with tool results. An agent's own `<…>` blocks before it are passed over; later
 * text may be a file that was attached.
 */
export function saidIn(item: Fields): string | null {
  if (item.role !== "user" || (item.type !== undefined && item.type !== "message")) return null;
  const parts = [...recordsAt(item, "content"), ...recordsAt(item, "parts")];
  if (parts.some(({ type, functionResponse }) => type === "tool_result" || functionResponse !== undefined)) return null;
  const texts = [stringAt(item, "content"), ...parts.map((part) => stringAt(part, "text"))].filter((text) => text !== null);
  return texts.find((text) => !text.trimStart().startsWith("<")) ?? null;
}

/** How the items of a history are distinguished. */
export interface Speakers<Item> {
  readonly isModels: (item: Item) => boolean;
  /** True for an item in the user's role, by any author. */
  readonly isUsers: (item: Item) => boolean;
  /** The person's own words in an item; `null` for none. */
  readonly said: (item: Item) => string | null;
}

/** A history without the words for Plimsoll. */
export interface WithoutWords<Item> {
  readonly items: readonly Item[];
  /** The wish that has no answer yet; `null` for none. */
  readonly asked: TypedWord | null;
}

/** Takes out the words that a person typed for Plimsoll, with its answers: the model is sent a history without them. The model gets the texts to keep, too. */
export function withoutWords<Item>(all: readonly Item[], { isModels, isUsers, said }: Speakers<Item>): WithoutWords<Item> {
  const items: Item[] = [];
  let asked: TypedWord | null = null;
  for (const item of all) {
    const typed = typedWord(said(item) ?? "");
    if (typed !== null && typed.kind !== "keep") asked = typed;
    else if (asked === null || !isModels(item)) {
      if (typed !== null || isUsers(item)) asked = null;
      items.push(item);
    }
  }
  return { items, asked };
}

/** The texts that a person wants kept, each once: after the prefix, else the model's text before. */
export function keptTexts(said: readonly { readonly by: "person" | "model"; readonly text: string }[]): readonly string[] {
  const texts = said.flatMap(({ by, text }, index) => {
    const typed = by === "person" ? typedWord(text) : null;
    if (typed?.kind !== "keep") return [];
    return [typed.text === "" ? (said.slice(0, index).findLast((each) => each.by === "model")?.text ?? "") : typed.text];
  });
  return [...new Set(texts.filter((text) => text !== ""))];
}
