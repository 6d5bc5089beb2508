import type { WireRules } from "@plimsoll/core/internal";
import { isUsableCallId, shortHash } from "@plimsoll/core/internal";

/**
 * The call id as the wire takes it: itself where it is usable, else a hash of it (37 characters), the same for a call and its result
 * and at every request.
 */
export function wireCallId(callId: string, rules: WireRules): string {
  return callId.isWellFormed() && isUsableCallId(callId, rules) ? callId : `call_${callIdHash(callId)}`;
}

/** The hash that stands for a call id that a wire does not take; ids that differ in half a character differ in it, too. */
export function callIdHash(callId: string): string {
  return shortHash(callId.isWellFormed() ? callId : JSON.stringify(callId));
}
