import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { defineKeepRule, type KeepRuleKind, type Passage, type ReadableText } from "./keep-rule.ts";
import { type StatedLine, statedLines } from "./lines.ts";

/** Neighbouring lines of what leaves, up to an amount. */
export interface PassagesSpec {
  readonly kind: "passages";
  readonly atMost: Amount;
}

const schema: z.ZodType<PassagesSpec> = z.strictObject({
  kind: z.literal("passages"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/** Lines on each side of one that states something. A change quotes some lines around the one that it changes; chosen. */
const NEIGHBOURS = 3;

/**
 * Keeps lines with their neighbours: a line alone says that a thing exists, its neighbours say what it is, and a change can quote them. A
 * passage is worth what its lines are, for its length; of equal ones the newest goes first.
 */
export const PASSAGES: KeepRuleKind = defineKeepRule({
  kind: "passages",
  schema,
  rule: ({ atMost }) => ({
    keeps: "passages",
    atMost,
    choose: (texts) => {
      const lines = statedLines(texts);
      const passages = lines.flatMap(({ worth }, index) => (worth > 0 ? [passageAround(lines, index, texts)] : []));
      return passages.sort((a, b) => b.ratio - a.ratio || b.order - a.order);
    },
  }),
});

interface WorthyPassage extends Passage {
  readonly ratio: number;
  readonly order: number;
}

function passageAround(lines: readonly StatedLine[], index: number, texts: readonly ReadableText[]): WorthyPassage {
  const text = lines[index]?.text ?? 0;
  const around = lines.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1).filter((line) => line.text === text);
  const worth = around.reduce((sum, line) => sum + line.worth, 0);
  const start = indentedStart(texts[text]?.text ?? "", around[0]?.start ?? 0);
  const end = around.at(-1)?.end ?? start;
  return { text, start, end, ratio: worth / (end - start), order: index };
}

/** An indentation that is longer is none. */
const INDENTATION_CHARS = 200;

/** Where the indentation before a line begins: a change must quote it, too. */
function indentedStart(text: string, lineStart: number): number {
  let start = lineStart;
  while (start > 0 && lineStart - start < INDENTATION_CHARS && " \t".includes(text.charAt(start - 1))) start -= 1;
  return start === 0 || text.charAt(start - 1) === "\n" ? start : lineStart;
}
