import type { AppliedEdit, CompactionEntry, Message, SessionEntry } from "@plimsoll/core";
import { coverageOf, EMPTY_VIEW, entryIdOf, foldEntry } from "@plimsoll/core";

/** One compaction of a log, with what it took out. */
export interface CompactionStory {
  readonly entry: CompactionEntry;
  readonly isReverted: boolean;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly charsBefore: number;
  readonly charsAfter: number;
  /** What each edit did, in words. */
  readonly edits: readonly string[];
}

/** A line of a log's story. */
export type StoryLine =
  | { readonly kind: "turn"; readonly title: string; readonly atMs: number | null }
  | { readonly kind: "calls"; readonly requests: number; readonly toolCalls: number; readonly lastPromptTokens: number | null }
  | { readonly kind: "compaction"; readonly story: CompactionStory }
  | { readonly kind: "model"; readonly modelId: string };

/** What happened in a log, in order: turns, the model calls between, compactions and what each took out. */
export function sessionStory(entries: readonly SessionEntry[]): readonly StoryLine[] {
  const reverted = new Set(entries.flatMap((entry) => (entry.type === "revert" ? [entry.compactionId] : [])));
  const lines: StoryLine[] = [];
  let view = EMPTY_VIEW;
  let calls: CallCount = NO_CALLS;
  const flush = () => {
    if (calls.requests + calls.toolCalls > 0) lines.push({ kind: "calls", ...calls });
    calls = NO_CALLS;
  };
  for (const entry of entries) {
    const before = view.messages;
    view = foldEntry(view, entry);
    switch (entry.type) {
      case "message":
        if (entry.message.role === "user" && entry.message.origin === "human") {
          flush();
          lines.push({ kind: "turn", title: titleOf(entry.message), atMs: entry.message.atMs });
        } else if (entry.message.role === "tool-result") calls = { ...calls, toolCalls: calls.toolCalls + 1 };
        break;
      case "usage":
        calls = { ...calls, requests: calls.requests + 1, lastPromptTokens: entry.usage.input.totalTokens };
        break;
      case "compaction": {
        flush();
        const sizes = { before: coverageOf(before.slice()), after: coverageOf(view.messages.slice()) };
        lines.push({
          kind: "compaction",
          story: {
            entry,
            isReverted: reverted.has(entryIdOf(entry)),
            messagesBefore: sizes.before.messages,
            messagesAfter: sizes.after.messages,
            charsBefore: sizes.before.chars,
            charsAfter: sizes.after.chars,
            edits: editWords(entry.edits),
          },
        });
        break;
      }
      case "model-change":
        lines.push({ kind: "model", modelId: entry.modelId });
        break;
      case "session":
      case "setup-change":
      case "revert":
        break;
      default:
        entry satisfies never;
    }
  }
  flush();
  return lines;
}

interface CallCount {
  readonly requests: number;
  readonly toolCalls: number;
  readonly lastPromptTokens: number | null;
}

const NO_CALLS: CallCount = { requests: 0, toolCalls: 0, lastPromptTokens: null };

/** What edits did, like ones counted together. */
export function editWords(edits: readonly AppliedEdit[]): readonly string[] {
  const cleared = edits.filter((edit) => edit.kind === "replace-part");
  const others = edits.flatMap((edit): string[] => {
    switch (edit.kind) {
      case "summarize":
        return [
          `summarised ${edit.covered.messages} messages (${edit.covered.chars} characters) as ${coverageOf([edit.message]).chars}`,
        ];
      case "drop":
        return [`dropped ${edit.covered.messages} messages (${edit.covered.chars} characters)`];
      case "replace-history":
        return [`replaced ${edit.covered.messages} messages by ${edit.messages.length}`];
      case "replace-part":
        return [];
      default:
        return edit satisfies never;
    }
  });
  const removedChars = cleared.reduce((sum, edit) => sum + edit.removedChars, 0);
  return cleared.length === 0 ? others : [`shortened ${cleared.length} parts (${removedChars} characters fewer)`, ...others];
}

function titleOf(message: Message): string {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
  return text.trim().split("\n", 1)[0] ?? "";
}
