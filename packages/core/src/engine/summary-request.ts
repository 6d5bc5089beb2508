import type { Context, Message } from "../message/message.ts";
import type { SummaryPolicy } from "../policy/policy.ts";
import type { SummaryRequest } from "../ports.ts";

/** What an edit's summary is asked for with. */
export interface SummaryCircumstances {
  readonly summary: SummaryPolicy;
  /** The view that the edit is of. */
  readonly messages: readonly Message[];
  /** What every request of the session sends before its messages. */
  readonly opening: Pick<Context, "system" | "tools">;
  readonly focus: string | null;
}

/** The request for an edit's summary; `parts` are the messages of its spans. */
export function summaryRequestFor(parts: SummaryRequest["parts"], circumstances: SummaryCircumstances): SummaryRequest {
  const { sections, maxTokens, turnPrefixMaxTokens, resultCapChars, labels } = circumstances.summary;
  const { focus } = circumstances;
  const asked = { parts, sections, maxTokens, turnPrefixMaxTokens, resultCapChars, labels, focus };
  return { ...asked, ...formOf(parts, circumstances) };
}

function formOf(
  parts: SummaryRequest["parts"],
  { summary: { request }, messages, opening }: SummaryCircumstances,
): Pick<SummaryRequest, "conversation" | "modelId"> {
  if (request === "serialised") return {};
  if (request !== "prefix") return { modelId: request.cheaper.modelId };
  const newest = parts.at(-1)?.messages.at(-1);
  const end = newest === undefined ? 0 : messages.indexOf(newest) + 1;
  const { system, tools } = opening;
  return { conversation: { system, tools, messages: messages.slice(0, end), dynamicContext: null } };
}
