import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix, win32 } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocatedAgent, type LogQuery, locateLogs, unreadFiles, usualPlaces } from "./locations.ts";

const FILES: readonly (readonly [path: string, modifiedSeconds: number])[] = [
  [".claude/projects/-w/a.jsonl", 100],
  [".claude/projects/-w/a/subagents/agent-b.jsonl", 300],
  [".claude/projects/-w/c.jsonl", 200],
  [".claude/projects/-w/sessions-index.json", 400],
  [".codex/sessions/2026/01/02/rollout-x.jsonl", 100],
  [".codex/sessions/2026/01/02/other.jsonl", 200],
  [".codex/archived_sessions/rollout-y.jsonl", 50],
  [".codex/sessions/2025/12/20/rollout-w.jsonl.zst", 40],
  [".codex/sessions/2026/01/02/rollout-x.jsonl.zst", 110],
  [".codex/sessions/2026/01/02/rollout-x.jsonl.zst.tmp", 120],
  [".copilot/session-state/s1/events.jsonl", 200],
  [".copilot/session-state/s1/checkpoints/001-x.md", 300],
  [".copilot/session-state/s2.jsonl", 100],
  [".pi/agent/sessions/--w--/s.jsonl", 100],
  [".local/share/opencode/storage/session/p/ses_1.json", 100],
  [".local/share/opencode/storage/message/ses_1/msg_1.json", 200],
  [".gemini/tmp/hash/chats/session-1.json", 100],
  [".gemini/tmp/hash/chats/session-2.jsonl", 100],
  [".gemini/tmp/hash/logs.json", 300],
  [".qwen/projects/-w/chats/s.jsonl", 100],
  [".cline/data/sessions/1/1.messages.json", 100],
  [".cline/data/sessions/1/1.json", 200],
  [".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/9/api_conversation_history.json", 300],
  [".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/9/ui_messages.json", 400],
  [".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/7/api_conversation_history.json", 100],
  [".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/7/ui_messages.json", 200],
  [".config/Code/User/globalStorage/kilocode.kilo-code/tasks/8/api_conversation_history.json", 100],
  [".local/share/kilo/storage/session/p/ses_2.json", 50],
];

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "plimsoll-locations-"));
  for (const [path, modifiedSeconds] of FILES) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), "{}\n");
    await utimes(join(home, path), modifiedSeconds, modifiedSeconds);
  }
});
afterAll(() => rm(home, { recursive: true }));

async function found(query: Omit<LogQuery, "homeFolder">): Promise<readonly string[]> {
  return (await locateLogs({ ...query, homeFolder: home })).map((file) => file.path.slice(home.length + 1));
}

test.each<[LocatedAgent, string[]]>([
  [
    "claude-code",
    [".claude/projects/-w/a/subagents/agent-b.jsonl", ".claude/projects/-w/c.jsonl", ".claude/projects/-w/a.jsonl"],
  ],
  [
    "codex",
    [
      ".codex/sessions/2026/01/02/rollout-x.jsonl",
      ".codex/archived_sessions/rollout-y.jsonl",
      ".codex/sessions/2025/12/20/rollout-w.jsonl.zst",
    ],
  ],
  ["copilot-cli", [".copilot/session-state/s1/events.jsonl", ".copilot/session-state/s2.jsonl"]],
  ["pi", [".pi/agent/sessions/--w--/s.jsonl"]],
  ["opencode", [".local/share/opencode/storage/session/p/ses_1.json"]],
  ["gemini", [".gemini/tmp/hash/chats/session-1.json", ".gemini/tmp/hash/chats/session-2.jsonl"]],
  ["qwen-code", [".qwen/projects/-w/chats/s.jsonl"]],
  [
    "cline",
    [
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/9/api_conversation_history.json",
      ".cline/data/sessions/1/1.messages.json",
    ],
  ],
  ["roo-code", [".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/7/api_conversation_history.json"]],
  [
    "kilo-code",
    [
      ".config/Code/User/globalStorage/kilocode.kilo-code/tasks/8/api_conversation_history.json",
      ".local/share/kilo/storage/session/p/ses_2.json",
    ],
  ],
])("%s: its logs, newest first", async (agent, paths) => {
  expect(await found({ agent })).toEqual(paths);
});

test.each([
  ["since", { sinceMs: 200_000 }, [".claude/projects/-w/a/subagents/agent-b.jsonl", ".claude/projects/-w/c.jsonl"]],
  ["limit", { limit: 1 }, [".claude/projects/-w/a/subagents/agent-b.jsonl"]],
  ["both, none left", { sinceMs: 301_000, limit: 1 }, []],
])("filter: %s", async (_, filter, paths) => {
  expect(await found({ agent: "claude-code", ...filter })).toEqual(paths);
});

test("a database of OpenCode is told of, if it changed, and no other file beside it", async () => {
  const person = await mkdtemp(join(home, "person-"));
  const folder = join(person, ".local/share/opencode");
  await mkdir(folder, { recursive: true });
  for (const name of ["opencode.db", "opencode-local.db", "opencode.db-wal", "other.db"])
    await writeFile(join(folder, name), "SQLite format 3\0");
  await utimes(join(folder, "opencode-local.db"), 100, 100);
  const names = async (query: Pick<LogQuery, "agent" | "sinceMs">) =>
    (await unreadFiles({ ...query, homeFolder: person })).map(({ path }) => path.slice(folder.length + 1)).toSorted();
  expect(await names({ agent: "opencode" })).toEqual(["opencode-local.db", "opencode.db"]);
  expect(await names({ agent: "opencode", sinceMs: 200_000 })).toEqual(["opencode.db"]);
  expect(await names({ agent: "pi" })).toEqual([]);
  await mkdir(join(person, ".codex/sessions"), { recursive: true });
  for (const name of ["state_5.sqlite", "sessions/inside.sqlite"]) await writeFile(join(person, ".codex", name), "SQLite");
  const ofCodex = await unreadFiles({ agent: "codex", homeFolder: person });
  expect(ofCodex.map(({ path }) => path)).toEqual([join(person, ".codex/sessions/inside.sqlite")]);
});

test("a home without the agent has no logs; the places looked at can be named", async () => {
  expect(await locateLogs({ agent: "pi", homeFolder: join(home, "nobody") })).toEqual([]);
  expect(usualPlaces("pi", { homeFolder: "/h" })).toEqual([join("/h", ".pi/agent/sessions")]);
});

test("a file is given with its time", async () => {
  expect(await locateLogs({ agent: "pi", homeFolder: home })).toEqual([
    { path: join(home, ".pi/agent/sessions/--w--/s.jsonl"), modifiedMs: 100_000 },
  ]);
});

test.each<readonly [string, string, number]>([
  ["its last record", '{"timestamp":"1970-01-01T00:00:50Z"}\n{"timestamp":"1970-01-01T00:01:00Z"}\n', 60_000],
  ["milliseconds", '[{"ts": 1600000000000, "text": "a"}]', 1_600_000_000_000],
  ["a record before a long one", `{"at":"1970-01-01T00:01:00Z"}\n{"text":"${"x".repeat(100_000)}"}\n`, 60_000],
  ["the file, if a text quotes a time", '{"text":"{\\"at\\":\\"1970-01-01T00:01:00Z\\"}"}', 1_700_000_000_000],
  ["the file, if a time is later", '{"expires":"2099-01-01T00:00:00Z"}', 1_700_000_000_000],
])("a copied log is as old as %s", async (_, text, modifiedMs) => {
  const homeFolder = await mkdtemp(join(home, "copied-"));
  const path = join(homeFolder, ".pi/agent/sessions/s.jsonl");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await utimes(path, 1_700_000_000, 1_700_000_000);
  expect(await locateLogs({ agent: "pi", homeFolder })).toEqual([{ path, modifiedMs }]);
  expect(await locateLogs({ agent: "pi", homeFolder, sinceMs: modifiedMs + 1 })).toEqual([]);
});

const CLINE = "Code/User/globalStorage/saoudrizwan.claude-dev/tasks/9/api_conversation_history.json";

test.each<readonly [string, LocatedAgent, Readonly<Record<string, string>>, string]>([
  ["macOS", "cline", {}, `Library/Application Support/${CLINE}`],
  ["Windows", "cline", {}, `AppData/Roaming/${CLINE}`],
  ["Windows, roaming elsewhere (APPDATA)", "cline", { APPDATA: "roaming" }, `roaming/${CLINE}`],
  ["Linux, elsewhere (XDG_CONFIG_HOME)", "cline", { XDG_CONFIG_HOME: "config" }, `config/${CLINE}`],
  ["any, XDG_DATA_HOME", "opencode", { XDG_DATA_HOME: "data" }, "data/opencode/storage/session/p/ses_9.json"],
  ["any, CLAUDE_CONFIG_DIR", "claude-code", { CLAUDE_CONFIG_DIR: "c" }, "c/projects/-w/a.jsonl"],
  ["any, CODEX_HOME", "codex", { CODEX_HOME: "x" }, "x/archived_sessions/rollout-z.jsonl"],
  ["any, PI_CODING_AGENT_DIR", "pi", { PI_CODING_AGENT_DIR: "p" }, "p/sessions/--w--/s.jsonl"],
  ["any, a variable set to nothing", "codex", { CODEX_HOME: "" }, ".codex/sessions/rollout-z.jsonl"],
])("on %s: the logs of %s are found", async (_, agent, variables, file) => {
  const person = await mkdtemp(join(home, "person-"));
  const path = join(person, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "{}\n");
  const environment = Object.fromEntries(
    Object.entries(variables).map(([name, folder]) => [name, folder && join(person, folder)]),
  );
  expect((await locateLogs({ agent, homeFolder: person, environment })).map((found) => found.path)).toEqual([path]);
});

test.each([
  ["Windows", win32, "C:\\Users\\u", { APPDATA: "D:\\Roaming" }, "D:\\Roaming\\Code\\User"],
  ["Windows without variables", win32, "C:\\Users\\u", {}, "C:\\Users\\u\\AppData\\Roaming\\Code\\User"],
  ["macOS", posix, "/Users/u", {}, "/Users/u/Library/Application Support/Code/User"],
] as const)("places on %s", (_, paths, homeFolder, environment, editor) => {
  const home = { homeFolder, environment: { LOCALAPPDATA: "E:\\Local", ...environment }, paths };
  const below = (...names: readonly string[]) => paths.join(homeFolder, ...names);
  expect(usualPlaces("claude-code", home)).toEqual([below(".claude", "projects")]);
  expect(usualPlaces("codex", home)).toEqual([below(".codex", "sessions"), below(".codex", "archived_sessions")]);
  expect(usualPlaces("opencode", home)).toEqual([below(".local", "share", "opencode", "storage", "session")]);
  expect(usualPlaces("gemini", home)).toEqual([below(".gemini", "tmp")]);
  expect(usualPlaces("cline", home)).toContain(paths.join(editor, "globalStorage", "saoudrizwan.claude-dev", "tasks"));
});
