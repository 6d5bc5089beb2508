import { createHash } from "node:crypto";
import type { Likeness, PreparedSession } from "@plimsoll/bench/internal";
import type { SessionFile } from "../sessions.ts";
import type { Compared } from "./compared.ts";
import type { KeptFindings } from "./findings.ts";

/** A file of sessions, read when it is its turn. */
export interface FileToCompare extends SessionFile {
  readonly contents: () => Buffer;
}

/** A likeness, and how it is compared; `null` if its program is not there. */
export interface Comparison {
  readonly likeness: Likeness;
  readonly compare: {
    /** The policy and the program, told from others of their names. */
    readonly of: string;
    readonly compare: (asked: { readonly session: PreparedSession }) => Promise<readonly Compared[]>;
  } | null;
}

/** A comparison over files that may be broken off. */
export interface Slices {
  readonly files: readonly FileToCompare[];
  readonly comparisons: readonly Comparison[];
  readonly sessionsIn: (file: FileToCompare) => Promise<readonly PreparedSession[]>;
  readonly kept: KeptFindings;
  /** Of the code that compares: findings of another are not taken. */
  readonly version: string;
  /** It stops behind the file in hand after so long; `null` for never. */
  readonly endsAfterMs: number | null;
  readonly nowMs: () => number;
  readonly say: (line: string) => void;
}

/** The findings on each likeness in all files; `null` if the time was over before. Findings are kept file by file, and taken from there. */
export async function compareFiles(slices: Slices): Promise<ReadonlyMap<Likeness, readonly Compared[]> | null> {
  const { files, endsAfterMs, nowMs, say } = slices;
  const startMs = nowMs();
  const found = new Map<Likeness, readonly Compared[]>();
  const sizes = files.map((file) => file.contents().length);
  let workedBytes = 0;
  for (const [place, file] of files.entries()) {
    const { findings, isNew } = await compareFile(file, slices);
    for (const [likeness, own] of findings) found.set(likeness, [...(found.get(likeness) ?? []), ...own]);
    const done = place + 1;
    if (isNew) workedBytes += sizes[place] ?? 0;
    const goneMs = nowMs() - startMs;
    const leftBytes = sizes.slice(done).reduce((sum, bytes) => sum + bytes, 0);
    const left = workedBytes === 0 ? "" : `, at most ${inWords((goneMs / workedBytes) * leftBytes)} left`;
    if (isNew || done === files.length) say(`${done} of ${files.length} files, ${inWords(goneMs)} gone${left}`);
    if (done < files.length && endsAfterMs !== null && goneMs >= endsAfterMs) {
      say(`stopped behind ${file.displayName}; the same command goes on there`);
      return null;
    }
  }
  return found;
}

async function compareFile(
  file: FileToCompare,
  { comparisons, sessionsIn, kept, version }: Slices,
): Promise<{ readonly findings: ReadonlyMap<Likeness, readonly Compared[]>; readonly isNew: boolean }> {
  const contents = createHash("sha256").update(file.contents()).digest("hex");
  const findings = new Map<Likeness, readonly Compared[]>();
  let sessions: readonly PreparedSession[] | null = null;
  for (const { likeness, compare } of comparisons) {
    if (compare === null) continue;
    const made = { version, contents, of: compare.of };
    const before = kept.read(made);
    if (before !== null) {
      findings.set(likeness, before);
      continue;
    }
    sessions ??= await sessionsIn(file);
    const own: Compared[] = [];
    for (const session of sessions) own.push(...(await compare.compare({ session })));
    kept.keep(made, own);
    findings.set(likeness, own);
  }
  return { findings, isNew: sessions !== null };
}

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;

/** A time in words, rounded up: `40 s`, `3 min`. */
function inWords(ms: number): string {
  const seconds = Math.ceil(ms / MS_PER_SECOND);
  return seconds < SECONDS_PER_MINUTE ? `${seconds} s` : `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min`;
}
