import { PlimsollError } from "../error.ts";
import type { UserMessage } from "../message/message.ts";
import type { UserInput } from "./agent.ts";

/**
 * What a person sends, as a message without an id.
 *
 * @throws PlimsollError `bad-input` where nothing in it can be sent.
 */
export function userDraft(input: UserInput, atMs: number): Omit<UserMessage, "id"> {
  const parts = typeof input === "string" ? [{ type: "text", text: input } as const] : input;
  const kept = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (kept.length === 0) throw new PlimsollError("bad-input", "a message needs text or an image");
  return { role: "user", origin: "human", parts: kept, atMs };
}
