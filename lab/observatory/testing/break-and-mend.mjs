/**
 * Breaks the newest session of a program in several ways at once, has the installed `plimsoll doctor` write a mended copy, and puts the copy in the place of the
 * log, as a person would. Ends with 1 if doctor does not report each of them, changes the original, or finds anything in its copy.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** Where each program keeps its sessions below its home, and the lines that hold a call, a result, or both. */
const FORMS = {
  pi: { folder: ".pi/agent/sessions", call: /"toolCall"/, result: /"role":"toolResult"/ },
  codex: {
    folder: ".codex/sessions",
    call: /"type":"function_call"|"custom_tool_call"/,
    result: /"type":"(function|custom_tool)_call_output"/,
  },
  qwen: { folder: ".qwen/projects", call: /"message":.*"functionCall"/, result: /"type":"tool_result"/ },
  gemini: { folder: ".gemini/tmp", call: /"toolCalls"/, result: /"toolCalls"/ },
};

const [form = "", command = "", ...program] = process.argv.slice(2);
const home = process.env.HOME ?? "";
const run = (file, args) => execFileSync(file, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
const doctor = (...args) => spawnSync(process.execPath, [command, "doctor", ...args], { encoding: "utf8", maxBuffer: 2 ** 28 });

function fail(words) {
  process.stderr.write(`${words}\n`);
  process.exit(1);
}

function newest(folder) {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
  return files.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0] ?? fail(`no session in ${folder}`);
}

/** The first id of a call that each such line names. */
const idIn = (line) => /"(?:call_id|toolCallId|callID|id)":"((?:call_|run_shell)[^"]*)"/.exec(line)?.[1];

function brokenLines(text) {
  const lines = text.trimEnd().split("\n");
  const { call, result } = FORMS[form];
  const calls = lines.filter((line) => call.test(line) && idIn(line) !== undefined);
  const ids = [...new Set(calls.map(idIn))];
  const isResultOf = (id) => (line) => result.test(line) && idIn(line) === id;
  const resultOf = (id) => lines.findLastIndex(isResultOf(id));
  const change = (at, made) => {
    lines[at] = made(lines[at]);
  };
  // The first id is used again; the fourth result holds half a character.
  for (const [at, line] of lines.entries())
    if (call.test(line) || result.test(line)) lines[at] = line.replaceAll(ids[2], ids[0]);
  change(resultOf(ids[3]), (line) => line.replace("line of call 4", "line \\ud83d of call 4"));
  if (form === "gemini") {
    // The second call is open: the program was killed before it ended, and stored no result beside it.
    const again = lines.findIndex((line) => line.includes('"type":"user"') && line.includes(ids[1]));
    change(resultOf(ids[1]), (line) => {
      const { result: _, ...open } = JSON.parse(line).toolCalls[0];
      return JSON.stringify({ ...JSON.parse(line), toolCalls: [{ ...open, status: "executing" }] });
    });
    lines.splice(again, 1);
  } else {
    change(resultOf(ids[1]), (line) => line.replaceAll(ids[1], "gone"));
    if (form !== "codex") lines.splice(resultOf(ids[4]), 0, lines[resultOf(ids[4])]);
    const failed = { timestamp: "2026-11-01T10:00:00Z", type: "compacted", payload: { message: "API Error: 529 overloaded" } };
    const { id } = JSON.parse(lines.at(-1));
    const ofPi = { type: "compaction", id: "broken00", parentId: id, summary: failed.payload.message, firstKeptEntryId: id };
    if (form === "codex") lines.push(JSON.stringify(failed));
    if (form === "pi") lines.push(JSON.stringify({ ...ofPi, timestamp: failed.timestamp, tokensBefore: 5 }));
  }
  return `${lines.join("\n")}\n{"type":"mess`;
}

function brokenDocument(text) {
  const session = JSON.parse(text);
  const tools = session.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === "tool");
  tools[1].state = { status: "running", input: tools[1].state.input, time: { start: 1 } };
  tools[2].callID = tools[0].callID;
  tools[3].state.output = tools[3].state.output.replace("line of call 4", "line half of call 4");
  return JSON.stringify(session, null, 2).replace("line half of", "line \\ud83d of");
}

/** Words that doctor has to say of each form. */
const SAID = {
  pi: ["has no result", "no call before it", "used before", "half a character", "the same line", "summary failed", "cut off"],
  codex: ["has no result", "no call before it", "used before", "half a character", "summary failed", "cut off"],
  qwen: ["has no result", "no call before it", "used before", "half a character", "the same line", "cut off"],
  gemini: ["has no result", "used before", "half a character", "occurs twice", "cut off"],
  opencode: ["has no result", "used before", "half a character"],
};

/** Breaks a log, has it mended, and gives the copy; the broken log is left as it was. */
function mended(log, broken) {
  writeFileSync(log, broken);
  if (process.env.PLIMSOLL_LEAVE_BROKEN === "1") return log;
  const told = doctor(log);
  const missing = SAID[form].filter((words) => !told.stdout.includes(words));
  if (told.status !== 1 || missing.length > 0)
    fail(`doctor does not tell: ${missing.join(", ")}\n${told.stdout}${told.stderr}`);
  const { stdout, status } = doctor("--write", log);
  const copy = /^repaired copy: (.+)$/m.exec(stdout)?.[1] ?? fail(`no copy: ${stdout}`);
  if (status !== 0 || readFileSync(log, "utf8") !== broken) fail("the original was changed");
  const again = doctor(copy);
  if (again.status !== 0) fail(`the copy is not whole: ${again.stdout}`);
  return copy;
}

if (form === "opencode") {
  const [file = "", ...args] = program;
  const [{ id }] = JSON.parse(run(file, [...args, "session", "list", "--format", "json"]));
  const log = join(home, "session.json");
  // A session of ids that are known is not imported: the broken one gets ids of its own.
  const broken = brokenDocument(run(file, [...args, "export", id])).replaceAll(/"((?:ses|msg|prt)_\w+)"/g, '"$1b"');
  writeFileSync(log, broken);
  run(file, [...args, "import", log]);
  run(file, [...args, "session", "delete", id]);
  const copy = mended(log, run(file, [...args, "export", `${id}b`]));
  // The program goes on with the newest, and a person names the mended one.
  if (copy !== log) {
    run(file, [...args, "import", copy]);
    run(file, [...args, "session", "delete", `${id}b`]);
  }
} else {
  const log = newest(join(home, FORMS[form].folder));
  const copy = mended(log, brokenLines(readFileSync(log, "utf8")));
  if (copy !== log) {
    renameSync(log, join(home, "broken.jsonl"));
    renameSync(copy, log);
  }
}
