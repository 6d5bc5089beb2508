import { isHuman, type Message, type Part, type SessionEntry } from "@plimsoll/core";
import { entryIdOf, shortHash } from "@plimsoll/core/extend";
import { addTo } from "./needs/statements.ts";
import { replyAfter } from "./size-judge/recorded-calls.ts";
import { runsOf } from "./statistics.ts";
import type { LineageCounts, Transcript } from "./transcript.ts";

/** The marks of a session that another session's log may have too: its answers and its compactions, each known by a hash, in order. */
export interface SessionMarks {
  readonly session: string;
  readonly file: string;
  /** Others that have one of these names are of its lineage. */
  readonly names: readonly string[];
  /** The id by which other sessions name it as their origin, and the id that it names as its own origin; `null` if there is none. */
  readonly id: string | null;
  readonly parentId: string | null;
  readonly marks: readonly Mark[];
}

interface Mark {
  /** It is the same as another one with any of them. */
  readonly hashes: readonly string[];
  readonly isAnswer: boolean;
  /** Its log says by itself that it is the work of another session. */
  readonly isCopied: boolean;
}

/** A session among those that share answers with it. */
export interface SessionLineage {
  readonly session: string;
  /** The first session of its lineage; its own name if there is no other. */
  readonly lineage: string;
  /** Of its answers and compactions those that count in another session: from one place up to another, which is not among them. */
  readonly copied: readonly (readonly [from: number, through: number])[];
  readonly isCopy: boolean;
}

/** Groups of sessions that share a beginning (lineages): each group is one unit, and answers that its sessions share count once. */
export interface Lineages {
  readonly counts: LineageCounts;
  /** The sessions in a file that share answers with others. */
  in(file: string): readonly SessionLineage[];
  /** False if everything in the file counts in other sessions, elsewhere. */
  hasOwn(file: string): boolean;
}

/** Finds which of these sessions share history; {@link lineagesOf} does so from their marks, without the sessions in memory. */
export function lineages(transcripts: readonly Transcript[]): Lineages {
  return lineagesOf(transcripts.map(sessionMarks));
}

/** Collects the marks that a session may share. It keeps only hashes of the texts. */
export function sessionMarks({ name, file, format, entries, parentName, copiedIds = [] }: Transcript): SessionMarks {
  const [start] = entries;
  const copied = new Set(copiedIds);
  let before: readonly string[] = [""];
  let asked = "";
  let seen = 0;
  const marks = countedEntries(entries).map(({ id, entry, place }): Mark => {
    for (const each of entries.slice(seen, place))
      if (each.type === "message" && isHuman(each.message)) asked = beginningOf(each.message);
    seen = Math.max(seen, place);
    const texts =
      entry.type === "compaction"
        ? before.map((each) => `${each}\n${summaryOf(entry)}`)
        : answerTexts(entries, place, { before, asked });
    before = texts.map(shortHash);
    return { hashes: before, isAnswer: entry.type !== "compaction", isCopied: copied.has(id) };
  });
  const { id = null, createdMs = null, parent = null } = start?.type === "session" ? start : {};
  const named = id === null ? null : `${format}\n${id}`;
  // A freely chosen id may be that of a task, which several sessions work on.
  const ownName = named === null || RANDOM_ID.test(id ?? "") ? named : `${named}\n${createdMs ?? name}`;
  const names = [name, parentName, ownName].filter((each) => each !== null);
  return { session: name, file, names, id: named, parentId: parent === null ? null : `${format}\n${parent.sessionId}`, marks };
}

/** An id with so many letters and digits in a row, or in the groups of a UUID, is random. */
const RANDOM_ID = /[0-9a-z]{20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** An entry of an answer or a compaction, with its place in the log. */
interface CountedEntry {
  readonly id: string;
  readonly entry: Extract<SessionEntry, { type: "usage" | "compaction" | "message" }>;
  readonly place: number;
}

/** The entries that are counted, in order: compactions and reports; the model's messages where a log has no report. */
export function countedEntries(entries: readonly SessionEntry[]): readonly CountedEntry[] {
  const isReported = entries.some(({ type }) => type === "usage");
  return entries.flatMap((entry, place): readonly CountedEntry[] => {
    if (entry.type === "compaction") return [{ id: entry.id, entry, place }];
    if (entry.type === "usage") return [{ id: entry.requestId, entry, place }];
    if (isReported || entry.type !== "message" || entry.message.role !== "assistant") return [];
    return entry.message.origin === "model" ? [{ id: `call:${entry.message.id}`, entry, place }] : [];
  });
}

/** Characters of an answer that distinguish it from others; chosen. */
const BEGINNING_CHARS = 500;

/**
 * Names each answer: by the vendor's id of the request; without one by that of the reply, which is a hash of all before it where the format has none,
 * or by the time and the size of the request with the reply and the person's last question, as some forks give new ids and others new times. To an id
 * that an agent may have counted from one belongs how the answer begins; not the whole, as a log that was copied too early lacks the end.
 */
function answerTexts(
  entries: readonly SessionEntry[],
  place: number,
  { before, asked: person }: { readonly before: readonly string[]; readonly asked: string },
): readonly string[] {
  const entry = entries[place];
  const usage = entry?.type === "usage" ? entry : null;
  const reply = entry?.type === "message" && entry.message.role === "assistant" ? entry.message : replyAfter(entries, place);
  const vendorId = usage?.requestId.startsWith("call:") === false ? usage.requestId : null;
  if (vendorId !== null)
    return [RANDOM_ID.test(vendorId) ? vendorId : `${vendorId}\n${reply === null ? "" : beginningOf(reply)}`];
  const size = usage?.usage.input.totalTokens ?? null;
  if (reply === null) return before.map((each) => `${each}\n${size}`);
  let at = place - 1;
  while (at > 0 && entries[at]?.type !== "message") at -= 1;
  const asked = entries[at];
  const question = asked?.type === "message" ? beginningOf(asked.message) : "";
  const byId = `${reply.id}\n${person}\n${question}\n${beginningOf(reply)}`;
  if (reply.atMs === null || size === null) return [byId];
  return [
    byId,
    [
      reply.atMs,
      reply.modelId,
      size,
      person,
      question,
      ...reply.parts.map((part) => partText(part).slice(0, BEGINNING_CHARS)),
    ].join("\n"),
  ];
}

function beginningOf({ parts }: Message): string {
  const part = parts.find(({ type }) => type !== "reasoning") ?? parts[0];
  return part === undefined ? "" : partText(part).slice(0, BEGINNING_CHARS);
}

function partText(part: Part): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-call" ? `${part.callId}\n${part.toolName}\n${part.argumentsJson}` : part.type;
}

function summaryOf({ edits, record }: Extract<SessionEntry, { type: "compaction" }>): string {
  const messages = edits.flatMap((edit) => {
    if (edit.kind === "replace-history") return edit.messages;
    return edit.kind === "replace-spans" && edit.message !== null ? [edit.message] : [];
  });
  const texts = messages.flatMap((message) =>
    "origin" in message && message.origin === "summary" ? message.parts.map(partText) : [],
  );
  return JSON.stringify([record.tokensBefore, ...texts]);
}

/**
 * Puts sessions together. An answer counts in the session that has most of them, so that a log that goes on from another holds the whole; of equal ones in the
 * first. Work is linear in the marks.
 */
export function lineagesOf(given: readonly SessionMarks[]): Lineages {
  const sessions = withOneHash(given);
  const unitOf = joined(sessions);
  const byFile = new Map<string, HashedSession[]>();
  for (const each of sessions) addTo(byFile, each.file, each);
  const inFile = (file: string) => byFile.get(file) ?? [];
  const [seen, taken, repeated] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const found = new Map<string, SessionLineage>();
  const ownCount = ({ marks }: HashedSession) => marks.filter(({ isCopied }) => !isCopied).length;
  const most = sessions.map((each) => ({ each, count: ownCount(each) })).toSorted((a, b) => b.count - a.count);
  const sizes = new Map<string, number>();
  for (const { session } of sessions) sizes.set(unitOf(session), (sizes.get(unitOf(session)) ?? 0) + 1);
  for (const { each } of most) {
    const { session, marks } = each;
    const isOwn = marks.map(({ hash, isCopied }) => !isCopied && !taken.has(hash));
    const copied = runsOf(isOwn.map((own) => !own)).map(([from, count]) => [from, from + count] as const);
    const lineage = unitOf(session);
    const isCopy = marks.some(({ hash }) => taken.has(hash)) && !isOwn.some(Boolean);
    for (const [place, { hash, isAnswer }] of marks.entries()) {
      if (isAnswer && seen.has(hash)) repeated.add(hash);
      seen.add(hash);
      if (isOwn[place] === true) taken.add(hash);
    }
    if (copied.length > 0 || (sizes.get(lineage) ?? 1) > 1) found.set(session, { session, lineage, copied, isCopy });
  }
  return {
    counts: { files: byFile.size, sessions: sessions.length, lineages: sizes.size, repeatedAnswers: repeated.size },
    in: (file) => inFile(file).flatMap(({ session }) => found.get(session) ?? []),
    hasOwn: (file) => inFile(file).length === 0 || inFile(file).some(({ session }) => found.get(session)?.isCopy !== true),
  };
}

/** A session whose marks have one hash each: the first that is known of any of theirs. */
type HashedSession = Omit<SessionMarks, "marks"> & { readonly marks: readonly (Mark & { readonly hash: string })[] };

function withOneHash(sessions: readonly SessionMarks[]): readonly HashedSession[] {
  const known = new Map<string, string>();
  const hashOf = ({ hashes }: Mark) => {
    const [first = ""] = hashes;
    const hash = hashes.map((each) => known.get(each)).find((each) => each !== undefined) ?? first;
    for (const each of hashes) known.set(each, hash);
    return hash;
  };
  return sessions.map((session) => ({ ...session, marks: session.marks.map((mark) => ({ ...mark, hash: hashOf(mark) })) }));
}

/** The first session of each one's lineage: those that have a name or an answer in common are of one. */
function joined(sessions: readonly HashedSession[]): (session: string) => string {
  const parents = sessions.map((_, place) => place);
  const rootOf = (place: number): number => {
    let root = place;
    while (parents[root] !== undefined && parents[root] !== root) root = parents[root] ?? root;
    for (let at = place; at !== root; ) [at, parents[at]] = [parents[at] ?? root, root];
    return root;
  };
  const join = (place: number, other: number) => {
    const [one, two] = [rootOf(place), rootOf(other)];
    parents[Math.max(one, two)] = Math.min(one, two);
  };
  const placeOfId = new Map(sessions.map(({ id }, place) => [id, place]));
  const placeOf = new Map<string, number>();
  for (const [place, { names, parentId, marks }] of sessions.entries()) {
    for (const key of [...names, ...marks.map(({ hash }) => hash)]) {
      join(place, placeOf.get(key) ?? place);
      placeOf.set(key, place);
    }
    if (parentId !== null) join(place, placeOfId.get(parentId) ?? place);
  }
  const placeOfSession = new Map(sessions.map(({ session }, place) => [session, place]));
  return (session) => sessions[rootOf(placeOfSession.get(session) ?? 0)]?.session ?? session;
}

/** Marks the answers and compactions of a transcript that count in another session (`copiedIds`). Unchanged if it shares nothing; `null` if all of it counts in others. */
export function countedOnce(transcript: Transcript, shared: readonly SessionLineage[]): Transcript | null {
  const own = shared.find(({ session }) => session === transcript.name);
  if (own === undefined) return transcript;
  const counted = countedEntries(transcript.entries);
  const copiedIds = own.copied.flatMap(([from, through]) => counted.slice(from, through).map(({ id }) => id));
  return own.isCopy ? null : { ...transcript, lineage: own.lineage, copiedIds };
}

/** Lists a transcript's entries without the usage reports and compactions that count in another session. */
export function ownEntries({ entries, copiedIds = [] }: Transcript): readonly SessionEntry[] {
  const copied = new Set(copiedIds);
  return copied.size === 0 ? entries : entries.filter((entry) => !copied.has(entryIdOf(entry)));
}
