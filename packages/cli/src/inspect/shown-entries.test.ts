import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLog, type SessionEntry } from "@plimsoll/core";
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
