import type { PreparedReferences, TouchedFile } from "../needs/recorded-references.ts";

/** Files that the session had touched before a call, summed over the calls; a ratio is `named / files`. */
interface ArtifactCount {
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
  /** A reference can be read in the context from now on, or no longer. */
  changed(reference: number, isReadable: boolean): void;
  /** A call before the message at `ordinal`; one that could not be sent names nothing. */
  atCall(ordinal: number, outcome: "sent" | "lost"): void;
  result(): ArtifactMetrics;
}

type Access = TouchedFile["access"];

/**
 * Artifact recall over one replay: a file is named if the path stands as the call gave it. A file that was read and later
 * modified counts as modified from then on. Work at a call follows the files that were touched since the call before.
 */
export function createArtifactProbe({ touchedFiles }: Pick<PreparedReferences, "touchedFiles">): ArtifactProbe {
  const readable = new Set<number>();
  const accessOf = new Map<number, Access>();
  const now = { read: emptyCount(), modify: emptyCount() };
  const sum = { read: emptyCount(), modify: emptyCount() };
  let next = 0;
  const count = (reference: number, access: Access, by: 1 | -1) => {
    now[access].files += by;
    if (readable.has(reference)) now[access].named += by;
  };
  const follow = (ordinal: number) => {
    for (let file = touchedFiles[next]; file !== undefined && file.ordinal < ordinal; file = touchedFiles[next]) {
      next += 1;
      const { reference, access } = file;
      const before = accessOf.get(reference);
      if (before === access || before === "modify") continue;
      if (before !== undefined) count(reference, before, -1);
      count(reference, access, 1);
      accessOf.set(reference, access);
    }
  };
  return {
    changed(reference, isReadable) {
      if (isReadable) readable.add(reference);
      else readable.delete(reference);
      const access = accessOf.get(reference);
      if (access !== undefined) now[access].named += isReadable ? 1 : -1;
    },
    atCall(ordinal, outcome) {
      follow(ordinal);
      for (const access of ["read", "modify"] as const) {
        sum[access].files += now[access].files;
        if (outcome === "sent") sum[access].named += now[access].named;
      }
    },
    result: () => ({ read: { ...sum.read }, modified: { ...sum.modify } }),
  };
}

function emptyCount(): { -readonly [Key in keyof ArtifactCount]: ArtifactCount[Key] } {
  return { files: 0, named: 0 };
}
