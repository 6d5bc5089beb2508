import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { FIRST_MOD_VERSION, formatNumberOf, LOCATED_AGENTS, readLog } from "@plimsoll/bench/extend";
import { type CliIo, EXIT_FAILED, EXIT_OK, programOf, say } from "@plimsoll/bench/terminal";
import { PlimsollError, repairMessages, toolCallsOf } from "@plimsoll/core";
import { isRecord, jsonIn, SUMMARY_HEADER } from "@plimsoll/core/extend";
import { classifyProviderError } from "@plimsoll/providers";
import type { Fault } from "@plimsoll/providers/proxy";
import { writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { sessionFileOr } from "../input/session-file.ts";
import { canMend, examineLog } from "./find-faults.ts";

interface DoctorOptions {
  readonly from?: string;
  readonly write?: boolean;
  readonly full?: boolean;
}

/** Faults that are listed of one log; the rest is counted. Chosen. */
const FAULTS_LISTED = 20;

/** Adds `plimsoll doctor`: diagnoses a session log, and writes a repaired copy beside it. */
export function defineDoctorCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a log, a session's id, or an agent for its newest; without it, the newest of this folder")
    .option("--from <agent>", `the newest log of an agent in its usual place (${LOCATED_AGENTS.join(", ")})`)
    .option("--write", "write a repaired copy beside the log; the log itself is never changed")
    .option("--full", "also leave out all thinking, for a session refused for its signatures")
    .action(async (session: string | undefined, options: DoctorOptions) => onExit(await doctor(session, options, io)));
}

async function doctor(session: string | undefined, options: DoctorOptions, io: CliIo): Promise<number> {
  const { path, displayName } = await sessionFileOr(session, options.from, io);
  const log = await readLog(path, displayName);
  if (log === null) {
    // Its error names what was found.
    await importFile(path, displayName);
    throw new PlimsollError("bad-input", `${displayName}: no readable session log`);
  }
  const { format, text, encoding } = log;
  // A log that was looked for has its path in the line above.
  const name = displayName === session ? displayName : basename(displayName);
  if (encoding !== null) say(io.stdout, encoding);
  const { faults, mended } = canMend(text, format)
    ? examineLog(text, format, { thinking: options.full === true ? "leave-out" : "keep" })
    : { faults: await importedFaults(path, { displayName, format }), mended: null };
  // Changes of the system text and tools, as the importer reads them; none for a log that it cannot read.
  const [transcript] = await importFile(path, displayName).catch(() => []);
  const changed = transcript?.entries.filter(({ type }) => type === "setup-change").length ?? 0;
  if (changed > 0)
    say(
      io.stdout,
      `${name}: the system text or the tools changed ${formatNumberOf(changed, "time")}: earlier thinking may be refused (--full)`,
    );
  const ownLine = format === "claude-code" ? ownSummaryLine(text) : null;
  if (ownLine !== null)
    say(
      io.stdout,
      `${name}:${ownLine}: Claude Code wrote this summary itself. If Plimsoll's mod was loaded, it was not asked: Team and Enterprise accounts and managed machines may skip it. Use the hooks there (docs/use-in/claude-code.md).`,
    );
  // The refusal that a log ends with, if no reply follows it: Claude Code keeps it as a reply of its own, pi in a reply that failed, Codex as an event.
  const records = text.split("\n").map((line) => jsonIn(line));
  const at = records.findLastIndex((record) => refusalIn(record) !== null || isReply(record));
  const message = refusalIn(records[at]);
  const words = message === null ? undefined : REFUSED[classifyProviderError({ status: null, message }).class];
  const refusal = words === undefined ? null : { line: at + 1, words };
  if (refusal !== null) say(io.stdout, ...faultLines(name, [refusal]));
  if (faults.length === 0 && refusal !== null) return EXIT_FAILED;
  if (faults.length === 0) {
    say(io.stdout, `${name}: no problems found (${format}).`);
    return EXIT_OK;
  }
  say(io.stdout, ...faultLines(name, faults));
  if (mended === null) {
    say(io.stdout, unmended(programOf(io))[format] ?? `doctor cannot repair this ${format} log: correct a copy by hand.`);
    return EXIT_FAILED;
  }
  if (options.write !== true) {
    say(io.stdout, `${programOf(io)} doctor --write writes a repaired copy beside it.`);
    return EXIT_FAILED;
  }
  const copy = format === "claude-code" ? join(dirname(path), `${uuidOf(mended)}.jsonl`) : freeName(path);
  const written = format === "opencode" ? asNewSession(mended) : mended;
  writeWholeFile(copy, written);
  say(io.stdout, `repaired copy: ${copy}`, `to continue: ${(OPENED_BY[format] ?? BY_ITS_PLACE)(copy, written)}`);
  return EXIT_OK;
}

const unmended = (program: string): Readonly<Record<string, string>> => ({
  plimsoll: `doctor writes no copy of Plimsoll's own logs: ${program} chat --resume ID continues the session and repairs its requests.`,
  opencode: "doctor repairs the output of opencode export: opencode export ID > session.json",
});

/** A fault; `line` is `null` if the log has no line for it. */
type PlacedFault = Omit<Fault, "line"> & { readonly line: number | null };

function faultLines(name: string, faults: readonly PlacedFault[]): readonly string[] {
  const rest = faults.length - FAULTS_LISTED;
  return [
    ...faults.slice(0, FAULTS_LISTED).map(({ line, words }) => `${name}${line === null ? "" : `:${line}`}: ${words}`),
    ...(rest > 0 ? [`and ${formatNumberOf(rest, "more fault")}`] : []),
  ];
}

/** Faults of a log that cannot be mended, as far as its messages show them, and the place where it is cut off. */
async function importedFaults(
  path: string,
  { displayName, format }: { readonly displayName: string; readonly format: string },
): Promise<readonly PlacedFault[]> {
  const [transcript] = await importFile(path, displayName);
  const messages = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])) ?? [];
  const lines = format === "plimsoll" ? messageLines(readFileSync(path, "utf8")) : [];
  const cut = transcript?.notes.filter(({ code }) => code === "cut-off-line") ?? [];
  const at = (index: number, words: string): PlacedFault => ({
    line: lines[index] ?? null,
    words: `${lines[index] === undefined ? `message ${index + 1}: ` : ""}${words}`,
  });
  return [
    ...repairMessages(messages).repairs.map(({ code, index }) => at(index, code.replaceAll("-", " "))),
    ...messages.flatMap((message, index) => {
      const unsound = toolCallsOf(message).filter(({ argumentsJson }) => !isRecord(jsonIn(argumentsJson)));
      return unsound.map(({ toolName }) => at(index, `the arguments of this call of ${toolName} are not a JSON object`));
    }),
    ...cut.map(({ line }) => ({ line, words: "the log is cut off here" })),
  ];
}

/** The lines of a log of ours that hold messages, counted from 1. */
function messageLines(text: string): readonly number[] {
  return text.split("\n").flatMap((line, index) => (/^\s*\{"type":"message"/.test(line) ? [index + 1] : []));
}

/** Advice on a vendor's refusal that ends a log; the log suggests no remedy for others. */
const REFUSED: Readonly<Record<string, string>> = {
  "reasoning-refused": "the vendor refused the thinking: --full leaves it out",
  "context-overflow": "the vendor refused the request for its length: plimsoll compact makes it shorter",
};

/** The line of the newest summary, if Claude Code wrote it in a version that could have asked a mod; `null` for any other. */
function ownSummaryLine(text: string): number | null {
  const lines = text.split("\n");
  const at = lines.findLastIndex((line) => line.includes('"isCompactSummary":true'));
  const record = jsonIn(lines[at] ?? "");
  const { version, message } = isRecord(record) ? record : {};
  const takesMods = String(version).localeCompare(FIRST_MOD_VERSION, "en", { numeric: true }) >= 0;
  const isMods = JSON.stringify(message ?? "").includes(JSON.stringify(SUMMARY_HEADER.text).slice(1, -1));
  return typeof version === "string" && takesMods && !isMods ? at + 1 : null;
}

function refusalIn(record: unknown): string | null {
  const { message, payload, isApiErrorMessage } = isRecord(record) ? record : {};
  if (isRecord(payload)) return payload.type === "error" ? JSON.stringify(payload.message) : null;
  if (!isRecord(message)) return null;
  return isApiErrorMessage === true || message.stopReason === "error"
    ? JSON.stringify(message.errorMessage ?? message.content)
    : null;
}

function isReply(record: unknown): boolean {
  const { message, payload } = isRecord(record) ? record : {};
  return [message, payload].some((each) => isRecord(each) && (each.role === "assistant" || /_call$/.test(String(each.type))));
}

/** How an agent opens a session by its file; others find theirs by place and name. */
const OPENED_BY: Readonly<Record<string, (copy: string, text: string) => string>> = {
  // Claude Code knows a session by the name of its file, which is a UUID.
  "claude-code": (copy) => `claude --resume ${basename(copy, ".jsonl")}`,
  pi: (copy) => `pi --session ${copy}`,
  opencode: (copy, text) => `opencode import ${copy} && opencode --session ${/"(ses_\w+)"/.exec(text)?.[1] ?? ""}`,
};
const BY_ITS_PLACE = () => "keep a copy of the log, then replace it with this file";

/** A session of OpenCode under ids of its own: of ids that it has, `opencode import` takes nothing. Ids with one end keep their order. */
function asNewSession(text: string): string {
  const end = createHash("sha256").update(text).digest("hex").slice(0, 6);
  const ids = new Set(Array.from(text.matchAll(/"(?:id|sessionID)": ?"((?:ses|msg|prt)_\w+)"/g), ([, id]) => id));
  return text.replace(/"((?:ses|msg|prt)_\w+)"/g, (found, id: string) => (ids.has(id) ? `"${id}${end}"` : found));
}

function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** A name beside the log that nothing has; of a session of OpenCode's database its id. */
function freeName(packed: string): string {
  const path = packed.replace(/\.(gz|zst)$/, "");
  const [, folder, id] = /^(.*?)[^/\\]+\.db#(ses_\w+)$/.exec(path) ?? [];
  const end = id === undefined ? extname(path) : ".json";
  const base = id === undefined ? path.slice(0, path.length - end.length) : join(folder ?? "", id);
  for (let count = 1; ; count++) {
    const name = `${base}.mended${count === 1 ? "" : `-${count}`}${end}`;
    if (!existsSync(name)) return name;
  }
}
