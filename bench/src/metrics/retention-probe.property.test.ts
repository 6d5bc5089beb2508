import type { Message } from "@plimsoll/core";
import { messageChars, sequenceOf } from "@plimsoll/core/extend";
import { assistant, human, logOf, reply, result, summaryMessage } from "@plimsoll/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createContextChanges } from "../needs/needles.ts";
import { prepareReferences } from "../needs/recorded-references.ts";
import { extractReferences, standsAlone } from "../needs/references.ts";
import { messageTexts } from "../needs/texts.ts";
import { createRetentionProbe } from "./retention-probe.ts";

interface Line {
  readonly window: string;
  readonly offset: number;
}

function placesOf(reference: string, text: string): readonly number[] {
  return [...text.split("").keys()].filter(
    (start) => text.startsWith(reference, start) && standsAlone(text, start, start + reference.length),
  );
}

/** The lines of a message that state the reference, by splitting it. Lines of the generated texts are short. */
function linesOf(reference: string, message: Message): readonly Line[] {
  return messageTexts(message)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .flatMap((window) => placesOf(reference, window).map((offset) => ({ window, offset })));
}

function isReadable(
  line: Line,
  reference: string,
  isShown: (message: Message) => boolean,
  context: readonly Message[],
): boolean {
  return context.some((message) =>
    isShown(message)
      ? linesOf(reference, message).some(({ window }) => window === line.window)
      : messageTexts(message).some((text) =>
          placesOf(reference, text).some((start) => start >= line.offset && text.startsWith(line.window, start - line.offset)),
        ),
  );
}

interface Call {
  readonly history: readonly Message[];
  readonly last: Message;
  readonly context: readonly Message[];
}

/** `recalled/evidenced/sourceEvidenced/far` of each use, by searching the whole context for each. */
function naiveUses({ history, last, context }: Call): readonly string[] {
  const references = new Set(messageTexts(last).flatMap((text) => extractReferences(text).map((found) => found.text)));
  return [...references].flatMap((reference) => {
    const holders = history.filter((message) => linesOf(reference, message).length > 0);
    const latest = holders.at(-1);
    if (latest === undefined) return [];
    const lines = holders.flatMap((message) => linesOf(reference, message));
    const sources = holders.filter((message) => message.role !== "assistant").flatMap((message) => linesOf(reference, message));
    const source = (sources.length > 0 ? sources : lines).at(-1);
    const between = history.slice(history.indexOf(latest) + 1).reduce((chars, message) => chars + messageChars(message), 0);
    const isShown = (message: Message) => history.includes(message);
    const recalled = context.some((message) => messageTexts(message).some((text) => placesOf(reference, text).length > 0));
    const evidenced = lines.some((line) => isReadable(line, reference, isShown, context));
    const sourced = source !== undefined && isReadable(source, reference, isShown, context);
    return [`${recalled}/${evidenced}/${sourced}/${Math.floor(between / 4) >= 20_000}`];
  });
}

const word = fc.constantFrom(
  "foo_bar",
  "fooBar",
  "src/a/b.ts",
  "b.ts",
  "a/b.ts",
  "4431",
  "--go",
  "word",
  "is",
  "été",
  "文foo_bar",
);
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const text = fc.array(
  fc.tuple(fc.constantFrom("", "  ", "- "), line).map((parts) => parts.join("")),
  { minLength: 1, maxLength: 4 },
);
const draft = fc.record({
  role: fc.constantFrom("human", "reply", "result", "pondered"),
  text: text.map((lines) => lines.join("\n")),
});

const REASONING = "-".repeat(45_000);

const MAKE = {
  human: (id: string, content: string) => human(id, content),
  reply: (id: string, content: string) => reply(id, content),
  result: (id: string, content: string) => result(id, id, content),
  /** A reply with reasoning of 11,250 tokens: two of them put what is before them far away. */
  pondered: (id: string, content: string) =>
    assistant(id, [
      { type: "reasoning", text: REASONING, opaque: null },
      { type: "text", text: content },
    ]),
} as const;

/** The fates of earlier messages under a policy: for each, in order, the message itself, nothing, or some of its lines in a summary. */
const fates = fc.array(fc.constantFrom("kept", "kept", "kept", "gone", "quoted", "shortened"), { minLength: 1, maxLength: 8 });

function contextFor(history: readonly Message[], fate: readonly string[]): readonly Message[] {
  return history.flatMap((message, place) => {
    const words = messageTexts(message).join("\n").trimEnd();
    const outcome = fate[place % fate.length];
    const made = new Map<string | undefined, readonly Message[]>([
      ["kept", [message]],
      ["quoted", [summaryMessage(`s${place}`, `Said: ${words} (end)`)]],
      ["shortened", [human(message.id, words.slice(0, Math.ceil(words.length / 2)))]],
    ]);
    return made.get(outcome) ?? [];
  });
}

test("the probe, call after call, finds what searching every string in every whole context finds", () => {
  fc.assert(
    fc.property(
      fc.array(draft, { minLength: 2, maxLength: 10 }),
      fc.array(fates, { minLength: 1, maxLength: 3 }),
      (drafts, choices) => {
        const history = drafts.map(({ role, text: content }, place) => MAKE[role](`m${place}`, content));
        const probe = createRetentionProbe(prepareReferences(logOf(history)));
        const calls = history.flatMap((last, place): readonly Call[] => {
          const before = history.slice(0, place);
          const fate = choices[place % choices.length] ?? [];
          return last.role === "assistant" ? [{ history: before, last, context: contextFor(before, fate) }] : [];
        });
        const changesTo = createContextChanges();
        for (const [call, { last, context }] of calls.entries()) probe.atCall(call, last, changesTo(sequenceOf(context)));
        const uses = calls.flatMap(naiveUses).map((use) => use.split("/"));
        const countOf = (among: readonly (readonly string[])[]) => ({
          uses: among.length,
          recalled: among.filter((use) => use[0] === "true").length,
          evidenced: among.filter((use) => use[1] === "true").length,
          sourceEvidenced: among.filter((use) => use[2] === "true").length,
        });
        expect(probe.result()).toMatchObject({ all: countOf(uses), far: countOf(uses.filter((use) => use[3] === "true")) });
      },
    ),
    { numRuns: 200 },
  );
});
