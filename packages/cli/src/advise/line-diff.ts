import { beginningOf, escaped } from "../terminal/printable.ts";

/** Lines around a change that are shown. */
const CONTEXT_LINES = 2;
const COLUMNS = 80;

/** The lines that differ between two texts, from the first to the last, as a unified diff that fits 80 columns. Nothing if they are the same. */
export function lineDiff(name: string, before: string, after: string): readonly string[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  const same = old.findIndex((line, place) => line !== now[place]);
  const head = same < 0 ? shorter : Math.min(same, shorter);
  if (head === old.length && head === now.length) return [];
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT_LINES);
  const rows = (sign: string, lines: readonly string[]) =>
    lines.map((line) => beginningOf(`${sign}${escaped(line.replace(/\r$/, ""))}`, COLUMNS));
  const gone = old.slice(head, old.length - tail);
  const come = now.slice(head, now.length - tail);
  const around = old.slice(old.length - tail, old.length - tail + CONTEXT_LINES);
  const size = head - from + around.length;
  return [
    beginningOf(`--- ${escaped(name)}`, COLUMNS),
    beginningOf(`+++ ${escaped(name)}`, COLUMNS),
    `@@ -${from + 1},${size + gone.length} +${from + 1},${size + come.length} @@`,
    ...rows(" ", old.slice(from, head)),
    ...rows("-", gone),
    ...rows("+", come),
    ...rows(" ", around),
  ];
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
