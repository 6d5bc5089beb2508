/** How a cut of a result is marked: by pi, and by us. The wording is each one's own; where it cuts, and how much, is compared. */
const CUT_MARKS = [/\n\n\[\.\.\. (\d+) more characters truncated\]/g, /\n\[… (\d+) more characters left out\]/g] as const;

/**
 * Names the difference of two serialised histories, once cuts are marked alike: `null` if nothing does. `quoted` if they differ only by the backslashes that
 * keep text from reading as a speaker; `reasoning` if theirs also has the model's; `joins` if they differ only by what stands between the parts of one message; `parts` if they have other speakers or another number of pieces; else `text`.
 */
export function textDifference(ours: string, theirs: string): string | null {
  const [own, other] = [marked(ours), marked(theirs)];
  if (own === other) return null;
  if (own.replaceAll("\\", "") === other.replaceAll("\\", "")) return "quoted";
  if (bare(own) === bare(other)) return "joins";
  if (bare(own) === bare(withoutReasoning(other))) return "reasoning";
  return speakersOf(own) === speakersOf(other) ? "text" : "parts";
}

function marked(text: string): string {
  return CUT_MARKS.reduce((shown, mark) => shown.replaceAll(mark, (_, count: string) => `\n<cut ${count}>`), text);
}

/** An older pi writes a model's reasoning in pieces of its own. */
function withoutReasoning(text: string): string {
  const pieces = text.split(/\n\n(?=\[[A-Z][\w ,]*\]: )/);
  return pieces.filter((piece) => !piece.startsWith("[Assistant thinking]: ")).join("\n\n");
}

/** Without white space and quoting, and without how much was cut: a cap counts what joins parts. */
function bare(text: string): string {
  return text.replaceAll(/<cut \d+>|[\s\\]+/g, "");
}

function speakersOf(text: string): string {
  return [...text.matchAll(/(?:^|\n\n)\[([A-Z][\w ,]*)\]: /g)].map(([, name = ""]) => name).join("|");
}
