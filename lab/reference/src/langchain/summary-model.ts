import type { ProgramSetting } from "@plimsoll/bench";
import type { Message } from "@plimsoll/core";
import { SUMMARY_MAX_TOKENS, writtenMessage } from "../edited.ts";
import type { LangChainMessages } from "./langchain-messages.ts";
import type { LangChainCore, LangChainMessage } from "./langchain-module.ts";

/** The program's model: its window, and how to ask it for a summary. */
export interface SummaryModel {
  readonly profile: { readonly maxInputTokens: number };
  invoke(request: unknown): Promise<{ readonly content: string; readonly text: string }>;
}

/** A template of the program's request that is the history alone, so that the history can be read off it. */
export const HISTORY_ALONE = { langchain: "{messages}", deepAgents: "{conversation}" } as const;

/** The parts of a model for summaries. */
export interface SummaryModelOptions {
  readonly setting: Pick<ProgramSetting, "limits" | "summarize">;
  readonly core: LangChainCore;
  readonly template: string;
  readonly messages: LangChainMessages;
  /** The messages of which the program may ask, in order. */
  readonly asked: () => readonly LangChainMessage[];
}

/** The stand-in as the program's model: it is asked about the messages that the program shows it, and about no others. */
export function createSummaryModel({ setting, core, template, messages, asked }: SummaryModelOptions): SummaryModel {
  return {
    profile: { maxInputTokens: setting.limits.contextWindowTokens ?? 0 },
    invoke: async (request) => {
      const history = requestText(request);
      const shown = shownMessages(history, asked(), (message) => filled(template, core.getBufferString([message])));
      const ours = shown.messages.map((message) => messages.oursOf(message, null));
      const beginning = shown.rest.trim() === "" ? [] : [partial(shown.rest)];
      const text = await setting.summarize({
        messages: [...beginning, ...ours],
        maxTokens: SUMMARY_MAX_TOKENS,
        form: "serialised",
        serialised: history,
      });
      return { content: text, text };
    },
  };
}

function requestText(request: unknown): string {
  if (typeof request === "string") return request;
  const [first]: readonly { readonly content?: unknown }[] = Array.isArray(request) ? request : [];
  return String(first?.content ?? "");
}

/** The end of a message of which the program shows no more. */
function partial(text: string): Message {
  const message = writtenMessage(text, { id: "langchain-shown", nowMs: null });
  return message.role === "user" ? { ...message, origin: "injected" } : message;
}

/** As the program fills its template: with a dollar sign's own meaning. */
function filled(template: string, text: string): string {
  return template.replace(template, text);
}

/**
 * The messages whose texts end the history, read from its end backwards, and what is left of it before them: a message that was cut at its
 * beginning. Where several runs of messages end as the history does, the longest is taken.
 */
export function shownMessages(
  history: string,
  messages: readonly LangChainMessage[],
  textOf: (message: LangChainMessage) => string,
): { readonly messages: readonly LangChainMessage[]; readonly rest: string } {
  const texts = messages.map(textOf);
  let best = { from: messages.length, through: messages.length, end: history.length };
  for (let through = messages.length; through > 0; through -= 1) {
    if (!history.endsWith(texts[through - 1] ?? "")) continue;
    let end = history.length;
    let from = through;
    while (from > 0 && end > 0 && history.slice(0, end).endsWith(texts[from - 1] ?? "")) {
      from -= 1;
      end -= (texts[from]?.length ?? 0) + (end > (texts[from]?.length ?? 0) ? 1 : 0);
    }
    if (end < best.end) best = { from, through, end };
    if (end <= 0) break;
  }
  return { messages: messages.slice(best.from, best.through), rest: history.slice(0, Math.max(0, best.end)) };
}
