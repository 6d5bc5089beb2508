import { entryIdOf, isRecord } from "@plimsoll/core/extend";
import { readHead, textSource } from "../formats/file-source.ts";
import type { FileSource, Importer } from "../formats/importer.ts";
import type { Transcript } from "../transcript.ts";

/** An importer under test and the text of a session that it reads, with a tool call and its result if the format has them. */
export interface ImporterSubject {
  readonly importer: Importer;
  readonly text: string;
}

/** One rule of {@link IMPORTER_CONTRACT}. `run` calls `make` for the importer under test, and rejects if the rule does not hold. */
export interface ImporterRule {
  readonly rule: string;
  readonly run: (make: () => Promise<ImporterSubject>) => Promise<void>;
}

/** The name that the contract gives to the file; no importer may look at it. */
const FILE = "given";

/** The rules that every importer must pass: run each in the importer's tests. A rule rejects with the fact that did not hold. */
export const IMPORTER_CONTRACT: readonly ImporterRule[] = [
  ruled("recognises its own session, by what it holds", async ({ importer, text }) => {
    const names = ["given", "other.json"];
    const answers = await Promise.all(names.map(async (name) => importer.recognises(await readHead(textSource(text, name)))));
    holds(answers.every(Boolean), `recognised: ${answers.join(", ")}`);
  }),
  ruled("recognises nothing else, and never throws at a beginning", async ({ importer }) => {
    for (const text of STRANGE) {
      holds(!importer.recognises(await readHead(textSource(text, FILE))), `recognised ${JSON.stringify(text)}`);
    }
  }),
  ruled("gives the same transcripts each time", async ({ importer, text }) => {
    const [one, other] = [await importer.read(textSource(text, FILE)), await importer.read(textSource(text, FILE))];
    holds(JSON.stringify(one) === JSON.stringify(other), "two readings differ");
  }),
  eachTranscript("begins each log with its session entry, and gives every id once", ({ name, entries }) => {
    holds(entries[0]?.type === "session", `${name} begins with ${entries[0]?.type}`);
    holds(entries.filter(({ type }) => type === "session").length === 1, `${name} has several session entries`);
    const ids = entries.map(entryIdOf);
    holds(new Set(ids).size === ids.length, `${name} has an id twice`);
  }),
  ruled("names each transcript once, with its format, file and parent", async ({ importer, text }) => {
    const transcripts = await importer.read(textSource(text, FILE));
    const names = new Set(transcripts.map(({ name }) => name));
    holds(
      transcripts.length > 0 && names.size === transcripts.length,
      `${transcripts.length} transcripts, ${names.size} names`,
    );
    for (const { name, file, format, parentName } of transcripts) {
      holds(file === FILE && format === importer.format, `${name} is of ${file} and ${format}`);
      holds(parentName === null || names.has(parentName), `${name} belongs to ${parentName}, which is not there`);
    }
  }),
  eachTranscript("puts each result behind its call, and none twice", checkResults),
  eachTranscript("puts each report behind the message that its call was sent through", ({ name, entries }) => {
    const seen = new Set<string | null>([null]);
    for (const entry of entries) {
      if (entry.type === "message") seen.add(entry.message.id);
      for (const edit of entry.type === "compaction" ? entry.edits : []) {
        for (const message of "messages" in edit ? edit.messages : "message" in edit ? [edit.message] : [])
          seen.add(message?.id ?? null);
      }
      const isKnown = entry.type !== "usage" || seen.has(entry.throughMessageId);
      holds(isKnown, `${name}: a report is through a message that is not there yet`);
    }
  }),
  eachTranscript("says whether sizes are reported, and notes it if they are not", ({ name, entries, hasUsage, notes }) => {
    const isReported = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
    holds(hasUsage === isReported, `${name} says ${hasUsage}, its entries say ${isReported}`);
    holds(notes.some(({ code }) => code === "no-usage") === !hasUsage, `${name} does not note it`);
  }),
  ruled("keeps or counts in one note what is of a type that nobody knows, at every place", async ({ importer, text }) => {
    const entriesIn = (transcripts: readonly Transcript[] | null) => JSON.stringify(transcripts?.map(({ entries }) => entries));
    const whole = entriesIn(await importer.read(textSource(text, FILE)));
    for (const { place, changed, without } of withUnheardOf(text)) {
      // A repeated fact is read at one of its places.
      if (entriesIn(await readOrBadInput(importer, textSource(without, FILE))) === whole) continue;
      // A log of ours with entries that are not known is a newer one: that is an error of its own.
      const transcripts = await readOrBadInput(importer, textSource(changed, FILE));
      const said = transcripts?.flatMap(({ notes }) => notes.map((note) => note.text)) ?? [`${UNHEARD_OF} 2`];
      const isKept = entriesIn(transcripts)?.includes(MARK) === true;
      holds(isKept || said.some((each) => each.includes(`${UNHEARD_OF} 2`)), `lost at ${place}: ${said.join("; ")}`);
    }
  }),
  ruled("reads a file that stops anywhere, or says that it is bad input", async ({ importer, text }) => {
    for (let part = 1; part < PARTS; part++) {
      await readOrBadInput(importer, textSource(text.slice(0, Math.floor((text.length * part) / PARTS)), FILE));
    }
  }),
];

/** How many cuts a file is stopped at; chosen. */
const PARTS = 16;

/** Beginnings that are of no format. */
const STRANGE: readonly string[] = [
  "hello",
  "{}",
  "[]",
  "null",
  '{"type":"unheard-of"}',
  '[[1,"a",null]]',
  '{"data":null,"message":7}',
];

const UNHEARD_OF = "unheard-of";
const MARK = "words of what nobody knows";

/** A text with two more items of an unknown type at a place where items of a type occur, and without its items. */
interface ChangedPlace {
  readonly place: string;
  readonly changed: string;
  readonly without: string;
}

/** One for each place: lines, messages, and parts of them. */
function withUnheardOf(text: string): readonly ChangedPlace[] {
  const whole = jsonOf(text);
  const root = whole ?? text.split("\n").flatMap((line) => jsonOf(line) ?? []);
  const written = (value: unknown) =>
    whole === null && Array.isArray(value) ? value.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(value);
  const found = new Map<string, ChangedPlace>();
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    for (const [key, each] of Object.entries(isObject(value) ? value : {})) visit(each, [...path, key]);
    const typed = Array.isArray(value) ? value.filter(isRecord).filter(({ type }) => typeof type === "string") : [];
    const [own] = typed.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length);
    const place = path.filter((step) => Number.isNaN(Number(step))).join("/");
    if (own === undefined || !Array.isArray(value) || found.has(place)) return;
    const more = [1, 2].map((number) => unheardOf(own, `${UNHEARD_OF} ${path.join("/")} ${number}`));
    const [changed, without] = [[...value, ...more], []].map((items) => written(replacedAt(root, path, items)));
    if (changed !== undefined && without !== undefined) found.set(place, { place, changed, without });
  };
  visit(root, []);
  return [...found.values()];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** A copy of an item under another type and id, whose texts are other ones. */
function unheardOf(item: Readonly<Record<string, unknown>>, id: string): unknown {
  const marked = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => marked(each, key));
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each, name)]));
    return typeof value === "string" && ["text", "content", "thinking", "output"].includes(key) ? MARK : value;
  };
  const { id: ownId, uuid, ...rest } = item;
  const ids = { ...(ownId === undefined ? {} : { id }), ...(uuid === undefined ? {} : { uuid: id }) };
  const copy = marked({ ...rest, ...ids, type: UNHEARD_OF }, "");
  return isRecord(copy) && copy.text === undefined ? { ...copy, text: MARK } : copy;
}

function replacedAt(root: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(root)) return root.with(Number(step), replacedAt(root[Number(step)], rest, value));
  return isRecord(root) ? { ...root, [step]: replacedAt(root[step], rest, value) } : root;
}

function holds(isHeld: boolean, fault: string): void {
  if (!isHeld) throw new Error(fault);
}

function ruled(rule: string, check: (subject: ImporterSubject) => Promise<void>): ImporterRule {
  return { rule, run: async (make) => await check(await make()) };
}

function eachTranscript(rule: string, check: (transcript: Transcript) => void): ImporterRule {
  return ruled(rule, async ({ importer, text }) => {
    for (const transcript of await importer.read(textSource(text, FILE))) check(transcript);
  });
}

function checkResults({ name, entries }: Transcript): void {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "tool-result")
      holds(open.delete(message.callId), `${name}: no open call for the result of ${message.callId}`);
    for (const part of message.parts) if (part.type === "tool-call") open.add(part.callId);
  }
}

/** `null` for bad input. */
async function readOrBadInput(importer: Importer, source: FileSource): Promise<readonly Transcript[] | null> {
  try {
    return await importer.read(source);
  } catch (error) {
    // The one error that a reader of logs can handle.
    if (!(error instanceof Error && "code" in error && error.code === "bad-input")) throw error;
    return null;
  }
}
