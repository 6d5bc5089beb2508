/** Characters that a reader may take for the end of a line: the breaks of Unicode, and the separators that some programs split at. */
export const LINE_BREAKS: readonly string[] = [..."\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029"];

/** Finds one of {@link LINE_BREAKS}. */
export const LINE_BREAK: RegExp = new RegExp(`[${LINE_BREAKS.join("")}]`);

/** True for one of {@link LINE_BREAKS}. */
export function isLineBreak(char: string): boolean {
  const unit = char.charCodeAt(0);
  return (
    (unit >= 0x0a && unit <= 0x0d) || (unit >= 0x1c && unit <= 0x1e) || unit === 0x85 || unit === 0x2028 || unit === 0x2029
  );
}

/** White space that is no line break. */
export function isBlank(char: string): boolean {
  if (isAscii(char)) return char === " " || char === "\t";
  return /^\s$/.test(char) && !isLineBreak(char);
}

/** Characters that change how text looks, or nothing at all: zero-width ones, control characters, marks on letters, Markdown's emphasis. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}*_`~\u2800]$/u;

/** Whether a reader passes over that character at the beginning of a line. A star before white space is a bullet, which is seen. */
export function isUnseen(text: string, index: number): boolean {
  const char = charAt(text, index);
  if (char === "*" && isBlank(text.charAt(index + 1))) return false;
  return isIgnored(char) || isBlank(char);
}

/** Whether a character adds nothing to a word. */
export function isIgnored(char: string): boolean {
  if (isPlain(char)) return char === "_" || char === "*" || char === "`" || char === "~";
  return char !== " " && UNSEEN.test(char) && !isLineBreak(char);
}

/** The character at an index, both halves of it. */
export function charAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** The character in lower case, ASCII if it looks like it: width, style and accents do not count. Some are several units long. */
export function foldedChar(char: string): string {
  if (isPlain(char)) return char.toLowerCase();
  const plain = LOOK_ALIKES.get(char);
  if (plain !== undefined) return plain;
  if (/^\p{Ps}$/u.test(char)) return "[";
  if (/^\p{Pe}$/u.test(char)) return "]";
  const lower = char.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return [...lower].map((each) => LOOK_ALIKES.get(each) ?? each).join("");
}

function isAscii(char: string): boolean {
  return char.length === 1 && char <= "\x7f";
}

function isPlain(char: string): boolean {
  return char.length === 1 && char > " " && char < "\x7f";
}

/** Letters of other scripts, and marks, that are drawn as ASCII ones are; chosen from Unicode's list of confusables, after compatibility forms. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "\u0430\u0410\u03b1\u0391\u0251",
    b: "\u0412\u0392\u042c",
    c: "\u0441\u0421\u03f2",
    d: "\u0501",
    e: "\u0435\u0415\u0395",
    g: "\u0261",
    h: "\u04bb\u041d\u0397",
    i: "\u0456\u0406\u0399\u0131\u03b9",
    j: "\u0458\u0408",
    k: "\u043a\u041a\u039a\u03ba",
    l: "\u04cf\u04c0",
    m: "\u041c\u039c\u043c",
    n: "\u039d",
    o: "\u043e\u041e\u03bf\u039f",
    p: "\u0440\u0420\u03c1\u03a1",
    s: "\u0455\u0405",
    t: "\u0422\u03a4\u0442\u03c4",
    u: "\u03c5\u057d",
    v: "\u03bd\u0475",
    w: "\u0461",
    x: "\u0445\u0425\u03a7\u03c7",
    y: "\u0443\u0423\u03a5\u03b3",
    z: "\u0396",
    ":": "\ua789\u2236\u02d0\ufe55\u05c3\u0589\u0703",
    "<": "\u2039\u2329\u3008\u27e8\u276e\u02c2",
    ">": "\u203a\u232a\u3009\u27e9\u276f\u02c3",
    "/": "\u2044\u2215\u29f8\u2571",
    "\u2026": "\u2026\u22ef",
  }).flatMap(([plain, alike]) => [...alike].map((char) => [char, plain] as const)),
);
