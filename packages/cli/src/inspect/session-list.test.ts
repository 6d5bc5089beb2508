import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLog, type SessionSummary } from "@plimsoll/core";
import { human, logOf, reply } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { NOW_MS, recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { sessionsText } from "./inspect-command.ts";

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  createdMs: NOW_MS,
  updatedMs: NOW_MS,
  parentId: null,
  bytes: 1,
  title: "mend the test",
  ...more,
});

test.each<[string, readonly SessionSummary[], readonly string[]]>([
  [
    "each is named by what was said first, and the newest can be gone on with",
    [session("b"), session("a", { title: "look at\nthe logs", updatedMs: null })],
    [
      "2026-03-10 12:00  b",
      "  mend the test",
      "                  a",
      "  look at the logs",
      "go on with: plimsoll chat --resume b",
    ],
  ],
  [
    "sub-agents' are counted",
    [session("child", { parentId: "b" }), session("b", { title: null })],
    ["2026-03-10 12:00  b", "  (nothing was said)", "and 1 session of sub-agents", "go on with: plimsoll chat --resume b"],
  ],
  [
    "older ones are counted",
    [session("c"), session("b"), session("a")],
    [
      "2026-03-10 12:00  c",
      "  mend the test",
      "2026-03-10 12:00  b",
      "  mend the test",
      "and 1 older",
      "go on with: plimsoll chat --resume c",
    ],
  ],
  ["none is said so", [], ["There is no session here yet: plimsoll chat begins one."]],
])("of a list of sessions %s", (_rule, stored, lines) => {
  expect(sessionsText(stored, 2).split("\n")).toEqual(lines);
});

test("`inspect` without a session lists the folder's sessions, on lines of 80 columns, and makes no folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-sessions-"));
  const empty = recordedIo(folder);
  expect(await main(["inspect"], empty.io)).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  mkdirSync(join(folder, ".plimsoll/sessions"), { recursive: true });
  const log = encodeLog(logOf([human("1", `find the fault ${"x".repeat(200)}`), reply("2", "found")]));
  writeFileSync(join(folder, ".plimsoll/sessions/s1.jsonl"), log);
  const { io, stdout } = recordedIo(folder);
  expect(await main(["inspect"], io)).toBe(0);
  expect(stdout()).toContain("  find the fault xxx");
  expect(
    Math.max(
      ...stdout()
        .split("\n")
        .map((line) => [...line].length),
    ),
  ).toBeLessThanOrEqual(80);
});
