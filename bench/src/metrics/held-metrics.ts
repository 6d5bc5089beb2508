import { type HeldMetric, heldMetric } from "./held.ts";

/** Of the texts that recorded calls replace in files, those that the context holds whole. */
export const REPLACED_TEXTS: HeldMetric<"replacedTexts"> = heldMetric({
  id: "replacedTexts",
  kind: "edits",
  title: "replaced texts",
  method:
    "Share of the texts that edits replace (old texts, context and removed lines of patches) found in the context, whole and contiguous",
  caveat: "Recorded agents almost always have it, except after their own compactions; missing text must be read again.",
});

/** Of the passages that replies refer to, those that the context holds with their neighbours. */
export const PASSAGES: HeldMetric<"passages"> = heldMetric({
  id: "passages",
  kind: "passages",
  title: "passages",
  method:
    "Share of references with their newest source line (from a person or a tool) in the context, contiguous with three lines on each side",
  caveat: "Paraphrased neighbours do not count.",
});

/** Of the files that replies change, those whose newest reading the context holds. */
export const FILE_IN_HAND: HeldMetric<"fileInHand"> = heldMetric({
  id: "fileInHand",
  kind: "fileInHand",
  title: "edited files",
  method: "Share of changed files with at least 80% of the lines of their newest read or write in the context, contiguous",
  caveat: "Shell reads count only if the command just shows one file.",
});

/** Of the person's messages so far, those that the context holds word for word. */
export const INSTRUCTIONS: HeldMetric<"instructions"> = heldMetric({
  id: "instructions",
  kind: "instructions",
  title: "instructions",
  method: "Share of the person's messages so far that are in the context word for word, at each call",
  caveat: "Paraphrases in a summary do not count.",
});

/** Of the newest plan's items, those that the context holds word for word. */
export const PLAN: HeldMetric<"plan"> = heldMetric({
  id: "plan",
  kind: "plan",
  title: "plan",
  method:
    "Share of the items of the newest plan or list of tasks that are in the context word for word, at each call that has one",
  caveat: "Only agents that write such a list have this measure.",
});
