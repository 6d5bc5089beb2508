import { markdownTable } from "@plimsoll/bench/extend";
import { z } from "zod";
import { areaWithin, type ScoredRun } from "./area.ts";
import { protocolLine, shown } from "./figures.ts";
import type { GitFolder } from "./git-folder.ts";
import { type Effort, numbered, REPORTED, resampled } from "./resample.ts";

/** A judged answer about a fact, and whether the context that it was given from had the fact's passage. */
export interface JudgedAnswer {
  readonly fact: string;
  /** Run and density: facts of one stood in one conversation. */
  readonly conversation: string;
  /** How much of it had been compacted. */
  readonly level: string;
  readonly isAccurate: boolean;
  /** The line that states it, with three lines on each side, stands in one message. */
  readonly hasPassage: boolean;
  /** Its keywords stand anywhere. */
  readonly hasKeywords: boolean;
  /** Whether its messages had been compacted away. */
  readonly isCompacted: boolean;
}

const RUNS = "compaction_v5_R4_";

const messages = z.array(z.object({ content: z.string() }));
const meta = z.object({
  facts: z.array(
    z.object({
      fact_id: z.string(),
      keywords: z.array(z.string()),
      message_start: z.number(),
      message_end: z.number(),
      compacted: z.boolean(),
    }),
  ),
});
const judgments = z.object({
  batches: z.array(z.object({ verdicts: z.array(z.object({ fact_id: z.string(), accurate: z.boolean() })) })),
});

/** Reads the judged answers of profff/lost-in-compaction in batches of five. Facts whose statement no context shows whole are left out. */
export function judgedAnswers(folder: GitFolder): readonly JudgedAnswer[] {
  const paths = folder.paths(".").filter((path) => path.startsWith(RUNS) && /\/judgments\/\w+_bs5\.json$/.test(path));
  const answers: JudgedAnswer[] = [];
  const conversations = new Map<string, { level: string; path: string }[]>();
  for (const path of paths) {
    const [run = "", , file = ""] = path.split("/");
    const [density = "", level = ""] = file.split("_");
    const name = `${run} ${density}`;
    conversations.set(name, [...(conversations.get(name) ?? []), { level, path: `${run}/contexts/${density}_${level}` }]);
  }
  for (const [conversation, levels] of conversations) {
    const contexts = levels.map(({ level, path }) => {
      const texts = messages.parse(JSON.parse(folder.text(`${path}.json`))).map(({ content }) => content);
      const { facts } = meta.parse(JSON.parse(folder.text(`${path}_meta.json`)));
      const judged = judgments.parse(JSON.parse(folder.text(`${path.replace("/contexts/", "/judgments/")}_bs5.json`)));
      const verdicts = judged.batches.flatMap((batch) => batch.verdicts);
      return { level, texts, facts, verdicts: new Map(verdicts.map(({ fact_id: id, accurate }) => [id, accurate])) };
    });
    const stated = new Map<string, string>();
    for (const { texts, facts } of contexts)
      for (const { fact_id: fact, keywords, message_start: from, message_end: through, compacted } of facts) {
        const passage = compacted ? null : passageOf(texts.slice(from, through), keywords);
        if (passage !== null && !stated.has(fact)) stated.set(fact, passage);
      }
    for (const { level, texts, facts, verdicts } of contexts) {
      const whole = texts.join("\n").toLowerCase();
      for (const { fact_id: fact, keywords, compacted: isCompacted } of facts) {
        const [passage, isAccurate] = [stated.get(fact), verdicts.get(fact)];
        if (passage === undefined || isAccurate === undefined) continue;
        const hasPassage = texts.some((text) => text.includes(passage));
        const hasKeywords = keywords.every((keyword) => whole.includes(keyword.toLowerCase()));
        answers.push({ fact, conversation, level, isAccurate, hasPassage, hasKeywords, isCompacted });
      }
    }
  }
  return answers;
}

/** Lines on each side, the longest neighbour, and what stands for a longer line (docs/evidence.md). */
const SIDE_LINES = 3;
const LONGEST_LINE_CHARS = 320;
const AROUND_CHARS = 160;

/** The last line of a fact's messages that has all its keywords, with its neighbours; `null` if none has. */
export function passageOf(texts: readonly string[], keywords: readonly string[]): string | null {
  const wanted = keywords.map((keyword) => keyword.toLowerCase());
  for (const text of texts.toReversed()) {
    const lines = text.split("\n");
    const place = lines.findLastIndex((line) => wanted.every((keyword) => line.toLowerCase().includes(keyword)));
    const line = lines[place];
    if (line === undefined) continue;
    if (line.length > LONGEST_LINE_CHARS) {
      const at = line.toLowerCase().indexOf(wanted[0] ?? "");
      const from = Math.max(0, at - AROUND_CHARS / 2);
      return line.slice(from, from + AROUND_CHARS);
    }
    let [first, last] = [place, place];
    const isNeighbour = (at: number) => (lines[at]?.length ?? LONGEST_LINE_CHARS + 1) <= LONGEST_LINE_CHARS;
    while (first > place - SIDE_LINES && isNeighbour(first - 1)) first -= 1;
    while (last < place + SIDE_LINES && isNeighbour(last + 1)) last += 1;
    return lines
      .slice(first, last + 1)
      .join("\n")
      .trim();
  }
  return null;
}

/** The tables: how often answers are right with and without the passage, and the areas of passage, keywords and their difference. */
export function answersPage(answers: readonly JudgedAnswer[], { draws }: Effort = REPORTED): string {
  const levels = [...new Set(answers.map(({ level }) => level))].sort();
  const rows = levels.map((level) => {
    const own = answers.filter((answer) => answer.level === level);
    const right = (has: boolean) => {
      const these = own.filter(({ hasPassage }) => hasPassage === has);
      return `${these.filter(({ isAccurate }) => isAccurate).length}/${these.length}`;
    };
    return [level, right(true), right(false)];
  });
  const { of, count } = numbered(answers.map(({ fact }) => fact));
  const runsOf = (scoreOf: (answer: JudgedAnswer) => boolean, within: "all" | "level"): readonly ScoredRun[] =>
    answers.map((answer, place) => ({
      score: scoreOf(answer) ? 0 : 1,
      hasFailed: !answer.isAccurate,
      stratum: within === "all" ? "" : `${answer.conversation} ${answer.level}`,
      cluster: of[place] ?? 0,
    }));
  const passage = (within: "all" | "level") => areaWithin(runsOf(({ hasPassage }) => hasPassage, within));
  const keywords = (within: "all" | "level") => areaWithin(runsOf(({ hasKeywords }) => hasKeywords, within));
  const areas = (["all", "level"] as const).map((within) => {
    const [one, other] = [passage(within), keywords(within)];
    const difference = resampled(
      count,
      (weights) => {
        const [own, less] = [one(weights), other(weights)];
        return own === null || less === null ? null : own - less;
      },
      draws,
    );
    return [
      within === "all" ? "all pairs" : "within a context",
      shown(resampled(count, one, draws)),
      shown(resampled(count, other, draws)),
      shown(difference),
    ];
  });
  return [
    protocolLine(),
    "",
    `${answers.length} answers, ${count} facts, ${new Set(answers.map(({ conversation }) => conversation)).size} conversations`,
    "",
    markdownTable({ head: ["compacted", "right with the passage", "right without it"], rows }),
    "",
    markdownTable({ head: ["area over", "passage", "keywords", "difference"], rows: areas }),
  ].join("\n");
}
