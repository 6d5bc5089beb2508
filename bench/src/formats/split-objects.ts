/** The complete JSON objects at the start of a text, one after another, and what is left after the last of them. */
export interface SplitObjects {
  readonly objects: readonly string[];
  readonly rest: string;
}

/**
 * Cuts a line into the JSON objects that it holds, for logs in which two writers met on one line. It looks at brackets
 * outside of strings only, so that each piece still has to be parsed. One pass over the text.
 */
export function splitObjects(text: string): SplitObjects {
  const objects: string[] = [];
  let depth = 0;
  let start = 0;
  let done = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (inString) {
      if (character === "\\") index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") {
      if (depth === 0) start = index;
      depth += 1;
    } else if (character === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      objects.push(text.slice(start, index + 1));
      done = index + 1;
    }
  }
  return { objects, rest: text.slice(done).trim() };
}
