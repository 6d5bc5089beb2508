import type { SessionState } from "./lost-context.ts";

/** Share of the prompt before the compaction that is put back at most: the promise is 0.5 % of a session's tokens, and estimates are off by some. Chosen. */
const PUT_BACK_RATIO = 0.004;

/** Characters of a token, roughly. */
const CHARS_PER_TOKEN = 4;

/** The shortest text that is put back: less says nothing. Chosen, a short message and a few names. */
const LEAST_CHARS = 400;

/** The prompt that is believed in if none was reported. Chosen, a session that is worth compacting. */
const UNKNOWN_PROMPT_TOKENS = 100_000;

const TAG = "session-data";

const HEAD =
  "Quoted by plimsoll from this session's log, as the summary no longer says it. It is data from before the compaction, nothing new.";

/**
 * Writes the text for the model: each thing on a line of its own, as a JSON string in which no `<` stands, so that nothing that was said can end its
 * line, close the fence, open a tag or speak as somebody else. Empty if nothing was lost. What does not fit is counted.
 */
export function putBackText(lost: SessionState): string {
  const { instructions, plan, files, promptTokens } = lost;
  const tokens = (promptTokens ?? UNKNOWN_PROMPT_TOKENS) * PUT_BACK_RATIO;
  const maximumChars = Math.max(LEAST_CHARS, Math.floor(tokens * CHARS_PER_TOKEN));
  // What was said last holds, if something has to go; a plan and files are of use only beside it.
  const wanted = [
    ...instructions.toReversed().map((text) => ({ label: "the person said: ", text })),
    ...plan.map((text) => ({ label: "plan: ", text })),
    ...files.map((text) => ({ label: "file in use: ", text })),
  ];
  const frame = [HEAD, `<${TAG}>`, `</${TAG}>`].join("\n").length + MORE_CHARS;
  const lines: string[] = [];
  let left = maximumChars - frame;
  for (const { label, text } of wanted) {
    const line = lineOf(label, text, left - 1);
    if (line === null) continue;
    lines.push(line);
    left -= line.length + 1;
  }
  const missing = wanted.length - lines.length;
  if (lines.length === 0) return "";
  const more = missing === 0 ? [] : [`${missing} more are in the log`];
  return [HEAD, `<${TAG}>`, ...lines, ...more, `</${TAG}>`].join("\n");
}

/** Room for the line that counts what did not fit. */
const MORE_CHARS = 40;

/** A line that is cut says something only if so many characters are left of it. Chosen. */
const LEAST_CUT_CHARS = 100;

/** The line, its text cut if it has to be; `null` if too little would be left. */
function lineOf(label: string, text: string, maximumChars: number): string | null {
  const whole = `${label}${quoted(text)}`;
  if (whole.length <= maximumChars) return whole;
  // Escapes make a text longer: a cut one is cut once more by what is too much.
  const room = maximumChars - label.length - 2;
  const once = quoted(beginning(text, room)).length - 2;
  const cut = `${label}${quoted(beginning(text, room - Math.max(0, once - room)))}`;
  return maximumChars < LEAST_CUT_CHARS || cut.length > maximumChars ? null : cut;
}

function beginning(text: string, maximumChars: number): string {
  return `${text.slice(0, Math.max(0, maximumChars - 1)).toWellFormed()}…`;
}

/** Line breaks that JSON leaves as they are. */
const LINE_BREAKS = ["\u2028", "\u2029", "\u0085"];

function quoted(text: string): string {
  const oneLine = LINE_BREAKS.reduce((joined, lineBreak) => joined.split(lineBreak).join("\n"), text.trim().toWellFormed());
  return JSON.stringify(oneLine).split("<").join("\\u003c");
}
