import { isRecord } from "@plimsoll/core/extend";
import type { RunMetrics } from "../metrics/registry.ts";
import { countedSession, type PreparedSession } from "../replay/prepared-session.ts";
import type { Program } from "../replay/program.ts";
import { rowSchema, sessionSchema, sourceNoteSchema } from "../results/report-json.ts";
import type { ReplayRow, SessionDescription, SourceNote } from "../results.ts";
import { summarizerName } from "../summaries/summarizer-choice.ts";
import { describeSession } from "./describe-session.ts";
import type { FileTask, PlacedRow } from "./file-task.ts";
import type { KeptReplays } from "./kept-replays.ts";
import type { LoadedFile } from "./loaded-file.ts";
import { type ReplayRequest, replay } from "./replay.ts";

/** The results of a file's cells. */
export interface ReplayedCells {
  readonly sessions: readonly SessionDescription[];
  readonly notes: readonly SourceNote[];
  readonly rows: readonly PlacedRow[];
  /** Cells that were not replayed, because they were kept. */
  readonly cellsKept: number;
}

/** The tools of replays in addition to their cell, and the folder of finished ones. */
export interface CellTools {
  readonly given: Pick<ReplayRequest, "tokenizers" | "summaries" | "kinds"> &
    Required<Pick<ReplayRequest, "catalog">> & { readonly metrics: RunMetrics };
  readonly kept: KeptReplays;
  /** The programs that policies of their names stand for. */
  readonly programs: readonly Program[];
}

/** Replays the task's cells, but for those that are kept; what is new is kept, a cell at a time. */
export async function replayCells(file: LoadedFile, task: FileTask, tools: CellTools): Promise<ReplayedCells> {
  const { policies, windows, cells, prices, summarizer } = task;
  const { kept, given, programs } = tools;
  const source = await sourceOf(file, task);
  let counted: readonly PreparedSession[] | null = null;
  const ownSessions = async () => {
    counted ??= (await file.sessions()).flatMap((session) => countedSession(session, task.shared) ?? []);
    return counted;
  };
  const about = await keptOr(kept, { from: { source, what: "sessions" }, isValue: isAbout }, async () => {
    const sessions = await ownSessions();
    const notes = sessions.flatMap(({ transcript }) => transcript.notes.map((note) => ({ file: transcript.file, ...note })));
    return { sessions: sessions.map((session) => describeSession(session, given.catalog)), notes };
  });
  const isRows = rowsGuard(given.metrics);
  const rows: PlacedRow[] = [];
  let cellsKept = 0;
  for (const cell of cells) {
    const window = windows[Math.floor(cell / policies.length)];
    const policy = policies[cell % policies.length];
    if (window === undefined || policy === undefined) throw new Error(`no cell ${cell}`);
    const made = { source, policy, window, prices: [...prices], summarizer: summarizerName(summarizer) };
    const before = await kept.read(made, isRows);
    if (before !== null) cellsKept += 1;
    const program = programs.find(({ name }) => name === policy.name) ?? null;
    const replayed = before ?? (await replayAll(await ownSessions(), { policy, window, program, ...given }));
    if (before === null) await kept.keep(made, replayed);
    rows.push(...replayed.map((row, session) => ({ session, cell, row })));
  }
  return { ...about, rows, cellsKept };
}

/** Names the source of a replay's session; nothing is read for it if nothing is kept. */
async function sourceOf(file: LoadedFile, { file: input, shared, state }: FileTask): Promise<unknown> {
  if (state === null) return null;
  const source = { name: input.displayName, content: await file.contentHash() };
  return shared.length === 0 ? source : { ...source, shared };
}

async function replayAll(sessions: readonly PreparedSession[], request: ReplayRequest): Promise<readonly ReplayRow[]> {
  const rows: ReplayRow[] = [];
  for (const session of sessions) rows.push(await replay(session, request));
  return rows;
}

interface Made<Value> {
  readonly from: unknown;
  readonly isValue: (value: unknown) => value is Value;
}

/** The value that is kept, else the one that is made now, which is kept then. */
async function keptOr<Value>(kept: KeptReplays, { from, isValue }: Made<Value>, make: () => Promise<Value>): Promise<Value> {
  const before = await kept.read(from, isValue);
  if (before !== null) return before;
  const value = await make();
  await kept.keep(from, value);
  return value;
}

const sessionsSchema = sessionSchema.array();
const notesSchema = sourceNoteSchema.array();

function rowsGuard(metrics: RunMetrics): (value: unknown) => value is readonly ReplayRow[] {
  const schema = rowSchema(metrics).array();
  return (value): value is readonly ReplayRow[] => schema.safeParse(value).success;
}

function isAbout(value: unknown): value is Pick<ReplayedCells, "sessions" | "notes"> {
  const { sessions, notes } = isRecord(value) ? value : {};
  return sessionsSchema.safeParse(sessions).success && notesSchema.safeParse(notes).success;
}
