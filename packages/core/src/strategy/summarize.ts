import { cutAtBoundary } from "../cut-point/boundary.ts";
import { cutExceedingTokens, cutKeepingMessages, cutKeepingTokens, forcedCut } from "../cut-point/recent.ts";
import { safeCutAtOrBefore, safeCuts } from "../cut-point/safe-cuts.ts";
import { spansBefore } from "../cut-point/spans-before.ts";
import type { PromptedSpan } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";
import type { Strategy, StrategyInput, SummarizeSpec } from "./strategy.ts";

/**
 * Summarises everything before the cut. Where the cut falls inside the newest turn, that turn's human message stays literal
 * between the summary and the first kept message, and what lies on both sides of it goes into one summary. What is older than that turn
 * and the turn's own beginning are written with prompts of their own, where the policy has them and both are there.
 */
export function summarize(spec: SummarizeSpec): Strategy {
  return (input) => {
    const cut = cutFor(spec, input);
    if (cut === null) return { kind: "not-applicable", reason: "nothing lies before the cut" };
    const spans = promptedSpans(input.messages, cut, spec);
    if (spans.length === 0) return { kind: "not-applicable", reason: "only the last human message lies before the cut" };
    return { kind: "edits", edits: [{ kind: "replace-spans", spans, by: spec.writer === "model" ? "summary" : "digest" }] };
  };
}

/**
 * The cut that the policy's `keep` asks for; where its boundary leaves nothing to summarise, or so much that the trigger would fire
 * again at once, the newest safe cut, so that a batch of calls is never in the way for ever.
 */
function cutFor(spec: SummarizeSpec, input: StrategyInput): number | null {
  const { messages } = input;
  const wanted = askedCut(spec, input);
  if (wanted > 0) {
    const cut = cutAtBoundary(messages, wanted, spec.boundary);
    if (cut > 0 && keptTokens(input, cut) < input.lineTokens) return cut;
    const fallback = safeCutAtOrBefore(safeCuts(messages), wanted);
    if (Math.max(cut, fallback) > 0) return Math.max(cut, fallback);
  }
  if (input.cause !== "overflow" || spec.forcedKeepMessages === undefined) return null;
  const forced = safeCutAtOrBefore(safeCuts(messages), forcedCut(messages, spec.forcedKeepMessages));
  return forced > 0 ? forced : null;
}

function askedCut(spec: SummarizeSpec, { messages, keep, keptMessageTokens, cause }: StrategyInput): number {
  if (cause !== "demand" && messages.length <= (spec.keepNothingUpToMessages ?? 0)) return messages.length;
  if ("messages" in keep) return cutKeepingMessages(messages, keep.messages);
  const cutWith = spec.boundary === "turn" ? cutExceedingTokens : cutKeepingTokens;
  return cutWith(messages, keep.tokens, keptMessageTokens);
}

function keptTokens({ messages, messageTokens }: StrategyInput, cut: number): number {
  return messages.slice(cut).reduce((sum, message) => sum + messageTokens(message), 0);
}

/** What lies before the cut, each span with its prompt: the second is the beginning of the turn that the cut splits. */
function promptedSpans(messages: readonly Message[], cut: number, spec: SummarizeSpec): readonly PromptedSpan[] {
  const { promptId, turnPrefixPromptId, turnPrefixFromMessages = 0 } = spec;
  const prefixMessages = cut - messages.findLastIndex(isHuman);
  const prefixPromptId = prefixMessages >= turnPrefixFromMessages ? (turnPrefixPromptId ?? promptId) : promptId;
  return spansBefore(messages, cut).map((span, at) => ({ ...span, promptId: at === 0 ? promptId : prefixPromptId }));
}
