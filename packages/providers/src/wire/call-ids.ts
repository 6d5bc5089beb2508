import type { WireRules } from "@plimsoll/core";
import { isUsableCallId, shortHash } from "@plimsoll/core";

/**
 * The call id as the wire takes it: itself where it is usable, else a hash of it (37 characters), the same for a call and its result
 * and at every request.
 */
export function wireCallId(callId: string, rules: WireRules): string {
  return isUsableCallId(callId, rules) ? callId : `call_${shortHash(callId)}`;
}
