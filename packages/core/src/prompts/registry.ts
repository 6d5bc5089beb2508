import { PlimsollError } from "../error.ts";
import { CHECKPOINT_PROMPT } from "./checkpoint.ts";
import { NARRATIVE_PROMPT } from "./narrative.ts";
import type { Prompt } from "./prompt.ts";
import { STRUCTURED_PROMPT } from "./structured.ts";
import { TURN_PREFIX_PROMPT } from "./turn-prefix.ts";
import { UPDATE_PROMPT } from "./update.ts";

/** All prompts for summaries. */
export const PROMPTS: readonly Prompt[] = [
  STRUCTURED_PROMPT,
  CHECKPOINT_PROMPT,
  NARRATIVE_PROMPT,
  UPDATE_PROMPT,
  TURN_PREFIX_PROMPT,
];

/**
 * The prompt of that id.
 *
 * @throws PlimsollError `bad-policy` for an id that is not known, naming those that are.
 */
export function promptFor(id: string): Prompt {
  const prompt = PROMPTS.find((each) => each.id === id);
  if (prompt !== undefined) return prompt;
  const known = PROMPTS.map((each) => each.id).join(", ");
  throw new PlimsollError("bad-policy", `there is no prompt "${id}"; there are ${known}`, { promptId: id });
}
