/**
 * Our own beginnings of lines and tags in a text for a model, in one case and script, without white space and without characters that are not seen (`foldedBeginning` writes them).
 * Text from outside in between must not read as any of it.
 *
 * - `lines`: beginnings of lines
 * - `bracketWords`: words that make a line in square brackets one of ours
 * - `tags`: names of tags
 */
export interface Framing {
  readonly lines: readonly string[];
  readonly bracketWords: readonly string[];
  readonly tags: readonly string[];
}

/** The mark before text that would read as ours. */
export const MARK = "\\";

/** By which characters framing begins. */
export interface Beginnings {
  /** Of its lines, as `foldedChar` writes them. */
  readonly firstChars: ReadonlySet<string>;
  /** Of what follows the angle of a tag, in lower case. */
  readonly tagChars: ReadonlySet<string>;
  /** Finds what may be one of them, or the angle of a tag. */
  readonly candidate: RegExp;
}

/** A framing is a value, and is asked for each line that is quoted. */
const beginnings = new WeakMap<Framing, Beginnings>();

/** Builds the search for a framing's beginnings. */
export function beginningsOf(framing: Framing): Beginnings {
  const known = beginnings.get(framing);
  if (known !== undefined) return known;
  const firstChars = new Set(framing.lines.map((line) => line.charAt(0)));
  if (framing.bracketWords.length > 0) firstChars.add("[");
  const tagChars = new Set(["/", ...framing.tags.map((tag) => tag.charAt(0))]);
  const made = { firstChars, tagChars, candidate: candidateOf(firstChars) };
  beginnings.set(framing, made);
  return made;
}

/** All that `foldedChar` writes as `[` or `<`, with some neighbours: ranges are found many times faster than Unicode's opening punctuation. */
const BRACKET_OR_ANGLE =
  /[[<\u02c2\u0f3a\u0f3c\u169b\u201a\u201e\u2039\u2045\u207d\u208d\u226e\u2308-\u232a\u2768-\u2774\u27c5-\u27ee\u2983-\u29fc\u2e22-\u2e5b\u3008-\u301d\ufd3f\ufe17-\ufe64\uff08-\uff62]/;

/** Finds a line's first character or an angle. What is beyond ASCII may be written as any other letter; what begins with nothing is any line. */
function candidateOf(firstChars: ReadonlySet<string>): RegExp {
  const written = [...firstChars].flatMap((char) => [char, char.toUpperCase()]);
  if (written.every((char) => char === "[")) return BRACKET_OR_ANGLE;
  if (firstChars.has("")) return /[\s\S]/;
  return new RegExp(`[<${written.map((char) => char.replace(/[\]\\^-]/, "\\$&")).join("")}\u0080-\uffff]`);
}

/**
 * True for most brackets and angles of code, which need no look at their line: a bracket that no line begins with, as it stands behind what is
 * seen, and an angle behind which no tag of ours begins.
 */
export function beginsNothing(text: string, place: number, { firstChars, tagChars }: Beginnings): boolean {
  const char = text.charCodeAt(place);
  if (char === BRACKET_UNIT) return isPlainlySeen(text.charCodeAt(place - 1));
  if (char !== ANGLE_UNIT || firstChars.has("<")) return false;
  return isPlainlySeen(text.charCodeAt(place + 1)) && !tagChars.has(text.charAt(place + 1).toLowerCase());
}

const BRACKET_UNIT = 0x5b;
const ANGLE_UNIT = 0x3c;

/** True for ASCII that is seen wherever it stands (the end of a colour code aside, whose bracket is looked at first), and is not {@link MARK}. */
function isPlainlySeen(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f && !PASSED_OVER.includes(unit);
}

/** Characters that a search for seen text may pass over: emphasis, and the mark. */
const PASSED_OVER: readonly number[] = [..."*_`~", MARK].map((char) => char.charCodeAt(0));
