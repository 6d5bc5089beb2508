/** A text as a careless reader sees it: no white space, nothing invisible, one case, one width, one alphabet. */
export function seen(text: string): string {
  const plain = text.normalize("NFKC").toLowerCase().split("\u0435").join("e").split("\u043e").join("o");
  return plain.replaceAll(/\p{Cc}\[[0-9;]*m/gu, "").replaceAll(/[\s\p{Default_Ignorable_Code_Point}\p{Cc}*_`~]/gu, "");
}

/** The lines of a text, by any break that a reader may take for one. */
export function linesOf(text: string): readonly string[] {
  return [..."\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029"].reduce(
    (lines, end) => lines.flatMap((line) => line.split(end)),
    [text],
  );
}
