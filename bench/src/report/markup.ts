/** HTML that is safe to put into a page. Only {@link html} and {@link trusted} make it. */
export interface Markup {
  readonly markup: string;
}

/** What may stand in a template: text is escaped, markup is not, lists are joined. */
export type MarkupPart = string | number | Markup | readonly Markup[];

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Tag of a template whose texts are escaped for element content and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return { markup: strings.map((literal, index) => literal + partMarkup(parts[index] ?? "")).join("") };
}

/** Text that is markup already: our own style and scripts. */
export function trusted(markup: string): Markup {
  return { markup };
}

function partMarkup(part: MarkupPart): string {
  if (typeof part === "string") return escapeHtml(part);
  if (typeof part === "number") return String(part);
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("");
}

/** The text with the five characters replaced that mean something in HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

/**
 * JSON that can stand in a script block: no `<` is left, so no text can end the block or open a comment, and the two line
 * separators that older scripts choke on are escaped.
 */
export function scriptJson(value: unknown): Markup {
  const json = JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
  return { markup: json };
}
