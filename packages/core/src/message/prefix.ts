import type { Message } from "./message.ts";

/** How many leading messages two views share by identity: what a prompt cache can reuse of the messages. */
export function sharedPrefixCount(before: readonly Message[], after: readonly Message[]): number {
  const limit = Math.min(before.length, after.length);
  let count = 0;
  while (count < limit && before[count] === after[count]) count += 1;
  return count;
}
