import { PlimsollError } from "@plimsoll/core";
import type { Transcript } from "../transcript.ts";

/** Grades of sessions that somebody else judged. */
export interface GradeTable {
  /** The transcript with its grade as the one that counts; unchanged if the table has none for it. */
  graded(transcript: Transcript): Transcript;
  /** Lists the lines of the table that match none of these session names, as `file:line: name`. */
  unused(sessions: readonly string[]): readonly string[];
}

/** One line of the table. */
interface GradedName {
  readonly name: string;
  readonly value: number;
  readonly place: string;
}

/** Words that stand for a grade, in small letters. */
const WORDS: Readonly<Record<string, number>> = {
  true: 1,
  pass: 1,
  passed: 1,
  resolved: 1,
  false: 0,
  fail: 0,
  failed: 0,
  unresolved: 0,
};

/**
 * Reads a table of `session,grade`, one session a line, with or without that header. A session is named as `inspect` names it, by its file, or by
 * its file's name without its ending; a grade is a number from 0 (none) to 1 (full success), or a word for one of both. Throws `bad-input` naming the line.
 */
export function gradeTable(text: string, file: string): GradeTable {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const names = new Map<string, GradedName>();
  for (const [place, line] of lines.entries()) {
    if (line.trim() === "" || (place === 0 && /^"?session"?\s*,\s*"?grade"?\s*$/i.test(line))) continue;
    const where = `${file}:${place + 1}`;
    const refused = (what: string) => new PlimsollError("bad-input", `${where}: ${what}`, { file, line: place + 1 });
    const at = line.lastIndexOf(",");
    const name = unquoted(line.slice(0, at));
    const word = unquoted(line.slice(at + 1)).toLowerCase();
    const value = WORDS[word] ?? (word === "" ? Number.NaN : Number(word));
    if (at < 0 || name === "") throw refused("give a session and its grade, with a comma between");
    if (!(value >= 0 && value <= 1)) throw refused(`"${word}" is no grade; give a number from 0 to 1, pass or fail`);
    if (names.has(name)) throw refused(`${name} is graded twice; keep one of its lines`);
    names.set(name, { name, value, place: where });
  }
  if (names.size === 0) throw new PlimsollError("bad-input", `${file}: no grade in it; give lines of session,grade`, { file });
  const lineOf = (session: string) => namesOf(session).flatMap((name) => names.get(name) ?? [])[0];
  return {
    graded(transcript) {
      const found = lineOf(transcript.name);
      if (found === undefined) return transcript;
      const grade = { name: "grade", value: found.value };
      return { ...transcript, outcome: { grades: [grade, ...(transcript.outcome?.grades ?? [])] } };
    },
    unused(sessions) {
      const used = new Set(sessions.map(lineOf));
      return [...names.values()].filter((line) => !used.has(line)).map(({ name, place }) => `${place}: ${name}`);
    },
  };
}

/** The names that a session goes by, the most exact first. */
function namesOf(session: string): readonly string[] {
  const [file = ""] = session.split("#", 1);
  const base = file.slice(file.lastIndexOf("/") + 1);
  return [session, session.slice(session.lastIndexOf("/") + 1), file, base, base.replace(/(?:\.traj)?\.[a-z]+$/i, "")];
}

/** A cell without white space and quotes around it. */
function unquoted(cell: string): string {
  const trimmed = cell.trim();
  return /^".*"$/.test(trimmed) ? trimmed.slice(1, -1).replaceAll('""', '"') : trimmed;
}
