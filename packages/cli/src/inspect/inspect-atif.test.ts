import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { importFile, type Transcript } from "@plimsoll/bench";
import type { SessionEntry } from "@plimsoll/core";
import { fixtureSessions } from "@plimsoll/fixtures";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-atif-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Reduces an entry to the parts that a trajectory keeps; texts and calls of one reply have no order among each other, and ids are its own. */
function keptOf(entry: SessionEntry): unknown {
  switch (entry.type) {
    case "usage":
      return [entry.usage.input.totalTokens, entry.usage.input.cacheReadTokens, entry.usage.output];
    case "compaction":
      return [entry.record.messagesBefore, entry.record.messagesAfter, entry.record.tokensBefore];
    case "message":
      return [
        entry.message.role,
        entry.message.parts.map((part) => JSON.stringify(part)).sort(),
        entry.message.atMs !== undefined,
      ];
    default:
      return entry.type;
  }
}

const kept = (transcripts: readonly Transcript[]) => transcripts.map(({ entries }) => entries.map(keptOf));

describe("a trajectory has the calls, messages and compactions of the session", () => {
  test.each(fixtureSessions().map(({ path }) => [basename(path), path] as const))("%s", async (name, path) => {
    const { io, stdout } = recordedIo(folder);
    expect(await main(["inspect", path, "--atif", `${name}.json`], io)).toBe(0);
    expect(stdout()).toContain(`Wrote ${name}.json.\n`);
    const back = await importFile(join(folder, `${name}.json`));
    expect(new Set(back.map(({ format }) => format))).toEqual(new Set(["atif"]));
    expect(kept(back)).toEqual(kept(await importFile(path)));
  });
});
