import { type Message, type ToolCallPart, textOf, toolCallsOf } from "@plimsoll/core";
import { z } from "zod";

/** Kinds of content that can be fetched again by the same call. */
export const CONTENT_KINDS = ["file window", "search", "command output"] as const;

/** One of the kinds. */
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** Ages that are told apart, in observations: at age 1 it is the newest. What is older than the last is not followed. */
export const OLDEST_AGE = 20;

/** By kind and age (from 1): places at which content of that age could have been fetched again, and those where it was. */
export type Exposures = Readonly<Record<ContentKind, readonly (readonly [exposed: number, again: number])[]>>;

const ages = z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()]).readonly()).length(OLDEST_AGE);

/** The form of stored exposures. */
export const exposuresSchema: z.ZodType<Exposures> = z.strictObject({
  "file window": ages,
  search: ages,
  "command output": ages,
});

/** Follows what a run fetched, and fetched again. */
export interface ExposureCounts {
  /** A reply with the results that it got, before the next one. */
  step(reply: Message, resultOf: (callId: string) => Message | undefined): void;
  result(): Exposures;
}

/** Content that was fetched and is still worth what it was. */
interface Fetched {
  readonly kind: ContentKind;
  readonly path: string | null;
  /** The call, as it would be repeated. */
  readonly key: string;
  readonly lines: ReadonlySet<string>;
  /** Observations up to and with the one that it came in. */
  readonly since: number;
}

/** A window is shown again if at least this share of its lines is known from an older one (the bench's own share for readings). */
const KNOWN_SHARE = 0.5;

/** Lines shorter than this stand in any file; chosen. */
const TELLING_CHARS = 8;

/** Fewer lines than this are no content to fetch; chosen. */
const FEWEST_LINES = 3;

/** The frame that SWE-agent puts around what it shows. */
const FRAME = /^(?:\[File: |\(\d+ more lines|\(Open file: |\(Current directory: |bash-\$)/;

/**
 * Counts, at each reply, for each content fetched before: how old it was, and whether the reply fetched it again. Content is followed until it is
 * fetched again, or its file (for searches and commands: any file) is changed; an edit that was refused changes nothing.
 */
export function createExposures(): ExposureCounts {
  const counts: Record<ContentKind, [number, number][]> = {
    "file window": noAges(),
    search: noAges(),
    "command output": noAges(),
  };
  let alive: readonly Fetched[] = [];
  let observations = 0;
  return {
    step(reply, resultOf) {
      const calls = toolCallsOf(reply);
      const fetched = calls.flatMap((call) => {
        const result = resultOf(call.callId);
        return result === undefined || failed(result) ? [] : (fetchedBy(call, textOf(result), observations + 1) ?? []);
      });
      const again = new Set(fetched.flatMap((each) => alive.findLast((old) => isSame(old, each)) ?? []));
      for (const old of alive) {
        const cell = counts[old.kind][observations - old.since];
        if (cell === undefined) continue;
        cell[0] += 1;
        if (again.has(old)) cell[1] += 1;
      }
      const changed = calls.flatMap(({ callId, paths }) => {
        const result = resultOf(callId);
        const isDone = result === undefined || !failed(result);
        return paths.flatMap(({ path, access }) => (access === "modify" && isDone ? [path] : []));
      });
      alive = alive.filter((old) => {
        const isStale = old.kind === "file window" ? changed.includes(old.path ?? "") : changed.length > 0;
        return !isStale && !fetched.some((each) => isSame(old, each));
      });
      alive = [...alive, ...fetched];
      observations += 1;
    },
    result: () => counts,
  };
}

function noAges(): [number, number][] {
  return Array.from({ length: OLDEST_AGE }, () => [0, 0]);
}

function failed(result: Message): boolean {
  return result.role === "tool-result" && result.isError;
}

function fetchedBy(call: ToolCallPart, text: string, since: number): Fetched | null {
  const lines = new Set(text.split("\n").filter((line) => line.trim().length >= TELLING_CHARS && !FRAME.test(line)));
  const isChange = call.paths.some(({ access }) => access === "modify");
  if (isChange || lines.size < FEWEST_LINES) return null;
  const [read] = call.paths.filter(({ access }) => access === "read");
  const key = `${call.toolName} ${call.argumentsJson.trim()}`;
  if (read !== undefined) return { kind: "file window", path: read.path, key, lines, since };
  return { kind: call.toolName === "bash" ? "command output" : "search", path: null, key, lines, since };
}

/** The same window of a file by its lines; the same search or command by its words. */
function isSame(old: Fetched, now: Fetched): boolean {
  if (old.kind !== now.kind) return false;
  if (old.kind !== "file window") return old.key === now.key;
  if (old.path !== now.path) return false;
  let known = 0;
  for (const line of now.lines) if (old.lines.has(line)) known += 1;
  return known >= KNOWN_SHARE * now.lines.size;
}
