import { createHash } from "node:crypto";

/** The signature of a reasoning text. It depends on nothing else, so that it can be checked when it comes back. */
export function signatureOf(text: string): string {
  return createHash("sha256").update("simulated signature\n").update(text).digest("base64");
}
