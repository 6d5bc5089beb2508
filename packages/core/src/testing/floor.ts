import { openStepStart } from "../cut-point.ts";
import { partHandle } from "../message/handle.ts";
import { type ImagePart, isDeclared, isHuman, type Message, type TextPart } from "../message/message.ts";
import { partChars } from "../message/size.ts";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import { clearedText, isClearedText } from "../prompts/notices.ts";
import type { Session } from "../session/session.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import type { Estimator } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { variedPriors } from "./scripted-ports.ts";
import type { SessionScenario } from "./session-scenario.ts";

/**
 * The least that any compaction could leave, by the policy's own measure, each message with its share of the view's expected size: overhead, pending messages, the
 * agent's declarations, the last human message, and the newest open step with its results and texts at stub size. Infinite if none of these is there: something has
 * to be sent, and no rule names it. A switch is measured by the ledger of the next model.
 */
export function floorTokens(
  manager: Session,
  estimator: Estimator,
  { pending, nextModelId }: { readonly pending: readonly Message[]; readonly nextModelId: string | null },
): number {
  const { system, tools, messages: view } = manager.view();
  const messages = view.slice();
  const now = manager.state().ledger;
  const ledger = nextModelId === null ? now : estimator.changeModel(now, nextModelId);
  const step = messages.slice(openStepStart(messages)).map(atStubSize);
  const human = messages.findLast(isHuman);
  const declared = messages.slice(0, messages.length - step.length).filter(isDeclared);
  const kept = [...declared, ...(human === undefined ? [] : [human]), ...step];
  if (kept.length + pending.length === 0) return Number.POSITIVE_INFINITY;
  const tokensOf = (some: readonly Message[]) =>
    some.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0);
  const overhead = { system, tools, dynamicContext: null, hiddenTokens: 0 };
  const { expectedTokens, overheadTokens } = estimator.predict(ledger, overhead);
  const viewTokens = tokensOf(messages);
  const shareRatio = viewTokens > 0 ? Math.max(1, (expectedTokens - overheadTokens) / viewTokens) : 1;
  return Math.ceil(tokensOf(kept) * shareRatio + tokensOf(pending)) + overheadTokens;
}

/** The estimator of a scenario's policy, with a work counter of its own: a session's checks measure with it. It prices each message once. */
export function estimatorOf({ policy, kinds = BUILT_IN_KINDS }: Pick<SessionScenario, "policy" | "kinds">): Estimator {
  return createEstimator(policy.estimator, createWorkCounter(), { kinds: kinds.estimators, priors: variedPriors });
}

function atStubSize(message: Message): Message {
  switch (message.role) {
    case "user":
      return message;
    case "assistant":
      return {
        ...message,
        parts: message.parts.map((part, index) => (part.type === "text" ? stubbed(part, partHandle(message.id, index)) : part)),
      };
    case "tool-result":
      return { ...message, parts: message.parts.map((part, index) => stubbed(part, partHandle(message.id, index))) };
    default:
      return message satisfies never;
  }
}

function stubbed(part: TextPart | ImagePart, handle: string): TextPart {
  if (part.type === "image") return { type: "text", text: clearedText("image", 0, handle) };
  const stub = clearedText("text", partChars(part), handle);
  return part.text.length <= stub.length || isClearedText(part.text, handle) ? part : { type: "text", text: stub };
}
