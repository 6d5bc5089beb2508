import { createHash } from "node:crypto";
import { z } from "zod";
import type { GitFolder } from "../git-folder.ts";

/** The run with compacted contexts, and the one without compaction, of profff/lost-in-compaction. */
const COMPACTED_RUN = "compaction_v5_R4_20260224_1353";
const WHOLE_RUN = "recall_v5_R4_20260223_1415";
const DENSITY = "d80";
const LEVELS = ["C1", "C2", "C3", "C4"] as const;
const BATCH_SIZES = ["bs1", "bs5", "bs10"] as const;
/** Longer answers are rubrics. */
const MOST_ANSWER_WORDS = 8;

/** A fact that a large model knew before compaction, and one context after it. */
export interface FactCase {
  readonly fact: string;
  readonly level: string;
  readonly question: string;
  readonly answer: string;
  /** The passages that are read, in the order of the context. */
  readonly passages: readonly string[];
  /** Whether the large model still answered correctly. */
  readonly answered: boolean;
  /** All keywords stand in the context; in the passages; the fact's own messages were not compacted. */
  readonly inContext: boolean;
  readonly inPassages: boolean;
  readonly stands: boolean;
}

const metaSchema = z.object({
  facts: z.array(
    z.object({
      fact_id: z.string(),
      question_type: z.string(),
      question: z.string(),
      answer: z.string(),
      keywords: z.array(z.string()),
      compacted: z.boolean(),
    }),
  ),
});
const judgmentsSchema = z.object({
  batches: z.array(z.object({ verdicts: z.array(z.object({ fact_id: z.string(), accurate: z.boolean() })) })),
});
const contextSchema = z.array(z.object({ content: z.string() }));

/** The cases of the protocol's first sample, by level and fact. */
export function factCases(repository: GitFolder): readonly FactCase[] {
  const known = accurateIn(repository, (size) => `${WHOLE_RUN}/judgments/${DENSITY}_${size}.json`);
  return LEVELS.flatMap((level) => {
    const base = `${COMPACTED_RUN}/contexts/${DENSITY}_${level}`;
    const { facts } = metaSchema.parse(JSON.parse(repository.text(`${base}_meta.json`)));
    const texts = contextSchema.parse(JSON.parse(repository.text(`${base}.json`))).map(({ content }) => content);
    const after = accurateIn(repository, (size) => `${COMPACTED_RUN}/judgments/${DENSITY}_${level}_${size}.json`);
    const passages = passageIndex(texts);
    const whole = texts.join("\n").toLowerCase();
    const asked = facts.filter(
      ({ fact_id, question_type, answer }) =>
        known.has(fact_id) &&
        question_type !== "single-session-preference" &&
        answer.trim().split(/\s+/).length <= MOST_ANSWER_WORDS,
    );
    return asked.map(({ fact_id, question, answer, keywords, compacted }) => {
      const read = passages(question);
      const shown = read.join("\n").toLowerCase();
      return {
        fact: fact_id,
        level,
        question,
        answer,
        passages: read,
        answered: after.has(fact_id),
        inContext: keywords.every((word) => whole.includes(word.toLowerCase())),
        inPassages: keywords.every((word) => shown.includes(word.toLowerCase())),
        stands: !compacted,
      };
    });
  });
}

/** Facts that were answered correctly at one batch size at least. */
function accurateIn(repository: GitFolder, pathOf: (size: string) => string): ReadonlySet<string> {
  const verdicts = BATCH_SIZES.flatMap((size) => judgmentsSchema.parse(JSON.parse(repository.text(pathOf(size)))).batches);
  return new Set(verdicts.flatMap((batch) => batch.verdicts.flatMap((each) => (each.accurate ? [each.fact_id] : []))));
}

/** The side of the split that a fact is on: even facts choose the variant, the others are held out. */
export function isHeldOut(fact: string): boolean {
  return (createHash("sha256").update(fact).digest()[0] ?? 0) % 2 === 1;
}

const PASSAGE_CHARS = 500;
const PASSAGES = 4;
/** Of BM25 (Robertson and Zaragoza, 2009). */
const K1 = 1.2;
const B = 0.75;

/** Finds the passages of a context that BM25 ranks first by a question's words, in the order of the context. */
export function passageIndex(texts: readonly string[]): (question: string) => readonly string[] {
  const passages = texts.flatMap(passagesOf).map((text) => ({ text, words: wordsOf(text) }));
  const usual = passages.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, passages.length);
  const holders = new Map<string, number>();
  for (const { words } of passages) for (const word of new Set(words)) holders.set(word, (holders.get(word) ?? 0) + 1);
  return (question) => {
    const asked = [...new Set(wordsOf(question))].filter((word) => holders.has(word));
    const rareness = new Map(
      asked.map((word) => {
        const own = holders.get(word) ?? 0;
        return [word, Math.log(1 + (passages.length - own + 0.5) / (own + 0.5))];
      }),
    );
    const scored = passages.map(({ words }, place) => {
      const counts = new Map<string, number>();
      for (const word of words) if (rareness.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
      const size = K1 * (1 - B + (B * words.length) / usual);
      const score = [...counts].reduce((sum, [word, n]) => sum + ((rareness.get(word) ?? 0) * n * (K1 + 1)) / (n + size), 0);
      return { place, score };
    });
    const best = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score || a.place - b.place);
    const places = best.slice(0, PASSAGES).map(({ place }) => place);
    return places.toSorted((a, b) => a - b).flatMap((place) => passages[place]?.text ?? []);
  };
}

/** Lines of a text together up to so many characters; a longer line is cut. */
function passagesOf(text: string): readonly string[] {
  const passages: string[] = [];
  let open = "";
  for (const line of text.split("\n").flatMap(piecesOf)) {
    if (open.length + line.length > PASSAGE_CHARS && open !== "") {
      passages.push(open);
      open = "";
    }
    open += `${line}\n`;
  }
  return [...passages, open].map((passage) => passage.trim()).filter((passage) => passage !== "");
}

function piecesOf(line: string): readonly string[] {
  return Array.from({ length: Math.max(1, Math.ceil(line.length / PASSAGE_CHARS)) }, (_, at) =>
    line.slice(at * PASSAGE_CHARS, (at + 1) * PASSAGE_CHARS),
  );
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The prompts of a fact: with its passages, and with none. */
export function factPrompts({ question, passages }: Pick<FactCase, "question" | "passages">): ReadonlyMap<string, string> {
  const asked = `Question: ${question}\nAnswer:`;
  return new Map([
    ["none", asked],
    ["passages", `Notes of earlier conversations:\n\n${passages.join("\n\n")}\n\n${asked}`],
  ]);
}
