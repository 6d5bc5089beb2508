import { type HeldMetric, heldMetric } from "./held.ts";

/** Of the texts that recorded calls replace in files, those that the context holds whole. */
export const REPLACED_TEXTS: HeldMetric<"replacedTexts"> = heldMetric({
  id: "replacedTexts",
  kind: "edits",
  title: "replaced texts",
  method:
    "Share of the texts that edits replace (old texts, context and removed lines of patches) that stand in the context, whole and contiguous",
  caveat: "Recorded agents have it almost always away from their own compactions: what is missing would have to be read again.",
});

/** Of the passages that replies refer to, those that the context holds with their neighbours. */
export const PASSAGES: HeldMetric<"passages"> = heldMetric({
  id: "passages",
  kind: "passages",
  title: "passages",
  method:
    "Share of references whose newest stating line of a person or a tool stands in the context with three lines on each side, contiguous",
  caveat: "Neighbours that a summary says in other words do not count.",
});

/** Of the files that replies change, those whose newest reading the context holds. */
export const FILE_IN_HAND: HeldMetric<"fileInHand"> = heldMetric({
  id: "fileInHand",
  kind: "fileInHand",
  title: "file in hand",
  method:
    "Share of changed files of whose newest reading or writing at least 80 % of the lines stand in the context, contiguous",
  caveat: "Of what agents read through a shell only commands that do nothing but show one file count.",
});

/** Of the person's messages so far, those that the context holds word for word. */
export const INSTRUCTIONS: HeldMetric<"instructions"> = heldMetric({
  id: "instructions",
  kind: "instructions",
  title: "instructions",
  method: "Share of the person's messages so far that stand in the context word for word, at each call",
  caveat: "A summary may say the same in other words; that does not count.",
});

/** Of the newest plan's items, those that the context holds word for word. */
export const PLAN: HeldMetric<"plan"> = heldMetric({
  id: "plan",
  kind: "plan",
  title: "plan",
  method:
    "Share of the items of the newest plan or list of tasks that stand in the context word for word, at each call that has one",
  caveat: "Only agents that write such a list have any.",
});
