import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { importFile } from "@plimsoll/bench";
import { isRollBack, typedWords } from "@plimsoll/bench/extend";
import { type CliIo, EXIT_FAILED, EXIT_OK, messageOf, say } from "@plimsoll/bench/terminal";
import { isHuman, type Message, PlimsollError, type SessionEntry, textOf, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldUnhashed, isRejectedUsage, jsonIn, planIn, SUMMARY_HEADER } from "@plimsoll/core/extend";
import { readSmallFile, writeWholeFile } from "@plimsoll/stores";
import { Argument, type Command } from "commander";
import { z } from "zod";

/** The plugin for Claude Code whose mod compacts: it is beside the program. Throws `bad-input` where it was not built. */
function pluginFolder(): string {
  const folder = fileURLToPath(new URL("claude-code", import.meta.url));
  if (existsSync(folder)) return folder;
  throw new PlimsollError("bad-input", "the plugin is not built: run pnpm build, or pnpm plimsoll hook plugin");
}

/** Adds `plimsoll hook`: agents start it before and after a compaction. */
export function defineHookCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .addArgument(new Argument("[what]", "print the folder of the plugin for Claude Code").choices(["plugin"]))
    .action(async (what: "plugin" | undefined) => {
      if (what === "plugin") {
        io.stdout.write(`${pluginFolder()}\n`);
        return onExit(EXIT_OK);
      }
      const payload = await text(process.stdin);
      try {
        io.stdout.write(await answerHook(payload, io));
        onExit(EXIT_OK);
      } catch (error) {
        // Never the code 2, by which a hook stops its agent: a compaction goes on without us.
        say(io.stderr, `plimsoll hook: ${messageOf(error)}`);
        onExit(EXIT_FAILED);
      }
    });
}

/**
 * Fields of a hook's payload that are used: Claude Code's reference (code.claude.com/docs/en/hooks) and Codex's schemas (hooks/schema/generated in its
 * repository), both read in November 2026.
 */
const hookSchema = z.object({
  session_id: z.string(),
  transcript_path: z.string().nullable(),
  hook_event_name: z.string(),
  source: z.string().exactOptional(),
});

/** The answer to one call of a hook: the text to print, nothing for most. Throws `bad-input` for anything but a payload. */
export async function answerHook(payload: string, { homeFolder, nowMs }: Pick<CliIo, "homeFolder" | "nowMs">): Promise<string> {
  const { session_id: id, transcript_path: path, hook_event_name: event, source } = parsed(hookSchema, payload);
  const isAfter = event === "SessionStart" && source === "compact";
  if (path === null || !(isAfter || event === "PreCompact")) return "";
  const notes = createSessionNotes(homeFolder, nowMs);
  if (!isAfter) {
    notes.write(id, stateOf(await entriesIn(path)));
    return "";
  }
  const lost = lostIn(await entriesIn(path), notes.take(id));
  const additionalContext = lost === null ? "" : putBackText(lost);
  if (additionalContext === "") return "";
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } })}\n`;
}

/** The log of the session itself: sub-agents may be in the same file. */
async function entriesIn(path: string): Promise<readonly SessionEntry[]> {
  const found = await importFile(path, path);
  return (found.find(({ parentName }) => parentName === null) ?? found[0])?.entries ?? [];
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  const found = schema.safeParse(jsonIn(text));
  if (found.success) return found.data;
  const place = found.error.issues[0]?.path.join(".") ?? "";
  throw new PlimsollError(
    "bad-input",
    `agents start this command, with a payload on standard input; ${place === "" ? "no payload arrived" : `its ${place} is missing or wrong`}. plimsoll hook --help says how to set it up`,
  );
}

/** Unused notes are removed after two days: the session ended in the middle of a compaction. */
const KEPT_MS = 2 * 24 * 3_600_000;

/** The most bytes of one session's notes; chosen: a compaction puts some thousand characters of them back. */
const MAXIMUM_NOTES_BYTES = 10_000_000;

const stateSchema = z.strictObject({
  /** The person's messages word for word, the oldest first. */
  instructions: z.array(z.string()).readonly(),
  /** The newest plan, an item a line with its state as the model reported it. */
  plan: z.array(z.string()).readonly(),
  /** Files that calls had read or changed, those used last first, each once. */
  files: z.array(z.string()).readonly(),
  promptTokens: z.number().nullable(),
  compactionCount: z.number(),
});

/** Words and actions of a session before a compaction, as far as a summary may lose them. */
type SessionState = z.infer<typeof stateSchema>;

/** Notes from before a compaction, one file a session, readable only by its owner. */
export interface SessionNotes {
  write(sessionId: string, state: SessionState): void;
  /** Returns a note and removes it; `null` if there is none, or if it is none of ours. */
  take(sessionId: string): SessionState | null;
}

/** Notes below a home folder. */
export function createSessionNotes(homeFolder: string, nowMs: () => number): SessionNotes {
  const folder = join(homeFolder, ".plimsoll", "hooks");
  // A name of an agent's is no name of a file.
  const fileOf = (sessionId: string) => join(folder, `${createHash("sha256").update(sessionId).digest("hex")}.json`);
  return {
    write: (sessionId, state) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        const found = statSync(file, { throwIfNoEntry: false });
        if (found !== undefined && found.mtimeMs < nowMs() - KEPT_MS) rmSync(file, { force: true });
      }
      writeWholeFile(fileOf(sessionId), JSON.stringify(state), 0o600);
    },
    take: (sessionId) => {
      const file = fileOf(sessionId);
      const read = readSmallFile(file, { within: folder, maximumBytes: MAXIMUM_NOTES_BYTES });
      if (read.kind === "absent") return null;
      const found = read.kind === "text" ? stateSchema.safeParse(jsonIn(read.text)) : null;
      rmSync(file, { force: true });
      return found?.success === true ? found.data : null;
    },
  };
}

/** The largest share of the prompt before the compaction that is put back: the promise is 0.5% of a session's tokens, and estimates are off by some. Chosen. */
const PUT_BACK_RATIO = 0.004;

const CHARS_PER_TOKEN = 4;

/** The shortest text that is put back: less says nothing. Chosen, a short message and a few names. */
const LEAST_CHARS = 400;

/** The prompt that is believed in if none was reported. Chosen, a session that is worth compacting. */
const UNKNOWN_PROMPT_TOKENS = 100_000;

const TAG = "session-data";

const HEAD =
  "Quoted by plimsoll from this session's log, as the summary no longer says it. It is data from before the compaction, nothing new.";

/**
 * Writes the text for the model: each thing on a line of its own, as a JSON string without `<`, so that no text of the session can end its line,
 * close the fence, open a tag or speak in another role. Things that do not fit are counted. Empty if nothing was lost.
 */
export function putBackText(lost: SessionState): string {
  const { instructions, plan, files, promptTokens } = lost;
  const tokens = (promptTokens ?? UNKNOWN_PROMPT_TOKENS) * PUT_BACK_RATIO;
  const maximumChars = Math.max(LEAST_CHARS, Math.floor(tokens * CHARS_PER_TOKEN));
  // The newest words win, if something has to go; a plan and files are of use only beside them.
  const wanted = [
    ...instructions.toReversed().map((text) => ({ label: "the person said: ", text })),
    ...plan.map((text) => ({ label: "plan: ", text })),
    ...files.map((text) => ({ label: "file in use: ", text })),
  ];
  const frame = [HEAD, `<${TAG}>`, `</${TAG}>`].join("\n").length + MORE_CHARS;
  const lines: string[] = [];
  let left = maximumChars - frame;
  for (const { label, text } of wanted) {
    const line = lineOf(label, text, left - 1);
    if (line === null) continue;
    lines.push(line);
    left -= line.length + 1;
  }
  const missing = wanted.length - lines.length;
  if (lines.length === 0) return "";
  const more = missing === 0 ? [] : [`${missing} more are in the log`];
  return [HEAD, `<${TAG}>`, ...lines, ...more, `</${TAG}>`].join("\n");
}

const MORE_CHARS = 40;

/** A line that is cut says something only if so many characters are left of it. Chosen. */
const LEAST_CUT_CHARS = 100;

/** The line, its text cut if it has to be; `null` if too little would be left. */
function lineOf(label: string, text: string, maximumChars: number): string | null {
  const whole = `${label}${quoted(text)}`;
  if (whole.length <= maximumChars) return whole;
  // Escapes make a text longer: a cut one is cut once more by the excess.
  const room = maximumChars - label.length - 2;
  const once = quoted(beginning(text, room)).length - 2;
  const cut = `${label}${quoted(beginning(text, room - Math.max(0, once - room)))}`;
  return maximumChars < LEAST_CUT_CHARS || cut.length > maximumChars ? null : cut;
}

function beginning(text: string, maximumChars: number): string {
  return `${text.slice(0, Math.max(0, maximumChars - 1)).toWellFormed()}…`;
}

/** Line breaks that JSON leaves as they are. */
const LINE_BREAKS = ["\u2028", "\u2029", "\u0085"];

function quoted(text: string): string {
  const oneLine = LINE_BREAKS.reduce((joined, lineBreak) => joined.split(lineBreak).join("\n"), text.trim().toWellFormed());
  return JSON.stringify(oneLine).split("<").join("\\u003c");
}

/** The state of a session at the end of its log: the things that a compaction now may lose. */
function stateOf(entries: readonly SessionEntry[]): SessionState {
  const { cuts, promptTokens, context } = cutsIn(entries);
  return {
    instructions: instructionsIn(entries),
    plan: newestPlan(messagesOf(entries)),
    files: filesIn(context),
    promptTokens,
    compactionCount: cuts.length,
  };
}

/**
 * Finds the losses of the newest compaction: texts that no message of the context says any more. Files are those of before this compaction; the
 * person's words and the newest plan hold through all of them, since texts put back after an earlier one are gone again. A compaction that the log
 * does not have yet has lost all earlier notes; `null` if there was none, or if the mod made it.
 */
function lostIn(entries: readonly SessionEntry[], noted: SessionState | null): SessionState | null {
  const { cuts, context } = cutsIn(entries);
  if (noted !== null && noted.compactionCount >= cuts.length) return noted;
  const newest = cuts.at(-1);
  if (newest === undefined) return null;
  const { before, after, promptTokens } = newest;
  const kept = new Set(after.map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  // The mod made it, and its summary says what went.
  if (after.some((message) => !known.has(message.id) && textOf(message).startsWith(SUMMARY_HEADER.text))) return null;
  const told = wordsOf(context.map(saidBy).join("\n"));
  const isLost = (text: string) => !told.includes(wordsOf(text));
  const plan = newestPlan(messagesOf(entries));
  return {
    instructions: instructionsIn(entries).flatMap((text) => {
      const sentences = text.split(SENTENCE_END);
      const lost = sentences.filter(isLost);
      return lost.length === sentences.length ? [text] : lost.filter(isOrder);
    }),
    // If a part of a plan is lost, the whole plan is put back.
    plan: plan.some((item) => isLost(item.slice(item.indexOf(": ") + 2))) ? plan : [],
    files: filesIn(before.filter(({ id }) => !kept.has(id))).filter((path) => isLost(path.split(/[\\/]/).slice(-2).join("/"))),
    promptTokens,
    compactionCount: cuts.length,
  };
}

interface Cut {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  /** The newest prompt that was reported before it. */
  readonly promptTokens: number | null;
}

/** The compactions of a log, the newest reported prompt, and the context at its end. The story of a session measures each message; this does not. */
function cutsIn(
  entries: readonly SessionEntry[],
): Pick<Cut, "promptTokens"> & { cuts: readonly Cut[]; context: readonly Message[] } {
  const cuts: Cut[] = [];
  let promptTokens: number | null = null;
  let view = EMPTY_VIEW;
  for (const entry of entries) {
    const before = view;
    view = foldUnhashed(view, entry);
    if (entry.type === "usage" && !isRejectedUsage(entry.usage)) promptTokens = entry.usage.input.totalTokens ?? promptTokens;
    if (entry.type === "compaction" && !isRollBack(entry))
      cuts.push({ before: before.messages.slice(), after: view.messages.slice(), promptTokens });
  }
  return { cuts, promptTokens, context: view.messages.slice() };
}

function messagesOf(entries: readonly SessionEntry[]): readonly Message[] {
  return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

/** Words and names without the punctuation between them. */
const wordsOf = (text: string) => `${(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(" ")} `;

const SENTENCE_END = /(?<=[.!?])\s+|\n+/;

/** A text of fewer words that names nothing is an answer to words before it; chosen. */
const FEWEST_WORDS = 6;

/** True for words that say something without those before them: several, or a name, a path, a number or a quotation. */
function isOrder(text: string): boolean {
  return text.split(/\s+/).length >= FEWEST_WORDS || /[\p{N}_/\\`"]|\p{L}\.\p{L}|\p{Ll}\p{Lu}/u.test(text);
}

/** The person's words, each once; the name of a command says nothing. */
function instructionsIn(entries: readonly SessionEntry[]): readonly string[] {
  const words = messagesOf(entries)
    .filter(isHuman)
    .map((message) => typedWords(textOf(message)));
  return [...new Set(words)].filter((text) => !/^\/\S+$/.test(text) && isOrder(text));
}

function newestPlan(messages: readonly Message[]): readonly string[] {
  return (planIn(messages)?.items ?? []).map(({ text, status }) => `${status}: ${text}`);
}

/** Those used last first, each once; a name that the log hides is none. */
function filesIn(messages: readonly Message[]): readonly string[] {
  const paths = messages.flatMap(toolCallsOf).flatMap((call) => call.paths.map(({ path }) => path));
  return [...new Set(paths.toReversed())].filter((path) => !/redacted|\*{3}/i.test(path));
}

function saidBy(message: Message): string {
  return [typedWords(textOf(message)), ...toolCallsOf(message).map(({ argumentsJson }) => argumentsJson)].join("\n");
}
