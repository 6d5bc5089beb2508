import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLog, type SessionEntry, usageOf } from "@plimsoll/core";
import { compaction, human, reply, sessionStart, summarized, summaryMessage } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

const KEY = "sk-planted-0123456789abcdef";
const stub = { type: "text", text: `cut: ${KEY}` } as const;
const entries: readonly SessionEntry[] = [
  sessionStart(`Use ${KEY}.`),
  { type: "message", message: human("h1", `My key is ${KEY}.`) },
  { type: "message", message: reply("a1", `Noted: ${KEY}`) },
  { type: "message", message: human("h2", "Go on.") },
  { type: "message", message: reply("a2", "Done.") },
  compaction("k1", [
    summarized(summaryMessage("s1", `The key is ${KEY}.`), ["h1", "a1"]),
    { kind: "replace-part", messageId: "a2", partIndex: 0, part: stub, handle: "h", removedChars: 0 },
  ]),
];

test("inspect counts the summaries that the vendor wrote, and all that it was paid for", async () => {
  const usage = usageOf({ totalInputTokens: 40_000, outputTokens: 1_000 });
  const step = { strategy: "vendor", outcome: "applied", detail: null } as const;
  const byVendor = { ...summarized(summaryMessage("s1", "Words."), ["h1", "a1"]), by: "vendor", usage } as const;
  const cut = compaction("k1", [byVendor]);
  const paid = { ...step, outcome: "failed", usage } as const;
  const record = { ...cut.record, modelId: "claude-sonnet-4-5", steps: [paid, step] };
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-vendor-"));
  writeFileSync(join(folder, "log.jsonl"), encodeLog([...entries.slice(0, -1), { ...cut, record }]));
  const { io, stdout } = recordedIo(folder);
  expect(await main(["inspect", "log.jsonl"], io)).toBe(0);
  const text = stdout().split(/\s+/).join(" ");
  expect(text).toContain("summaries by the vendor: 1; 80.0k tokens read and 2.00k written, $0.270");
  expect(text).toContain("summarised");
});

test("inspect and compact show no key that an agent's log has", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-shown-"));
  writeFileSync(join(folder, "log.jsonl"), encodeLog(entries));
  const { io, stdout } = recordedIo(folder);
  expect(await main(["inspect", "log.jsonl", "--html", "page.html", "--json", "facts.json"], io)).toBe(0);
  expect(await main(["compact", "log.jsonl", "--dry-run", "--window", "8k", "--keep", "1"], io)).toBe(0);
  const shown = [stdout(), ...["page.html", "facts.json"].map((file) => readFileSync(join(folder, file), "utf8"))].join("\n");
  expect(shown).toContain("The key is [key].");
  expect(shown).toContain("My key is [key].");
  expect(shown).not.toContain("sk-planted");
});
