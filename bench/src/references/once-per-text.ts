/** What is made of texts, and remembered until so many are: far above what one session's compactions write, so that no run of replays grows without end. Chosen. */
const MOST_TEXTS = 2 ** 15;

/** What was made of each text. */
export interface OncePerText<T> {
  of(text: string): T;
  /** What is made is something else from now on. */
  forget(): void;
}

/**
 * Makes something of each text once. Two of three texts that compactions write were written before: stubs, lists of files, what is pinned, what
 * another policy keeps of the same result.
 */
export function oncePerText<T extends object>(make: (text: string) => T): OncePerText<T> {
  const made = new Map<string, T>();
  return {
    of: (text) => {
      const known = made.get(text);
      if (known !== undefined) return known;
      if (made.size >= MOST_TEXTS) made.clear();
      const fresh = make(text);
      made.set(text, fresh);
      return fresh;
    },
    forget: () => made.clear(),
  };
}
