import { PLIMSOLL_MODEL_POLICY } from "@plimsoll/core";
import type { SimulatedReply, SimulatedRequest } from "@plimsoll/simulator";

/** A model that reads so many pages for each message and then answers, and that writes equal summaries. */
export function scriptedModel(stepsEach: number): (request: SimulatedRequest) => SimulatedReply {
  return ({ newestText, toolNames }) => {
    if (isSummaryRequest(newestText, toolNames)) return { parts: [{ type: "text", text: SUMMARY }] };
    const [, page] = /^page (\d+)$/m.exec(newestText) ?? [];
    const next = Number(page ?? 0) + 1;
    if (next >= stepsEach) return { parts: [{ type: "text", text: `I have read ${next - 1} pages.` }] };
    return { parts: [{ type: "tool-call", toolName: "read_page", argumentsJson: JSON.stringify({ page: next }) }] };
  };
}

const SUMMARY = PLIMSOLL_MODEL_POLICY.summary.sections.map((title) => `## ${title}\nThe handbook was read.`).join("\n\n");

/** True for a request of the engine: without tools, or behind the conversation in the engine's own words. */
function isSummaryRequest(newestText: string, toolNames: readonly string[]): boolean {
  return toolNames.length === 0 || newestText.includes("[Request of the program that keeps this session");
}
