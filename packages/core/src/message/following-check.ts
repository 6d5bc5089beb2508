import { type Sequence, sequenceOf } from "../sequence.ts";
import { contentViolations, createCheckPass, STRICT_WIRE_RULES, type WireRules, type WireViolation } from "./check.ts";
import type { Message } from "./message.ts";
import { oncePerMessage } from "./once-per-message.ts";

/** Checks one of several lists that follow each other, and returns the violations that `checkMessages` would find in it. */
export type FollowingCheck = (messages: Sequence<Message>) => WireViolation[];

/**
 * Makes checks of lists that follow each other. What a list goes on from is not checked again; one that was not made by
 * appending to the list before it, as after an edit, is walked anew. The content of a message value is read once for all checks that are made here.
 */
export function followingChecks(rules: WireRules = STRICT_WIRE_RULES): () => FollowingCheck {
  const contentOf = oncePerMessage((message) => contentViolations(message, rules));
  return () => {
    let before = sequenceOf<Message>();
    let pass = createCheckPass(rules, contentOf);
    return (messages) => {
      const goesOn = messages.goesOnFrom(before);
      if (!goesOn) pass = createCheckPass(rules, contentOf);
      for (const message of messages.slice(goesOn ? before.size : 0)) pass.visit(message);
      before = messages;
      return pass.end();
    };
  };
}
