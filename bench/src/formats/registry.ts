import { PlimsollError } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import type { Transcript } from "../transcript.ts";
import { claudeCodeImporter } from "./claude-code/importer.ts";
import { clineImporter } from "./cline/importer.ts";
import { codexImporter } from "./codex/importer.ts";
import { copilotCliImporter } from "./copilot-cli/importer.ts";
import { fileSource, readHead } from "./file-source.ts";
import { geminiCliImporter } from "./gemini-cli/importer.ts";
import type { FileSource, Importer } from "./importer.ts";
import { bracketsIn } from "./json-lines.ts";
import { aiSdkImporter } from "./message-lists/ai-sdk.ts";
import { anthropicMessagesImporter } from "./message-lists/anthropic.ts";
import { langChainImporter } from "./message-lists/langchain.ts";
import { openAiChatImporter } from "./message-lists/openai-chat.ts";
import { openAiResponsesImporter } from "./message-lists/openai-responses.ts";
import { miniSweAgentImporter } from "./mini-swe-agent/importer.ts";
import { openCodeImporter, openCodeStorageImporter } from "./opencode/importer.ts";
import { openHandsImporter, openHandsOutputImporter } from "./openhands/importer.ts";
import { piImporter } from "./pi/importer.ts";
import { plimsollImporter } from "./plimsoll/importer.ts";
import { qwenCodeImporter } from "./qwen-code/importer.ts";
import { rooCodeImporter } from "./roo-code/importer.ts";
import { sweAgentImporter } from "./swe-agent/importer.ts";
import { foundIn } from "./unread-logs.ts";

/** Every importer, the more particular formats first: the first that recognises a file reads it. */
export const IMPORTERS: readonly Importer[] = [
  plimsollImporter,
  piImporter,
  qwenCodeImporter,
  claudeCodeImporter,
  codexImporter,
  copilotCliImporter,
  openCodeImporter,
  openCodeStorageImporter,
  geminiCliImporter,
  openHandsOutputImporter,
  openHandsImporter,
  miniSweAgentImporter,
  sweAgentImporter,
  rooCodeImporter,
  clineImporter,
  langChainImporter,
  aiSdkImporter,
  openAiResponsesImporter,
  anthropicMessagesImporter,
  openAiChatImporter,
];

/**
 * Reads the sessions in a file of any agent, by the first importer that recognises its content. `displayName` is the path as the
 * user gave it, for names and errors. Throws `bad-input` with one line that names the fault, the place and the remedy.
 */
export async function importFile(
  path: string,
  displayName: string = path,
  importers: readonly Importer[] = IMPORTERS,
): Promise<readonly Transcript[]> {
  return importSource(await fileSource(path, displayName), importers);
}

/** Reads the sessions in a source as {@link importFile} does in a file, and throws `bad-input` alike. */
export async function importSource(
  source: FileSource,
  importers: readonly Importer[] = IMPORTERS,
): Promise<readonly Transcript[]> {
  const head = await readHead(source);
  const file = source.displayName;
  if (head.text.trim() === "") throw new PlimsollError("bad-input", `${file}: the file is empty; give a session log`, { file });
  if (head.text.startsWith(SQLITE_HEADER)) throw new PlimsollError("bad-input", `${file}: ${UNREAD_DATABASE}`, { file });
  const [, packed] = PACKED.find(([beginning]) => beginning.test(head.text)) ?? [];
  if (packed !== undefined) throw new PlimsollError("bad-input", `${file}: ${packed}`, { file });
  const importer = importers.find((each) =>
    IMPORTERS.includes(each)
      ? each.recognises(head)
      : option.atOnce(`the importer ${each.format}`, each.recognises(option.frozen(head))),
  );
  if (importer === undefined && /[\0\uFFFD]/.test(head.text.slice(0, HEAD_CHARS)))
    throw new PlimsollError("bad-input", `${file}: neither UTF-8 nor UTF-16 text: ${UNREAD_BYTES}`, { file });
  if (importer === undefined && (await endsInside(source))) throw truncated(file);
  if (importer === undefined) throw unknownFormat(file, foundIn(source, head), importers);
  const transcripts = await importer.read(Object.freeze(source));
  const hasContent = transcripts.some(({ entries }) => entries.some(({ type }) => type === "message" || type === "compaction"));
  if (!hasContent) {
    const found = `a log of ${importer.format} without a readable message (found ${foundIn(source, head)})`;
    throw new PlimsollError("bad-input", `${file}: ${found}; nothing to replay`, { file });
  }
  const { newestSeen } = importer;
  const noted = newestSeen === undefined ? transcripts : transcripts.map((each) => withVersionNote(each, newestSeen));
  if (source.encoding === null) return noted;
  const note = { code: "encoding", line: null, text: encodingWords(source) } as const;
  return noted.map((each) => (each.parentName === null ? { ...each, notes: [...each.notes, note] } : each));
}

/** Names an encoding that the agents themselves may not read. */
function encodingWords({ displayName, encoding }: FileSource): string {
  return `${displayName}: ${encoding}: read here, but agents expect plain UTF-8`;
}

/** A version newer than the last one read may write unknown items. */
function withVersionNote(transcript: Transcript, newestSeen: string): Transcript {
  const [start] = transcript.entries;
  const version = start?.type === "session" ? (start.agent?.version ?? null) : null;
  const [own, seen] = [version ?? "", newestSeen].map((text) => text.split(/\D+/).map(Number));
  const differing = seen?.findIndex((part, at) => part !== (own?.[at] ?? 0)) ?? -1;
  if (version === null || differing < 0 || (own?.[differing] ?? 0) < (seen?.[differing] ?? 0)) return transcript;
  const { file, format, parentName, notes } = transcript;
  const text = `${file}: of ${format} ${version.slice(0, NAME_CHARS)}; the newest version tested is ${newestSeen}: newer data may be missed`;
  return parentName === null ? { ...transcript, notes: [...notes, { code: "unseen-version", line: null, text }] } : transcript;
}

const NAME_CHARS = 40;

/** Reads a log as text, with the name of its format; `null` if no built-in importer recognises it. */
export async function readLog(
  path: string,
  displayName: string,
): Promise<{ readonly format: string; readonly text: string; readonly encoding: string | null } | null> {
  const source = await fileSource(path, displayName);
  const head = await readHead(source);
  const importer = IMPORTERS.find((each) => each.recognises(head));
  return importer === undefined
    ? null
    : {
        format: importer.format,
        text: await source.text(),
        encoding: source.encoding === null ? null : encodingWords(source),
      };
}

/** How far into a file bytes are looked for that no text has, in characters. */
const HEAD_CHARS = 600;

const UNREAD_BYTES = "unpack or convert it first, or add an importer with --with";

/** The beginning of every file of SQLite (sqlite.org/fileformat.html). */
const SQLITE_HEADER = "SQLite format 3";

/** Packed files that nothing here unpacks, recognised by their bytes read as text: POSIX's ustar, and the documents of xz and bzip2. */
const PACKED: readonly (readonly [beginning: RegExp, advice: string])[] = [
  [/^[\s\S]{257}ustar/, "a tar archive: unpack it, and give its logs"],
  [/^\uFFFD7zXZ\0/, "packed with xz: unpack it first, e.g. with xz -d"],
  [/^BZh[1-9]1AY&SY/, "packed with bzip2: unpack it first, e.g. with bzip2 -d"],
];

/** Explains how to read OpenCode's database: OpenCode is the only agent that is known to keep its sessions in one. */
export const UNREAD_DATABASE: string =
  "a database; of those only OpenCode's is read: by --from opencode on Node 22.13 or newer, or from a file that opencode export SESSION > session.json writes";

/** True for one JSON document that stops before it is whole. */
async function endsInside(source: FileSource): Promise<boolean> {
  const text = (await source.text()).trimEnd();
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    // A whole document ends with the bracket that it began with; content after it is another fault.
    return depthAtEnd(text) > 0;
  }
}

/** How many brackets are open at the end of a JSON text. One pass. */
function depthAtEnd(text: string): number {
  let depth = 0;
  for (const [bracket] of bracketsIn(text)) depth += bracket === "{" || bracket === "[" ? 1 : -1;
  return depth;
}

function truncated(file: string): PlimsollError {
  return new PlimsollError("bad-input", `${file}: truncated: its JSON ends early; copy the file again`, { file });
}

function unknownFormat(file: string, found: string, importers: readonly Importer[]): PlimsollError {
  const formats = [...new Set(importers.map((importer) => importer.format))].join(", ");
  const text = `${file}:1: no known session format (found ${found}); give a log of one of: ${formats}, or add an importer with --with`;
  return new PlimsollError("bad-input", text, { file, line: 1 });
}
