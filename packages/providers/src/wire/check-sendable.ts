import type { Message } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { WireRules } from "@plimsoll/core/internal";
import { checkMessages } from "@plimsoll/core/internal";

/**
 * Refuses messages that the wire would reject and that encoding cannot put right.
 *
 * @throws PlimsollError `unsendable`, with the code, place and subject of each violation (at most the first ten).
 */
export function checkSendable(messages: readonly Message[], rules: WireRules): void {
  const encoded: WireRules = { ...rules, firstMessage: "any", sameRole: "accept", callIds: "any", resultImages: "accept" };
  const violations = checkMessages(messages, { ...encoded, malformedText: "accept", maximumCallIdChars: null });
  const [first] = violations;
  if (first === undefined) return;
  throw new PlimsollError("unsendable", `the ${rules.name} wire would reject message ${first.index}: ${first.code}`, {
    wire: rules.name,
    violations: violations.slice(0, 10).map(({ code, index, subject }) => ({ code, index, subject })),
  });
}
