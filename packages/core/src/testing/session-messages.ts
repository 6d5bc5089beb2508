import type { AssistantMessage, ImagePart, Message, ToolResultMessage, UserMessage } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { Session } from "../session/session.ts";
import { absentImage, assistant, callPart, result } from "./builders.ts";
import type { CrashAct, SessionAct, SessionScenario, StepAct } from "./session-scenario.ts";

/** The message of a human act. */
export function humanOf(act: SessionAct & { readonly act: "human" }, id: string): UserMessage {
  const images = Array.from({ length: act.images }, (): ImagePart => ({ ...absentImage(), widthPx: 10, heightPx: 10 }));
  return { role: "user", id, origin: "human", parts: [{ type: "text", text: act.text }, ...images], atMs: null };
}

/** A message that the agent puts in. */
export function injected(id: string, text: string): UserMessage {
  return { role: "user", id, origin: "injected", parts: [{ type: "text", text }], atMs: null };
}

/** The reply of a step and its results. A reply without calls and without text says so, as a model's empty reply is never logged. */
export function messagesOfStep(
  act: StepAct,
  id: string,
): { readonly reply: AssistantMessage; readonly results: readonly ToolResultMessage[] } {
  const text = act.text.trim() === "" && act.calls.length === 0 ? "done" : act.text;
  const parts: AssistantMessage["parts"] = [
    ...(act.reasoning === null ? [] : [{ type: "reasoning", text: act.reasoning, opaque: null } as const]),
    ...(text.trim() === "" ? [] : [{ type: "text", text } as const]),
    ...act.calls.map(({ argumentsText, path }, index) =>
      callPart(`${id}-call-${index}`, "tool", {
        argumentsJson: JSON.stringify({ text: argumentsText }),
        paths: path === null ? [] : [{ path, access: "read" }],
      }),
    ),
  ];
  const reply: AssistantMessage = { ...assistant(id, parts), stopReason: act.calls.length === 0 ? "end" : "tool-calls" };
  const results = act.calls.map(({ isError, resultText, hasImage }, index): ToolResultMessage => {
    const said = result(`${id}-result-${index}`, `${id}-call-${index}`, resultText);
    return { ...said, isError, parts: [...said.parts, ...(hasImage && index === 0 ? [absentImage()] : [])] };
  });
  return { reply, results };
}

/** Makes the messages that a crash leaves in the log. */
export function messagesOfCrash(act: CrashAct, id: string): readonly Message[] {
  const { reply, results } = messagesOfStep(
    { ...act, act: "step", text: "", reasoning: null, usageRatio: 1, jumpTokens: 0 },
    id,
  );
  const written = results.slice(0, act.answered);
  const steering: UserMessage = { ...injected(`${id}-steer`, "wait, not that"), origin: "human" };
  switch (act.damage) {
    case "none":
      return [reply, ...written];
    case "lost-reply":
      return results;
    case "interleaved":
      return [reply, steering, ...written, injected(`${id}-note`, "a note")];
    case "double-result":
      return [reply, ...results, ...results.map((result) => ({ ...result, id: `${result.id}-again` })), steering];
    case "blank-reply":
      return [{ ...reply, parts: [{ type: "text", text: " " }] }, steering];
    case "same-id":
      return [reply, ...results, steering, { ...steering, origin: "injected" }];
    default:
      return act.damage satisfies never;
  }
}

/** Returns the prompt tokens that the provider reports of the view as it is. */
export function promptTokensOf(
  { usageRatio, jumpTokens }: StepAct,
  { counting, system }: SessionScenario,
  manager: Session,
): number {
  if (counting === null) return Math.ceil(manager.predict().expectedTokens * usageRatio) + jumpTokens;
  const chars = coverageOf(manager.view().messages.slice()).chars + system.length;
  return Math.ceil((chars / 4) * counting.factor) + counting.hiddenTokens + jumpTokens;
}
