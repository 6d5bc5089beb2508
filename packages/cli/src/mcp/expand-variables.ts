import { PlimsollError } from "@plimsoll/core";

/**
 * A text with `${NAME}` and `${NAME:-fallback}` replaced from the environment, so that no secret stands in a file.
 *
 * @throws PlimsollError `bad-input` naming a variable that is not set and has no fallback.
 */
export function expandVariables(text: string, environment: { readonly [name: string]: string | undefined }): string {
  const pieces = text.split("${");
  const [first = "", ...rest] = pieces;
  const expanded = rest.map((piece) => {
    const end = piece.indexOf("}");
    if (end < 0) return `\${${piece}`;
    const inside = piece.slice(0, end);
    const at = inside.indexOf(":-");
    const name = at < 0 ? inside : inside.slice(0, at);
    const value = environment[name] ?? (at < 0 ? undefined : inside.slice(at + 2));
    if (value === undefined) throw new PlimsollError("bad-input", `the environment variable ${name} is not set`, { name });
    return value + piece.slice(end + 1);
  });
  return [first, ...expanded].join("");
}
