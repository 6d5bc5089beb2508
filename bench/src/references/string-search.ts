/** A place at which a string stands in a text: its number, its start and its exclusive end. */
export interface FoundPlace {
  readonly string: number;
  readonly start: number;
  readonly end: number;
}

/** Where strings are looked for. */
export interface SearchOptions {
  /** Whether a string may begin at a place of a text; where it may not, it is not looked for. Anywhere unless given. */
  readonly mayBegin?: (text: string, start: number) => boolean;
}

/** Strings are kept by their first characters, as many of these as they have: few of them begin alike for longer (chosen). */
const KEY_CHARS = [32, 8, 4, 2, 1] as const;

/**
 * A search for many strings at once, in one pass over a text. It gives each place at which one of them stands, in order of where the places begin.
 * Empty strings are never found.
 */
export function createStringSearch(
  strings: readonly string[],
  { mayBegin = () => true }: SearchOptions = {},
): (text: string) => readonly FoundPlace[] {
  const groups = KEY_CHARS.map((chars) => ({ chars, numbersOf: new Map<string, number[]>() }));
  const beginnings = new Uint8Array(2 ** 16);
  for (const [number, string] of strings.entries()) {
    const group = groups.find(({ chars }) => chars <= string.length);
    if (group === undefined) continue;
    const key = string.slice(0, group.chars);
    const numbers = group.numbersOf.get(key);
    if (numbers === undefined) group.numbersOf.set(key, [number]);
    else numbers.push(number);
    if (string.length > 1) beginnings[pairAt(string, 0)] = 1;
    else for (let second = 0; second < 2 ** 8; second++) beginnings[((string.charCodeAt(0) << 8) ^ second) & 0xffff] = 1;
  }
  const used = groups.filter(({ numbersOf }) => numbersOf.size > 0);
  return (text) => {
    const found: FoundPlace[] = [];
    for (let start = 0; start < text.length; start++) {
      if (beginnings[pairAt(text, start)] === 0 || !mayBegin(text, start)) continue;
      for (const { chars, numbersOf } of used) {
        for (const number of numbersOf.get(text.slice(start, start + chars)) ?? []) {
          const string = strings[number] ?? "";
          if (text.startsWith(string, start)) found.push({ string: number, start, end: start + string.length });
        }
      }
    }
    return found;
  };
}

/** Two characters as one number: most places of a text begin as none of the strings does. */
function pairAt(text: string, start: number): number {
  return ((text.charCodeAt(start) << 8) ^ (text.charCodeAt(start + 1) & 0xff)) & 0xffff;
}
