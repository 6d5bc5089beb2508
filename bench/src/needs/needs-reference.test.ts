import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Message, Part } from "@plimsoll/core";
import { assistant, human, logOf, reply, result } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { isHeldBy, type ReadMessage, readMessage, referenceUses } from "../../testing/reference-measures.ts";
import { importFile } from "../formats/registry.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import type { Transcript } from "../transcript.ts";
import { messageTexts } from "./texts.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Recorded sessions of other agents, which are not part of the project: their rows run if the folder is there. */
const RECORDED = join(ROOT, "../shared/transcripts");

const KINDS = ["edits", "passages", "fileInHand", "instructions"] as const;

/** Messages of a short context, and of one with a summary before it. */
const NEWEST = { alone: 30, afterSummary: 10 } as const;

/** The quotations of a made summary: of every so many messages so many lines in a row, numbers and all; from another place in each message. */
const QUOTED = { every: 3, lines: 12 } as const;

/** The needs that the reference and the measures find in some replies: a line a use, `25 edits stated at 6, held in full short`. */
interface BothReadings {
  readonly reference: readonly string[];
  readonly measured: readonly string[];
}

function bothReadings(transcript: Transcript): BothReadings {
  const { entries, references, needs: found } = prepareSession(transcript);
  const needs = found();
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const history = messages.filter((message) => references.ordinalOf(message) !== null).map(recordedAs);
  const replies = [...history.entries()].filter(([, { whole }]) => whole.message.role === "assistant");
  const readings = replies.flatMap(([ordinal, { whole }]) => {
    const earlier = history.slice(0, ordinal);
    const contexts = contextsAfter(earlier);
    const used = references.usesOf(whole.message).map(({ reference }) => references.references[reference] ?? "");
    const held = contexts.map(({ name, context }) => ({
      name,
      needles: new Set(context.flatMap((read) => needs.index.heldIn(read.message))),
    }));
    const wanted = needs.at(ordinal).filter(({ kind }) => KINDS.some((each) => each === kind));
    return [
      {
        reference: referenceUses({
          reply: whole.message,
          earlier: earlier.map((message) => message.whole),
          references: used,
        }).map((use) => {
          const holding = contexts.filter(({ context }) => context.some((read) => isHeldBy(use, read)));
          return lineOf({ ...use, ordinal, contexts: holding });
        }),
        measured: wanted.map((need) =>
          lineOf({ ...need, ordinal, contexts: held.filter(({ needles }) => needles.has(need.needle)) }),
        ),
      },
    ];
  });
  return {
    reference: readings.flatMap(({ reference }) => reference.toSorted()),
    measured: readings.flatMap(({ measured }) => measured.toSorted()),
  };
}

interface HeldUse {
  readonly ordinal: number;
  readonly kind: string;
  readonly statedAt: number;
  readonly contexts: readonly { readonly name: string }[];
}

function lineOf({ ordinal, kind, statedAt, contexts }: HeldUse): string {
  return `${ordinal} ${kind} stated at ${statedAt}, held in ${contexts.map(({ name }) => name).join(" ")}`;
}

interface NamedContext {
  readonly name: string;
  readonly context: readonly ReadMessage[];
}

/** A message of the history, as it is and as other contexts have it. */
interface Recorded {
  readonly whole: ReadMessage;
  readonly shortened: ReadMessage;
  readonly quote: string;
}

function recordedAs(message: Message, place: number): Recorded {
  const quotes = messageTexts(message).flatMap((text) => {
    const lines = text.split("\n");
    const from = (place * 7) % lines.length;
    return lines.slice(from, from + QUOTED.lines);
  });
  return { whole: readMessage(message), shortened: readMessage(shortened(message)), quote: quotes.join("\n") };
}

function contextsAfter(earlier: readonly Recorded[]): readonly NamedContext[] {
  const quoted = earlier.slice(0, -NEWEST.afterSummary).filter((_, place) => place % QUOTED.every === 0);
  const summary = readMessage(human("made-summary", quoted.map(({ quote }) => quote).join("\n")));
  return [
    { name: "full", context: earlier.map(({ whole }) => whole).reverse() },
    { name: "short", context: earlier.slice(-NEWEST.alone).map(({ whole }) => whole) },
    { name: "summarized", context: [summary, ...earlier.slice(-NEWEST.afterSummary).map(({ whole }) => whole)] },
    { name: "shortened", context: earlier.slice(-NEWEST.alone).map((message) => message.shortened) },
  ];
}

/** A result with the second half of its lines taken out; any other message as it is. */
function shortened(message: Message): Message {
  if (message.role !== "tool-result") return message;
  const parts = message.parts.map((part) => {
    if (part.type !== "text") return part;
    const lines = part.text.split("\n");
    return { ...part, text: [...lines.slice(0, Math.ceil(lines.length / 2)), "[shortened]"].join("\n") };
  });
  return { ...message, parts };
}

/** How many uses of each kind there are. */
function countsOf(lines: readonly string[]): string {
  return KINDS.map((kind) => `${lines.filter((line) => line.includes(` ${kind} `)).length} ${kind}`).join(", ");
}

async function transcriptOf(path: string): Promise<Transcript> {
  const [transcript] = await importFile(path);
  expect(transcript).toBeDefined();
  return transcript ?? made([]);
}

describe("the measures agree with a slow reading of the protocol", () => {
  test.each([
    ["bug-hunt.jsonl", "14 edits, 332 passages, 14 fileInHand, 187 instructions"],
    ["conversation.jsonl", "6 edits, 113 passages, 6 fileInHand, 908 instructions"],
    ["tour-and-feature.jsonl", "16 edits, 382 passages, 17 fileInHand, 512 instructions"],
  ])("on all uses of %s", async (file, counts) => {
    const { reference, measured } = bothReadings(await transcriptOf(join(ROOT, "fixtures/sessions", file)));
    expect(measured).toEqual(reference);
    expect(countsOf(measured)).toBe(counts);
  });

  const sessions = [
    ["claude-code/polecatspeaks__StarCar__entire-35a3b1f36865-0.jsonl", 420],
    ["codex-rollout/savekirk__session-bridge__entire-64b5e5660349-4.jsonl", 1800],
    ["gemini-cli-chat/savekirk__session-bridge__entire-e94f17cdc65d-0.json", 200],
    ["opencode-export/savekirk__session-bridge__entire-13dddd416599-0.json", 830],
    ["pi-session/entireio__auth-go__entire-7407a21c1092-0.jsonl", 2380],
  ] as const;
  const present = sessions.filter(([file]) => existsSync(join(RECORDED, file)));

  test.each(present)("on all uses of %s, more than %i", async (file, count) => {
    const { reference, measured } = bothReadings(await transcriptOf(join(RECORDED, file)));
    expect(measured).toEqual(reference);
    expect(measured.length).toBeGreaterThan(count);
  });

  test.skipIf(present.length === sessions.length)(`${sessions.length - present.length} recorded sessions are not there`, () => {
    expect(present).toEqual([]);
  });
});

const CODE = ["function first() {", "  return 1;", "", "  // the second part", "  return 2;", "}"];

/** A session in which a result is followed by a reply that uses what the result says. */
function made(messages: readonly Message[]): Transcript {
  return { name: "s", file: "s", format: "made", entries: logOf(messages), parentName: null, hasUsage: false, notes: [] };
}

function calling(id: string, args: unknown, access: "read" | "modify"): Message {
  const call = { type: "tool-call", callId: id, toolName: "tool", argumentsJson: JSON.stringify(args) } as const;
  return assistant(id, [{ ...call, paths: [{ path: "src/a.ts", access }] }]);
}

const numbered = (mark: string) => CODE.map((line, place) => `${String(place + 1).padStart(6)}${mark}${line}`).join("\n");
const block = (old: string) => `------- SEARCH\n${old}\n=======\nnew\n+++++++ REPLACE\n`;
const texts = (...parts: readonly string[]): readonly Extract<Part, { type: "text" }>[] =>
  parts.map((text) => ({ type: "text", text }));
const edit = (oldText: string, id = "edit") => calling(id, { old_string: oldText, new_string: "x" }, "modify");

describe("both know the forms that recorded sessions seldom have", () => {
  const ask = human("u", "go");
  const read = calling("read", { path: "src/a.ts" }, "read");
  const shown = (text: string) => [ask, read, result("r", "read", text)];
  test.each<[string, readonly Message[], string]>([
    [
      "an empty line behind a number and a tab",
      [...shown(numbered("\t")), edit(CODE.join("\n"))],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    ["an arrow", [...shown(numbered("→")), edit(CODE.join("\n"))], "1 edits, 0 passages, 1 fileInHand"],
    ["a colon with a space", [...shown(numbered(": ")), edit(CODE.join("\n"))], "1 edits, 0 passages, 1 fileInHand"],
    [
      "a colon alone before indented lines",
      [...shown(numbered(":")), edit(CODE.join("\n"))],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    ["a bar", [...shown(numbered("| ")), edit(CODE.join("\n"))], "1 edits, 0 passages, 1 fileInHand"],
    ["line ends of two characters", [...shown(CODE.join("\r\n")), edit(CODE.join("\n"))], "1 edits, 0 passages, 1 fileInHand"],
    [
      "a block that is searched for",
      [...shown(CODE.join("\n")), calling("e", { diff: block(CODE.slice(1, 5).join("\n")) }, "modify")],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    [
      "an edit that searches and replaces",
      [...shown(CODE.join("\n")), calling("e", { search: CODE.slice(3, 5).join("\n"), replace: "" }, "modify")],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    [
      "a reading that begins indented",
      [...shown(CODE.slice(1, 5).join("\n")), edit(CODE.slice(3, 5).join("\n"))],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    [
      "one text in two edits of a reply",
      [
        ...shown(CODE.join("\n")),
        assistant(
          "e",
          [edit(CODE.join("\n"), "e1"), edit(CODE.join("\n"), "e2")].flatMap((call) =>
            call.role === "assistant" ? call.parts : [],
          ),
        ),
      ],
      "1 edits, 0 passages, 1 fileInHand",
    ],
    [
      "a passage in a numbered text",
      [...shown(numbered("\t").replace("first", "first_part_x")), reply("a", "first_part_x")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a reference that only a line's number states",
      [...shown(`1041\t${CODE[0]}\n1042\t${CODE[1]}`), reply("a", "see 1042")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a line that is too long, behind a number",
      [...shown(`1\tkey_of_it ${"x".repeat(400)}\n2\tb`), reply("a", "key_of_it")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a longer line after the one that stated",
      [...shown("key_of_it = 1\nother = key_of_it = 12"), reply("a", "key_of_it")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a frame around a file",
      [
        ...shown(
          `<path>src/a.ts</path>\n<content>\n${numbered(": ").replace("first", "first_part_x")}\n\n(End of file - 6 lines)\n</content>`,
        ),
        reply("a", "first_part_x"),
      ],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a notice alone under a text",
      [...shown("key_of_it = 1\n[9 more lines (of 10)]\n"), reply("a", "key_of_it")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a result that is a tag alone",
      [...shown("<error>key_of_it</error>"), reply("a", "key_of_it")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
    [
      "a progress line",
      [...shown("start\n10%\r20% key_of_it\r100%\nend"), reply("a", "key_of_it")],
      "0 edits, 1 passages, 0 fileInHand",
    ],
  ])("%s", (_, messages, counts) => {
    const { reference, measured } = bothReadings(made(messages));
    expect(measured).toEqual(reference);
    expect(countsOf(measured.filter((line) => line.startsWith(`${messages.length - 1} `)))).toBe(`${counts}, 1 instructions`);
  });

  test("each text of a person's message is one instruction, however often it was said", () => {
    const both = { ...human("u1", ""), parts: texts("first wish", "second wish") };
    const { reference, measured } = bothReadings(made([both, human("u2", "first wish"), reply("a", "ok")]));
    expect(measured).toEqual(reference);
    expect(measured.map((line) => line.split(",")[0])).toEqual(["2 instructions stated at 0", "2 instructions stated at 1"]);
  });
});
