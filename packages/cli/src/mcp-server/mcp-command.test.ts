import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { newestLog } from "@plimsoll/bench/terminal";
import { expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

type Line = { readonly [key: string]: unknown };

/** Logs of two folders below one home, the one of the other folder being the newest. */
function logs(fileOf: (folder: string, name: string) => string, linesOf: (cwd: string) => readonly Line[]) {
  const home = mkdtempSync(join(tmpdir(), "plimsoll-mcp-from-"));
  const here = join(home, "project");
  const write = (cwd: string, name: string, seconds: number) => {
    const path = join(home, fileOf(cwd, name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      linesOf(cwd)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    utimesSync(path, seconds, seconds);
    return path;
  };
  write(here, "old", 1_000);
  const newest = write(here, "new", 2_000);
  write(`${here}-2`, "other", 3_000);
  return { io: { ...recordedIo(home).io, cwd: here }, newest };
}

const slug = (cwd: string) => cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
const said = (text: string): Line => ({ role: "user", content: [{ type: "text", text }] });

test.each<[string, (cwd: string, name: string) => string, (cwd: string) => readonly Line[]]>([
  [
    "claude-code",
    (cwd, name) => `.claude/projects/${slug(cwd)}/${name}.jsonl`,
    (cwd) => [
      {
        type: "user",
        uuid: "u",
        parentUuid: null,
        sessionId: "s",
        cwd,
        isSidechain: false,
        version: "2.1.0",
        message: said("Look."),
      },
    ],
  ],
  [
    "codex",
    (_, name) => `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${name}.jsonl`,
    (cwd) => [
      {
        timestamp: "2026-11-20T10:00:00Z",
        type: "session_meta",
        payload: { id: "s", cwd, originator: "codex", cli_version: "1" },
      },
    ],
  ],
  [
    "pi",
    (cwd, name) => `.pi/agent/sessions/${slug(cwd)}/${name}.jsonl`,
    (cwd) => [{ type: "session", version: 3, id: "s", timestamp: "2026-11-20T10:00:00Z", cwd }],
  ],
])("--from %s is the newest log of this folder, not of one whose name begins the same", async (agent, fileOf, linesOf) => {
  const { io, newest } = logs(fileOf, linesOf);
  expect((await newestLog(agent, io, { folder: io.cwd }))?.path).toBe(newest);
});

test("a folder that no log is of is told in one line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-mcp-from-"));
  const { io, stderr } = recordedIo(folder);
  expect(await main(["mcp", "--from", "pi"], io)).toBe(2);
  expect(stderr()).toContain("--from pi: it has no log of ");
});
