import type { PreparedReferences, TouchedFile } from "../references/prepare.ts";
import type { ReadableContext } from "./readable.ts";

/** Files that the session had touched before a call, summed over the calls; a ratio is `named / files`. */
export interface ArtifactCount {
  readonly files: number;
  /** Those whose path the context that the policy sent still names. */
  readonly named: number;
}

/** Artifact recall: files only read so far, and files modified so far. */
export interface ArtifactMetrics {
  readonly read: ArtifactCount;
  readonly modified: ArtifactCount;
}

/** Asks at every call which of the files that were touched before it the context still names. */
export interface ArtifactProbe {
  /** A call before the message at `ordinal`; `null` for a context that could not be sent and so names nothing. */
  atCall(ordinal: number, readable: ReadableContext | null): void;
  result(): ArtifactMetrics;
}

/**
 * Artifact recall over one replay: a file is named if the path stands as the call gave it. A file that was read and later
 * modified counts as modified from then on. Work at a call follows the files touched so far.
 */
export function createArtifactProbe(prepared: PreparedReferences): ArtifactProbe {
  const accessOf = new Map<number, TouchedFile["access"]>();
  const counts = { read: emptyCount(), modify: emptyCount() };
  let next = 0;
  const follow = (ordinal: number) => {
    for (const file of prepared.touchedFiles.slice(next)) {
      if (file.ordinal >= ordinal) break;
      if (file.access === "modify" || !accessOf.has(file.reference)) accessOf.set(file.reference, file.access);
      next += 1;
    }
  };
  return {
    atCall(ordinal, readable) {
      follow(ordinal);
      for (const [reference, access] of accessOf) {
        const count = counts[access];
        count.files += 1;
        if (readable?.hasReference(reference)) count.named += 1;
      }
    },
    result: () => ({ read: { ...counts.read }, modified: { ...counts.modify } }),
  };
}

function emptyCount(): { -readonly [Key in keyof ArtifactCount]: ArtifactCount[Key] } {
  return { files: 0, named: 0 };
}
