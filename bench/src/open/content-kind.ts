import type { Message } from "@plimsoll/core";
import { fileBegun } from "@plimsoll/core/extend";

/** Names the kind of content that a message is: results by their tool, instructions by their file. */
export function contentKind(message: Message): string {
  if (message.role === "tool-result") return `results of ${message.toolName}`;
  if (message.origin === "summary") return "summaries";
  if (message.origin === "notice") return "notices";
  if (message.role === "assistant") return "assistant";
  if (message.origin !== "injected") return "person";
  const [first] = message.parts;
  const file = first?.type === "text" ? fileBegun(first.text.trimStart().split("\n", 1)[0] ?? "") : null;
  return file === null ? "injected" : `instructions of ${file.name}`;
}
