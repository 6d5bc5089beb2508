import { isPlimsollError } from "../error.ts";

/** A failure as one line of the record. */
export function failureText(error: unknown): string {
  if (isPlimsollError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : "unknown failure";
}
