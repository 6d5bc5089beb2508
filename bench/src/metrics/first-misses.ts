import { z } from "zod";
import type { HeldReplay } from "../needs/controls.ts";
import { summed } from "../statistics.ts";
import type { Metric, Recorder } from "./metric.ts";

/** Uses of replaced texts and passages by whether their source was in the context. */
interface FirstMisses {
  readonly uses: number;
  readonly missed: number;
  /** Of the missed ones, those whose source was missed for the first time: a model that misses it reads it again, and has it for the next. */
  readonly first: number;
}

/** The same by kind of need. */
export interface FirstMissesByKind {
  readonly edits: FirstMisses;
  readonly passages: FirstMisses;
}

const NONE: FirstMisses = { uses: 0, missed: 0, first: 0 };
const count = z.int().nonnegative();
const misses: z.ZodType<FirstMisses> = z.strictObject({ uses: count, missed: count, first: count });

/** Counts each source that a context lacked once, however often it was needed. Sums over the sessions. Only for programs. */
export const FIRST_MISSES: Metric<"firstMisses", FirstMissesByKind, FirstMissesByKind, never> = {
  id: "firstMisses",
  schema: z.strictObject({ edits: misses, passages: misses }),
  measure: ({ held }) => createFirstMisses(held),
  pool: ({ results }) => {
    const pooled = (kind: keyof FirstMissesByKind) =>
      summed(
        NONE,
        results.map((each) => each[kind]),
      );
    return { edits: pooled("edits"), passages: pooled("passages") };
  },
  figures: {},
};

function createFirstMisses(held: HeldReplay): Recorder<FirstMissesByKind, { readonly reply: unknown }> {
  const of = (kind: keyof FirstMissesByKind) => {
    const sources = new Set<number>();
    let missed = 0;
    return {
      add: () => {
        for (const { statedAt } of held.missing([kind])) {
          missed += 1;
          sources.add(statedAt);
        }
      },
      result: (): FirstMisses => ({ uses: held.result(kind).all.uses, missed, first: sources.size }),
    };
  };
  const [edits, passages] = [of("edits"), of("passages")];
  return {
    add: ({ reply }) => {
      if (reply === null) return;
      edits.add();
      passages.add();
    },
    result: () => ({ edits: edits.result(), passages: passages.result() }),
  };
}
