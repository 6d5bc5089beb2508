import type { Message } from "@plimsoll/core";
import { fileBegun } from "@plimsoll/core/extend";
import { ENCRYPTED_SUMMARY } from "../formats/codex/items.ts";

/** Names the kind of content that a message is: results by their tool, instructions by their file. */
export function contentKind(message: Message): string {
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  const [first] = message.parts;
  const text = first?.type === "text" ? first.text : "";
  if (message.origin === "summary") return text === ENCRYPTED_SUMMARY ? "encrypted summaries" : "summaries";
  if (message.origin === "notice") return "notices";
  if (message.role === "assistant") return "assistant";
  if (message.origin !== "injected") return "person";
  const file = fileBegun(text.trimStart().split("\n", 1)[0] ?? "");
  return file === null ? "injected" : `instructions of ${file.name}`;
}
