/** The text in two pieces, so that a reader of a stream has something to join; nothing for empty text. */
export function halves(text: string): readonly string[] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
