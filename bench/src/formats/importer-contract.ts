import { entryIdOf } from "@plimsoll/core/internal";
import type { Transcript } from "../transcript.ts";
import { readHead, textSource } from "./file-source.ts";
import type { FileSource, Importer } from "./importer.ts";

/** An importer with the text of a session that it reads: one with a call of a tool and its result, if the format has them. */
export interface ImporterSubject {
  readonly importer: Importer;
  readonly text: string;
}

/** One rule of the contract. `run` gets a function that makes the subject, and rejects if the rule does not hold. */
export interface ImporterRule {
  readonly rule: string;
  readonly run: (make: () => Promise<ImporterSubject>) => Promise<void>;
}

/** The name that the contract gives to the file; no importer may look at it. */
const FILE = "given";

/** Rules that every importer must pass. Each rule rejects with what did not hold. */
export const IMPORTER_CONTRACT: readonly ImporterRule[] = [
  {
    rule: "recognises its own session, by what it holds",
    run: async (make) => {
      const { importer, text } = await make();
      const names = ["given", "other.json"];
      const answers = await Promise.all(names.map(async (name) => importer.recognises(await readHead(textSource(text, name)))));
      holds(answers.every(Boolean), `recognised: ${answers.join(", ")}`);
    },
  },
  {
    rule: "recognises nothing else, and never throws at a beginning",
    run: async (make) => {
      const { importer } = await make();
      for (const text of STRANGE) {
        holds(!importer.recognises(await readHead(textSource(text, FILE))), `recognised ${JSON.stringify(text)}`);
      }
    },
  },
  {
    rule: "gives the same transcripts each time",
    run: async (make) => {
      const { importer, text } = await make();
      const [one, other] = [await importer.read(textSource(text, FILE)), await importer.read(textSource(text, FILE))];
      holds(JSON.stringify(one) === JSON.stringify(other), "two readings differ");
    },
  },
  {
    rule: "begins each log with its session entry, and gives every id once",
    run: eachTranscript(({ name, entries }) => {
      holds(entries[0]?.type === "session", `${name} begins with ${entries[0]?.type}`);
      holds(entries.filter(({ type }) => type === "session").length === 1, `${name} has several session entries`);
      const ids = entries.map(entryIdOf);
      holds(new Set(ids).size === ids.length, `${name} has an id twice`);
    }),
  },
  {
    rule: "names each transcript once, with its format, file and parent",
    run: async (make) => {
      const { importer, text } = await make();
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
    },
  },
  { rule: "puts each result behind its call, and none twice", run: eachTranscript(checkResults) },
  {
    rule: "puts each report behind the message that its call was sent through",
    run: eachTranscript(({ name, entries }) => {
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
  },
  {
    rule: "says whether sizes are reported, and notes it if they are not",
    run: eachTranscript(({ name, entries, hasUsage, notes }) => {
      const isReported = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
      holds(hasUsage === isReported, `${name} says ${hasUsage}, its entries say ${isReported}`);
      holds(notes.some(({ code }) => code === "no-usage") === !hasUsage, `${name} does not note it`);
    }),
  },
  {
    rule: "reads a file that stops anywhere, or says that it is bad input",
    run: async (make) => {
      const { importer, text } = await make();
      for (let part = 1; part < PARTS; part++) {
        await readOrBadInput(importer, textSource(text.slice(0, Math.floor((text.length * part) / PARTS)), FILE));
      }
    },
  },
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

function holds(isHeld: boolean, fault: string): void {
  if (!isHeld) throw new Error(fault);
}

function eachTranscript(check: (transcript: Transcript) => void): ImporterRule["run"] {
  return async (make) => {
    const { importer, text } = await make();
    for (const transcript of await importer.read(textSource(text, FILE))) check(transcript);
  };
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

async function readOrBadInput(importer: Importer, source: FileSource): Promise<void> {
  try {
    await importer.read(source);
  } catch (error) {
    // The one error that a reader of logs knows what to do with.
    if (!(error instanceof Error && "code" in error && error.code === "bad-input")) throw error;
  }
}
