import { cutAtBoundary } from "../cut-point/boundary.ts";
import { openLoopStart } from "../cut-point/open-loop.ts";
import { cutKeepingMessages, cutKeepingTokens } from "../cut-point/recent.ts";
import { safeCutAtOrBefore, safeCuts } from "../cut-point/safe-cuts.ts";
import type { SummarizeEdit } from "../edit/edit.ts";
import type { Message } from "../message/message.ts";
import { isHuman } from "../message/message.ts";
import type { Strategy, StrategyInput, SummarizeSpec } from "./strategy.ts";

/**
 * Summarises everything before the cut. Where the cut falls inside the newest turn, that turn's human message stays literal
 * between the summary and the first kept message, and what lies on both sides of it goes into one summary.
 */
export function summarize(spec: SummarizeSpec): Strategy {
  return (input) => {
    const cut = cutFor(spec, input);
    if (cut === null) return { kind: "not-applicable", reason: "nothing lies before the cut" };
    const spans = spansBefore(input.messages, cut, spec);
    if (spans.length === 0) return { kind: "not-applicable", reason: "only the last human message lies before the cut" };
    return { kind: "edits", edits: [{ kind: "summarize", writer: spec.writer, spans }] };
  };
}

/**
 * The cut that the policy's `keep` asks for; where that leaves nothing to summarise because one tool batch reaches back
 * to the beginning, the newest safe cut, so that a batch is never in the way for ever.
 */
function cutFor(spec: SummarizeSpec, input: StrategyInput): number | null {
  const { messages, keep } = input;
  const asked =
    "messages" in keep
      ? cutKeepingMessages(messages, keep.messages)
      : cutKeepingTokens(messages, keep.tokens, input.messageTokens);
  const wanted = Math.min(asked, openLoopStart(messages));
  if (wanted === 0) return null;
  const cut = cutAtBoundary(messages, wanted, spec.boundary);
  if (cut > 0) return cut;
  const fallback = safeCutAtOrBefore(safeCuts(messages), wanted);
  return fallback > 0 ? fallback : null;
}

function spansBefore(messages: readonly Message[], cut: number, spec: SummarizeSpec): SummarizeEdit["spans"] {
  const human = messages.findLastIndex(isHuman);
  if (human < 0 || human >= cut) return span(messages, 0, cut, spec.promptId);
  return [
    ...span(messages, 0, human, spec.promptId),
    ...span(messages, human + 1, cut, spec.turnPrefixPromptId ?? spec.promptId),
  ];
}

function span(messages: readonly Message[], start: number, end: number, promptId: string): SummarizeEdit["spans"] {
  const first = messages[start];
  const last = messages[end - 1];
  return first === undefined || last === undefined || end <= start ? [] : [{ from: first.id, through: last.id, promptId }];
}
