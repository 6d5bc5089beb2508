import type { UserMessage } from "@plimsoll/core";
import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";
import { textPart, type UserItem } from "../log-items.ts";

/** A text in the prompt as the user, as it is read; its author may become known later. */
type SaidItem = Omit<UserItem, "origin" | "parts"> & { origin: UserItem["origin"]; parts: UserItem["parts"] };

/** Joins the prompt's messages with the events that say which of them a person typed. */
interface TypedWords {
  takeSaid(said: readonly SaidItem[]): void;
  takeEvent(payload: Fields): void;
  /** Assigns each text to its author. */
  settle(): void;
}

/**
 * An event marks words that the person typed: `user_message`, or an item `UserMessage` of paginated rollouts (from 0.145; `UserMessageItem::message`
 * of codex-rs/protocol/src/items.rs joins its texts with nothing between). In a log with such items the person typed nothing else, even if a text
 * looks typed.
 */
export function createTypedWords(): TypedWords {
  const messages: (readonly SaidItem[])[] = [];
  const typed = new Set<string>();
  let hasItems = false;
  return {
    takeSaid: (said) => void messages.push(said),
    takeEvent: (payload) => {
      const item = payload.type === "item_completed" ? recordAt(payload, "item") : null;
      if (payload.type === "user_message") typed.add(keyOf([stringAt(payload, "message") ?? ""]));
      if (item?.type !== "UserMessage") return;
      hasItems = true;
      typed.add(keyOf(recordsAt(item, "content").map((part) => stringAt(part, "text") ?? "")));
    },
    settle: () => {
      const isTyped = (parts: UserMessage["parts"]) => typed.has(keyOf(textsIn(parts)));
      for (const said of messages) {
        const parts = said.flatMap((item) => typedParts(item.parts));
        const [first, ...others] = said;
        if (first !== undefined && isTyped(parts)) {
          first.origin = "human";
          first.parts = parts;
          for (const other of others) other.parts = [];
        } else if (hasItems)
          for (const item of said)
            if (item.origin === "human" && ![typedParts(item.parts), ...item.parts.map((part) => [part])].some(isTyped))
              item.origin = "injected";
      }
    },
  };
}

const IMAGE_MARK = /^\s*(?:<image name=[^>]*>|<\/image>)\s*$/;

/** The parts that were typed: their texts as one, without marks around images, and the images. */
function typedParts(parts: UserMessage["parts"]): UserMessage["parts"] {
  const typed = parts.filter((part) => part.type !== "text" || !IMAGE_MARK.test(part.text));
  const text = textsIn(typed).join("");
  return [...(text === "" ? [] : [textPart(text)]), ...typed.filter(({ type }) => type !== "text")];
}

function textsIn(parts: UserMessage["parts"]): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Equal for one text in both places: they join its parts differently. */
function keyOf(texts: readonly string[]): string {
  return texts.join("").replace(/\s+/g, "");
}
