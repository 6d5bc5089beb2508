import type { SessionEntry } from "@plimsoll/core";
import { compaction, human, reply, sessionStart, summarized, summaryMessage, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { inspectHtml } from "./inspect-html.ts";
import { inspectedSessions } from "./session-facts.ts";

const EVIL = `"><script>alert('x')</script><img src=http://elsewhere/x onerror=alert(1)>`;

const entries: readonly SessionEntry[] = [
  sessionStart(EVIL),
  { type: "model-change", id: "m", modelId: EVIL, limits: { contextWindowTokens: 2_000, maxOutputTokens: null }, atMs: null },
  { type: "message", message: human("h1", EVIL) },
  usageEntry("q1", "h1", 1000),
  { type: "message", message: reply("a1", EVIL) },
  { type: "message", message: human("h2", "go on") },
  usageEntry("q2", "h2", 2000),
  { type: "message", message: reply("a2", "done") },
  compaction("k1", [summarized(summaryMessage("s1", EVIL), ["h1", "a1"])]),
  { type: "revert", id: "revert-k1", compactionId: "k1", atMs: null },
];

const sessions = await inspectedSessions([
  {
    name: `folder/${EVIL}`,
    file: EVIL,
    format: EVIL,
    entries,
    parentName: null,
    hasUsage: true,
    notes: [{ code: "no-usage", line: 3, text: EVIL }],
  },
]);
const page = inspectHtml(sessions);

test("nothing of a log becomes markup, and the page loads and runs nothing", () => {
  const tags = [...page.matchAll(/<([a-z0-9]+)/g)].map(([, tag]) => tag);
  expect(tags.filter((tag) => tag === "script" || tag === "img" || tag === "link" || tag === "iframe")).toEqual([]);
  expect(page).toContain("default-src &#39;none&#39;; script-src &#39;none&#39;");
  expect(page).not.toMatch(/(src|href)="(?!#)/);
  expect(page).not.toContain(' style="');
});

test("it shows both schemes, every call, the compaction with what it took out, and that it was undone", () => {
  expect(page).toContain("prefers-color-scheme: dark");
  expect([...page.matchAll(/<rect class="hover"/g)]).toHaveLength(2);
  expect(page).toContain('id="compaction-1"');
  expect(page).toContain("undone later");
  expect(page).toContain("1.00k reported");
  expect(page).toContain("context window 2k, by the log");
  expect(page).toContain("the newest compaction was undone");
});
