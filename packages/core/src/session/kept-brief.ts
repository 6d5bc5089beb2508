import type { Message } from "../message/message.ts";
import { isHuman, textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** Neighbouring messages of one kind, for a short display of what a compaction kept. */
export interface KeptBrief {
  /** `User`, `Assistant`, or the tool's name. */
  readonly label: string;
  readonly count: number;
  /** The beginning of the text; empty for tools. */
  readonly text: string;
}

/** Characters of a text that are shown: as klaude-code does (K-b1). */
const BRIEF_CHARS = 30;

/** A brief of the messages, oldest first. Messages without text and without a result are left out; neighbouring results of one tool are one. */
export function keptBrief(messages: readonly Message[]): readonly KeptBrief[] {
  const briefs: KeptBrief[] = [];
  for (const message of messages) {
    const brief = briefOf(message);
    const last = briefs.at(-1);
    if (brief === null) continue;
    if (message.role === "tool-result" && last?.label === brief.label && last.text === "")
      briefs[briefs.length - 1] = { ...last, count: last.count + 1 };
    else briefs.push(brief);
  }
  return briefs;
}

function briefOf(message: Message): KeptBrief | null {
  if (message.role === "tool-result") return { label: message.toolName, count: 1, text: "" };
  const text = shortened(textOf(message).trim());
  if (text === "") return null;
  if (message.role === "assistant") return { label: "Assistant", count: 1, text };
  return { label: isHuman(message) ? "User" : "Note", count: 1, text };
}

function shortened(text: string): string {
  return text.length <= BRIEF_CHARS ? text : `${text.slice(0, characterBoundaryAtOrBefore(text, BRIEF_CHARS))}...`;
}
