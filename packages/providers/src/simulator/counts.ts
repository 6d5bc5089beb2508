import type { SimulatedReply } from "./reply.ts";
import type { Counts } from "./wire.ts";

type OutputCounts = Pick<Counts, "outputTokens" | "reasoningTokens">;

/** Counts a reply as output, its reasoning included. */
export function outputOf(reply: SimulatedReply, textTokens: (text: string) => number): OutputCounts {
  let outputTokens = 0;
  let reasoningTokens = 0;
  for (const part of reply.parts) {
    const tokens = textTokens(part.type === "tool-call" ? `${part.toolName}${part.argumentsJson}` : part.text);
    outputTokens += tokens;
    if (part.type === "reasoning") reasoningTokens += tokens;
  }
  return { outputTokens, reasoningTokens };
}

/** Counts a prompt and its reply. */
export function countsOf(
  promptTokens: number,
  cache: Pick<Counts, "readTokens" | "writeTokens" | "writeOneHourTokens">,
  output: OutputCounts,
): Counts {
  return { promptTokens, ...cache, uncachedTokens: promptTokens - cache.readTokens - cache.writeTokens, ...output };
}

/** Returns the usage that the script states in the place of the counts; `null` for nothing. */
export function toldCounts(counts: Counts, told: SimulatedReply["usage"]): Counts | null {
  if (told === undefined || told === "missing") return told === undefined ? counts : null;
  const { promptTokens } = told;
  const readTokens = Math.min(counts.readTokens, promptTokens);
  const writeTokens = Math.min(counts.writeTokens, promptTokens - readTokens);
  const writeOneHourTokens = Math.min(counts.writeOneHourTokens, writeTokens);
  const uncachedTokens = promptTokens - readTokens - writeTokens;
  const outputTokens = told.outputTokens ?? counts.outputTokens;
  const reasoningTokens = Math.min(counts.reasoningTokens, outputTokens);
  return { promptTokens, readTokens, writeTokens, writeOneHourTokens, uncachedTokens, outputTokens, reasoningTokens };
}
