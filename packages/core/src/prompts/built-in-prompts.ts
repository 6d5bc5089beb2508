import { PlimsollError } from "../error.ts";
import type { Prompt } from "../ports.ts";
import { CHECKPOINT_PROMPT } from "./checkpoint.ts";
import { NARRATIVE_PROMPT } from "./narrative.ts";
import { STRUCTURED_PROMPT } from "./structured.ts";
import { TURN_PREFIX_PROMPT } from "./turn-prefix.ts";
import { UPDATE_PROMPT } from "./update.ts";

/** The prompts for summaries that come with this package. */
export const BUILT_IN_PROMPTS: readonly Prompt[] = [
  STRUCTURED_PROMPT,
  CHECKPOINT_PROMPT,
  NARRATIVE_PROMPT,
  UPDATE_PROMPT,
  TURN_PREFIX_PROMPT,
];

/**
 * The prompt of that id.
 *
 * @throws PlimsollError `bad-policy` for an id that is not there, naming those that are.
 */
export function promptOf(id: string, prompts: readonly Prompt[] = BUILT_IN_PROMPTS): Prompt {
  const prompt = prompts.find((each) => each.id === id);
  if (prompt !== undefined) return prompt;
  const there = prompts.map((each) => each.id).join(", ");
  throw new PlimsollError("bad-policy", `unknown prompt ${JSON.stringify(id)}: known: ${there}`, { promptId: id });
}
