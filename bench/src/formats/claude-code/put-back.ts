import { CHAR_CLASSES, countClasses } from "@plimsoll/core/extend";
import { modelPriors } from "@plimsoll/providers";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";

/**
 * Makes anew, from the lines before it, the texts that Claude Code puts back after a compaction: older versions send them and do not log them. Limits
 * are the program's constants, as published analyses give them (zhanghandong.github.io/harness-engineering-from-cc-to-ai-coding, chapter 10, read in
 * November 2026); recorded prompts show that files rank by their last change and are written as JSON (docs/decisions/agents-logs.md).
 */
export interface PutBackReader {
  /** Takes a line of the conversation, in the order of the file. */
  take(line: Fields): void;
  /** The text that comes back after a compaction here; `null` for none, and if the log holds such texts itself. */
  afterCompaction(): string | null;
}

const MOST_FILES = 5;

/** A larger file is only named. */
const LARGEST_FILE_TOKENS = 5000;

/** A text of so many characters is always too large: no measured text has twenty a token. Each edit makes the text anew, so it must be bounded. */
const MOST_FILE_CHARS = 20 * LARGEST_FILE_TOKENS;

/** A skill keeps its beginning: 5,000 tokens, counted by the program as four characters each. */
const MOST_SKILL_CHARS = 20_000;

interface TouchedFile {
  readonly path: string;
  readonly text: string | null;
  readonly isChanged: boolean;
}

/** Files are kept in the order in which they were last touched. */
export function createPutBackReader(): PutBackReader {
  const files = new Map<string, TouchedFile>();
  const skills = new Map<string, string>();
  let plan: TouchedFile | null = null;
  let modelId = "";
  let isLogged = false;

  const takeFile = (touched: TouchedFile, isRead: boolean) => {
    if (MEMORY_FILE.test(touched.path)) return;
    if (PLAN_FILE.test(touched.path)) {
      plan = touched;
      return;
    }
    // A file ranks by its last change: reading it again leaves it where it is.
    if (!(touched.isChanged && isRead)) files.delete(touched.path);
    files.set(touched.path, touched);
  };

  return {
    take: (line) => {
      if (line.type === "attachment") isLogged = true;
      if (line.isApiErrorMessage !== true) modelId = stringAt(recordAt(line, "message"), "model") ?? modelId;
      const result = recordAt(line, "toolUseResult");
      const touched = touchedFile(result, (path) => files.get(path) ?? (plan?.path === path ? plan : null));
      if (touched !== null) takeFile(bounded(touched), recordAt(result, "file") !== null);
      for (const skill of line.isMeta === true ? skillTexts(line) : []) skills.set(skill.split("\n", 1)[0] ?? "", skill);
    },
    afterCompaction: () => {
      const touched = [...files.values()].reverse();
      files.clear();
      if (isLogged) return null;
      const ranked = [...touched.filter(({ isChanged }) => isChanged), ...touched.filter(({ isChanged }) => !isChanged)];
      const isBack = ({ text }: TouchedFile) => text !== null && textTokens(text, modelId) <= LARGEST_FILE_TOKENS;
      const back = ranked.slice(0, MOST_FILES).filter(isBack);
      // Putting a file back counts as a read, so it may come back again.
      for (const file of back.toReversed()) files.set(file.path, file);
      const texts = [
        ...back.map(({ text }) => JSON.stringify(numbered(text ?? ""))),
        ...(plan === null || plan.text === null ? [] : [plan.text]),
        ...[...skills.values()].map((skill) => skill.slice(0, MOST_SKILL_CHARS)),
      ];
      return texts.length === 0 ? null : texts.join("\n");
    },
  };
}

/** Instructions are a part of the system text, and never put back as files. */
const MEMORY_FILE = /(?:^|[\\/])CLAUDE(?:\.local)?\.md$/;

/** The plan has a folder of its own and comes back unchanged, at any size. */
const PLAN_FILE = /[\\/]\.claude[\\/]plans[\\/]/;

const SKILL_OPENING = "Base directory for this skill:";

/** The file that a result of Read, Write or Edit is about; `null` for every other result. */
function touchedFile(result: Fields | null, known: (path: string) => TouchedFile | null): TouchedFile | null {
  const read = recordAt(result, "file");
  if (read !== null) {
    const path = stringAt(read, "filePath");
    if (path === null) return null;
    const isWhole = numberAt(read, "numLines") === numberAt(read, "totalLines");
    const before = known(path);
    return { path, text: isWhole ? stringAt(read, "content") : (before?.text ?? null), isChanged: before?.isChanged ?? false };
  }
  const path = stringAt(result, "filePath");
  if (path === null) return null;
  const written = stringAt(result, "content");
  if (written !== null) return { path, text: written, isChanged: true };
  const original = stringAt(result, "originalFile") ?? known(path)?.text ?? null;
  return { path, text: original === null ? null : edited(original, result), isChanged: true };
}

function bounded(touched: TouchedFile): TouchedFile {
  return (touched.text?.length ?? 0) > MOST_FILE_CHARS ? { ...touched, text: null } : touched;
}

function edited(original: string, result: Fields | null): string {
  const from = stringAt(result, "oldString");
  const to = stringAt(result, "newString");
  if (from === null || to === null || from === "") return original;
  if (result?.replaceAll === true) return original.split(from).join(to);
  const at = original.indexOf(from);
  return at < 0 ? original : original.slice(0, at) + to + original.slice(at + from.length);
}

function textTokens(text: string, modelId: string): number {
  const { weights, slopeRatio } = modelPriors(modelId);
  const counts = CHAR_CLASSES.map(() => 0);
  countClasses(text, counts);
  return slopeRatio * counts.reduce((sum, count, index) => sum + count * (weights[index] ?? 0), 0);
}

function skillTexts(line: Fields): readonly string[] {
  const texts = recordsAt(recordAt(line, "message"), "content").map((block) => stringAt(block, "text") ?? "");
  return texts.filter((text) => text.startsWith(SKILL_OPENING));
}

/** A text with the numbers of its lines, as the program's reading tool prints it. */
function numbered(text: string): string {
  return text
    .split("\n")
    .map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
    .join("\n");
}
