import { type Message, type ToolCallPart, type ToolResultMessage, textOf, toolCallsOf } from "@plimsoll/core";
import { z } from "zod";
import type { ContextChanges } from "../needs/needles.ts";
import { argumentTexts, comparableText, comparedTexts, numberedLines } from "../needs/texts.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { summed } from "../statistics.ts";
import type { MeasuredCall, Metric, Recorder } from "./metric.ts";

/** Uses of passages of tools' results that a context held after a cut, and those of which a reader can tell the file or command that they are of. */
interface AttributedCount {
  readonly held: number;
  readonly named: number;
}

/** All such uses, and those that only a compaction's own text held. */
export interface Attributed {
  readonly all: AttributedCount;
  readonly broughtBack: AttributedCount;
}

const count = z.int().nonnegative();
const counts: z.ZodType<AttributedCount> = z.strictObject({ held: count, named: count });
const NONE: AttributedCount = { held: 0, named: 0 };

/**
 * Reads each context as text: what stands over a passage has to name a file or a command of a recorded call whose result holds it. It asks the recorded calls' arguments
 * as they are, and nothing that the engine noted of them. Sums over the sessions. For programs alone.
 */
export const ATTRIBUTED: Metric<"attributed", Attributed, Attributed, never> = {
  id: "attributed",
  schema: z.strictObject({ all: counts, broughtBack: counts }),
  measure: ({ session }) => createAttributed(session),
  pool: ({ results }) => {
    const pooled = (part: keyof Attributed) =>
      summed(
        NONE,
        results.map((each) => each[part]),
      );
    return { all: pooled("all"), broughtBack: pooled("broughtBack") };
  },
  figures: {},
};

function createAttributed(
  session: PreparedSession,
): Recorder<Attributed, Pick<MeasuredCall, "compactions" | "shown" | "ordinal">> {
  const shown = createShown(session);
  let sources: Sources | null = null;
  let [all, broughtBack] = [NONE, NONE];
  let wasCut = false;
  return {
    add: ({ compactions, shown: changes, ordinal }) => {
      wasCut ||= compactions.length > 0;
      if (changes === null) return;
      shown.follow(changes);
      if (!wasCut) return;
      sources ??= sourcesOf(session);
      for (const { kind, needle, statedAt } of session.needs().at(ordinal)) {
        const holders = kind === "passages" ? shown.holdersOf(needle) : [];
        if (holders.length === 0 || sources.at(statedAt) === null) continue;
        const recorded = holders.filter((message) => message.role === "tool-result");
        const found = sources.of(needle).filter(({ ordinal: source }) => source < ordinal);
        const text = session.needs().textOf(needle);
        const isNamed =
          recorded.some((message) => shown.showsCall(message)) ||
          holders.some((message) => message.role !== "tool-result" && isNamedIn(message, text, found));
        all = counted(all, isNamed);
        if (recorded.length === 0) broughtBack = counted(broughtBack, isNamed);
      }
    },
    result: () => ({ all, broughtBack }),
  };
}

function counted({ held, named }: AttributedCount, isNamed: boolean): AttributedCount {
  return { held: held + 1, named: isNamed ? named + 1 : named };
}

/** A recorded result with the call that it answers. */
interface Source {
  readonly ordinal: number;
  readonly result: ToolResultMessage;
  readonly call: ToolCallPart;
}

interface Sources {
  /** The result at a place of the recorded history; `null` if another message stands there. */
  at(ordinal: number): Source | null;
  /** The results that hold a needle. */
  of(needle: number): readonly Source[];
}

function sourcesOf({ entries, references, needs }: PreparedSession): Sources {
  const { index } = needs();
  const calls = new Map<string, ToolCallPart>();
  const byPlace = new Map<number, Source>();
  const byNeedle = new Map<number, Source[]>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    for (const call of toolCallsOf(message)) calls.set(call.callId, call);
    const call = message.role === "tool-result" ? calls.get(message.callId) : undefined;
    const ordinal = references.ordinalOf(message);
    if (message.role !== "tool-result" || call === undefined || ordinal === null) continue;
    const source = { ordinal, result: message, call };
    byPlace.set(ordinal, source);
    for (const needle of index.heldIn(message)) {
      const own = byNeedle.get(needle) ?? [];
      own.push(source);
      byNeedle.set(needle, own);
    }
  }
  return { at: (ordinal) => byPlace.get(ordinal) ?? null, of: (needle) => byNeedle.get(needle) ?? [] };
}

/** A context that is followed: which messages hold a needle, and which calls it shows. */
function createShown({ needs }: PreparedSession) {
  const { index } = needs();
  const holders = new Map<number, Set<Message>>();
  const calls = new Map<string, string>();
  return {
    follow: ({ removed, added }: ContextChanges) => {
      for (const message of removed) {
        for (const needle of index.heldIn(message)) holders.get(needle)?.delete(message);
        for (const { callId } of toolCallsOf(message)) calls.delete(callId);
      }
      for (const message of added) {
        for (const needle of index.heldIn(message)) {
          const own = holders.get(needle) ?? new Set<Message>();
          holders.set(needle, own.add(message));
        }
        for (const { callId, argumentsJson } of toolCallsOf(message)) calls.set(callId, argumentsJson);
      }
    },
    holdersOf: (needle: number): readonly Message[] => [...(holders.get(needle) ?? [])],
    /** True for a result whose call still says something. */
    showsCall: (message: Message) =>
      message.role === "tool-result" && argumentTexts(calls.get(message.callId) ?? "").some((text) => text.trim() !== ""),
  };
}

/** The line over a passage, between two of one source, and at the ends of all. */
const HEAD = /^\[.+; handle [^\]]+\]$/;
const GAP = /^\[… lines \d+ to \d+\]$/;
const END = /^<\/?recalled>$/;

/** True if a line in brackets over the passage names one of the sources. */
function isNamedIn(message: Message, passage: string, sources: readonly Source[]): boolean {
  return comparedTexts(message).some((text) => {
    const compared = comparableText(text);
    const lines = text.split("\n");
    for (let at = compared.indexOf(passage); at >= 0; at = compared.indexOf(passage, at + 1)) {
      const place = compared.slice(0, at).split("\n").length - 1;
      const above = lines.slice(0, place).findLast((line) => HEAD.test(line) || END.test(line));
      const between = lines.slice(0, place).findLast((line) => HEAD.test(line) || GAP.test(line)) ?? "";
      if (above !== undefined && sources.some((source) => names(above, source) && isOfLines(between, passage, source)))
        return true;
    }
    return false;
  });
}

/** Characters by which a command or a path is known; chosen. */
const KNOWN_BY_CHARS = 60;

/** Fewer characters name nothing; chosen. */
const LEAST_CHARS = 2;

/** True if a head shows the beginning of a text in the call's arguments, or the end of a path in them. */
function names(head: string, { call }: Source): boolean {
  const [inside = ""] = head.slice(1, -1).split("; handle ");
  const shown = plain(inside.replace(call.toolName, "").replace(/ lines \d+ to \d+$/, ""))
    .replace(/^"|…$/g, "")
    .split(" && ", 1)[0];
  const beginning = (shown ?? "").trim().slice(0, KNOWN_BY_CHARS);
  if (beginning.length < LEAST_CHARS) return false;
  return [call.argumentsJson, ...argumentTexts(call.argumentsJson)].some((text) => plain(text).includes(beginning));
}

/** A text on one line, without escapes. */
function plain(text: string): string {
  return text
    .replaceAll(/\\[nrt]/g, " ")
    .replaceAll("\\", "")
    .replaceAll(";", ",")
    .replaceAll(/\s+/g, " ");
}

/** False if the lines that a head names are others than those under whose numbers the source shows the passage. */
function isOfLines(head: string, passage: string, { result }: Source): boolean {
  const [, from, through] = / lines (\d+) to (\d+)[;\]]/.exec(head) ?? [];
  const numbered = from === undefined ? null : numberedLines(textOf(result));
  if (numbered === null) return true;
  const wanted = passage.split("\n").filter((line) => line.trim() !== "");
  return [...numbered].some(
    ([number, line]) =>
      number >= Number(from) && number <= Number(through) && wanted.some((each) => line.includes(each.trim())),
  );
}
