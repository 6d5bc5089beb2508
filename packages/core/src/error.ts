import type { JsonObject } from "./json.ts";

/**
 * The code of a failure, for callers that must distinguish cases.
 * - `bad-input`: a file or argument that cannot be used; `details` has `file` and `line` if they are known
 * - `bad-policy`: a policy that does not parse or contradicts itself
 * - `bad-session`: a session log that is damaged other than by a cut-off last line, is not there or cannot be written
 * - `session-conflict`: a session log that another writer has, or wrote to; `details` have the known facts of that one
 * - `session-limit`: a session entry or log that is larger, or nested deeper, than a log that can be opened again
 * - `bad-edit`: an edit that names a message the view does not hold, or that takes a promised part (`details` have the `promise`)
 * - `unsendable`: messages that a provider would reject
 * - `context-overflow`: a request was rejected because it does not fit the context window
 * - `provider-failed`: a model request failed otherwise; `details` have its `class`, `status` and `reason`
 * - `summary-failed`: a summariser gave no usable summary
 * - `aborted`: the caller's signal ended the work
 * - `closed`: a call of an object that was closed before; make a new one to go on
 */
export type PlimsollErrorCode =
  | "bad-input"
  | "bad-policy"
  | "bad-session"
  | "session-conflict"
  | "session-limit"
  | "bad-edit"
  | "unsendable"
  | "context-overflow"
  | "provider-failed"
  | "summary-failed"
  | "aborted"
  | "closed";

/** Plimsoll's only error class. `code` is the kind of failure, `message` a line for a person, `details` are facts for a program. */
export class PlimsollError extends Error {
  override readonly name = "PlimsollError";
  readonly code: PlimsollErrorCode;
  readonly details: JsonObject;

  constructor(code: PlimsollErrorCode, message: string, details: JsonObject = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }

  /** As JSON the message is there, too; the cause and the stack are not. */
  toJSON(): JsonObject {
    return { name: this.name, code: this.code, message: this.message, details: this.details };
  }
}

/** Makes the `closed` error for a call of something that was closed before, such as an agent; `what` is its name in the message. */
export function closedError(what: string): PlimsollError {
  return new PlimsollError("closed", `this ${what} is closed: create a new one`);
}

/** True for a {@link PlimsollError}, also of another copy of the package; with `code`, only for one with that code. */
export function isPlimsollError(error: unknown, code?: PlimsollErrorCode): error is PlimsollError {
  if (!(error instanceof Error && error.name === "PlimsollError" && "code" in error && "details" in error)) return false;
  return code === undefined || error.code === code;
}

/** Most characters of a failure that a record has, and those of its end; chosen. */
const FAILURE_CHARS = 200;
const FAILURE_END_CHARS = 59;

/** A failure as one printable line of the record, whatever was thrown. Of a long one the middle is left out: a place in a file is at its end. */
export function failureText(error: unknown): string {
  const said = error instanceof Error ? error.message : typeof error === "string" ? error : shown(error);
  const text = said.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
  const characters = [...text];
  if (characters.length <= FAILURE_CHARS) return text;
  const head = characters.slice(0, FAILURE_CHARS - FAILURE_END_CHARS - 1);
  return [...head, "…", ...characters.slice(-FAILURE_END_CHARS)].join("");
}

/** Most characters of an answer that an error shows; chosen. */
const SHOWN_CHARS = 60;

/** An answer as an error shows it. The rejection of a promise is ignored, so that it ends no process. */
export function shown(value: unknown): string {
  if (isThenable(value)) {
    Promise.resolve(value).then(undefined, () => undefined);
    return "a promise";
  }
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number" || value === undefined) return String(value);
  try {
    const json = JSON.stringify(value);
    return json.length <= SHOWN_CHARS ? json : `${json.slice(0, SHOWN_CHARS)}…`;
  } catch {
    // A value that cannot be written is named by its kind.
    return `an ${typeof value}`;
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
