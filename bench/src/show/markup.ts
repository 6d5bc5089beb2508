/** HTML that is safe to put into a page. Only {@link html} and {@link trusted} make it. */
export interface Markup {
  readonly markup: string;
}

/** A part of a template: text is escaped, markup is not, lists are joined. */
export type MarkupPart = string | number | Markup | readonly Markup[];

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Template tag that makes HTML: it escapes the inserted texts for element content and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return { markup: strings.map((literal, index) => literal + partMarkup(parts[index] ?? "")).join("") };
}

/** Marks a text as safe HTML without escaping it: use it for our own style and scripts only. */
export function trusted(markup: string): Markup {
  return { markup };
}

function partMarkup(part: MarkupPart): string {
  // The text with HTML's five special characters replaced, and with invisible characters shown.
  if (typeof part === "string") return visible(part).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
  if (typeof part === "number") return String(part);
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

/** Controls but tab and line end, marks of direction, characters without width and strokes over others; marks that make a sign an emoji stay. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex lint/suspicious/noMisleadingCharacterClass: these are the characters to replace
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u0334-\u0338\u20d2-\u20eb]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** The text with characters that hide, turn or imitate other text as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** JSON of a page's data: invisible characters in its texts are shown. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === "string" ? visible(each) : each));
}
