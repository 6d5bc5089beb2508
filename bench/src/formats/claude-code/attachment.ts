import { contentParts } from "../content-parts.ts";
import { type Fields, recordAt, stringAt, stringsAt } from "../fields.ts";
import { textPart, type UserItem } from "../log-items.ts";

/** Attachments that only the person sees, and those whose text stands elsewhere in the log. */
const UNSENT_TYPES = ["hook_system_message", "hook_cancelled", "hook_non_blocking_error", "hook_permission_decision"] as const;

/** Fields that hold what an attachment puts before the model, in the order in which they are joined. */
const TEXT_KEYS = ["content", "snippet", "prompt", "message", "stdout"] as const;
const LIST_KEYS = ["content", "addedLines", "addedBlocks"] as const;

/**
 * What an `attachment` line (2.1.9x and later) puts before the model; `null` where that is nothing. A queued command is what the
 * person typed meanwhile; all others are the agent's own. The log has the attachment's data, not the words around it that are sent.
 */
export function attachmentItemOf(
  line: Fields,
  place: { line: number; sourceId: string | null; atMs: number | null },
): UserItem | null {
  const attachment = recordAt(line, "attachment");
  const type = stringAt(attachment, "type") ?? "";
  if (attachment === null || UNSENT_TYPES.some((unsent) => unsent === type)) return null;
  if (type === "queued_command") return queuedCommand(attachment, place);
  const text = type === "hook_success" ? (stringAt(attachment, "content") ?? "") : attachmentText(attachment);
  return text.trim() === "" ? null : { kind: "user", origin: "injected", parts: [textPart(text)], ...place };
}

function queuedCommand(attachment: Fields, place: { line: number; sourceId: string | null; atMs: number | null }): UserItem {
  const mode = stringAt(attachment, "commandMode");
  const origin = mode === null || mode === "prompt" ? "human" : mode === "bash" ? "command" : "injected";
  return { kind: "user", origin, parts: contentParts(attachment.prompt), ...place };
}

function attachmentText(attachment: Fields): string {
  const file = recordAt(recordAt(attachment, "content"), "file");
  const texts = TEXT_KEYS.flatMap((key) => stringAt(attachment, key) ?? []).slice(0, 1);
  const lists = LIST_KEYS.flatMap((key) => stringsAt(attachment, key));
  return [...(stringAt(file, "content") === null ? [] : [stringAt(file, "content")]), ...texts, ...lists].join("\n");
}
