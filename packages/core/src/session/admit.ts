import { deadlineOf } from "../deadline.ts";
import { sha256Hex } from "../hash.ts";
import { type ToolResultMessage, textOf } from "../message/message.ts";
import { wellFormed } from "../message/well-formed.ts";
import type { Policy } from "../policy/policy.ts";
import { artifactsDoor } from "../port-door.ts";
import type { ArtifactStore, Wait } from "../ports.ts";
import type { Truncation } from "../truncation/span.ts";
import { truncateMessage } from "../truncation/truncate-text.ts";
import { pieceOf, type Recalled, type RecallRange } from "./recall.ts";

/** The policy and the stores by which a result is admitted. */
export interface Admission {
  readonly policy: Policy;
  readonly artifacts: ArtifactStore;
  /** The tool's advice on how to see the rest. */
  readonly hint?: string | null;
  /** How each category of output is cut; the built-in truncations if they are left out. */
  readonly truncations?: readonly Truncation[];
  /** How long the store is waited for, and by which timer, as in `SessionOptions`. */
  readonly answerDeadlineMs?: number;
  readonly wait?: Wait;
}

/** A result as it enters history, and the handle of its whole text if it was cut. */
export interface AdmittedResult {
  readonly message: ToolResultMessage;
  readonly handle: string | null;
}

/**
 * Cuts a tool result to the policy's cap before it enters history; the whole text goes to the artifact store first, and the notice names
 * its handle. A result within the cap comes back as it is, except that lone surrogates become U+FFFD and lines that look like a notice of
 * Plimsoll are quoted. Rejects if the store does: nothing is cut that was not stored.
 */
export async function admitToolResult(given: ToolResultMessage, admission: Admission): Promise<AdmittedResult> {
  const { truncation } = admission.policy;
  const parts = wellFormed(given.parts);
  const message = parts === given.parts ? given : { ...given, parts };
  const how = admission.truncations === undefined ? {} : { truncations: admission.truncations };
  const cut = truncateMessage(message, truncation, how);
  if (!cut.isTruncated) return { message: cut.message, handle: null };
  const whole = textOf(message);
  const handle = await artifactsDoor(admission.artifacts, deadlineOf(admission)).put(whole);
  const hints = [admission.hint ?? null, `handle ${handle}`].filter((hint) => hint !== null);
  return { message: truncateMessage(message, truncation, { ...how, hint: hints.join("; ") }).message, handle };
}

/** Reads a piece of a stored text, at most {@link MAXIMUM_RECALL_CHARS} UTF-16 code units; `null` for an unknown handle. */
export async function recallArtifact(handle: string, range: RecallRange, artifacts: ArtifactStore): Promise<Recalled | null> {
  const text = await artifactsDoor(artifacts, deadlineOf({})).get(handle);
  return text === null ? null : pieceOf(text, range);
}

/** Makes an artifact store in memory: its texts are lost when the process ends. */
export function createMemoryArtifactStore(): ArtifactStore {
  const texts = new Map<string, string>();
  return {
    put: (text) => {
      const handle = artifactHandle(text);
      texts.set(handle, text);
      return Promise.resolve(handle);
    },
    get: (handle) => Promise.resolve(texts.get(handle) ?? null),
  };
}

/** The handle of a text in any artifact store: a prefix that tells it from a message id, and the hash of the content. */
export function artifactHandle(text: string): string {
  return `artifact:${sha256Hex(text)}`;
}
