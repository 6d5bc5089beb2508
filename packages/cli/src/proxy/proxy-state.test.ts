import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAnswer, afterRejection, learnedWindowTokens } from "@plimsoll/core/extend";
import { beforeEach, expect, test, vi } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { forgetLimits, learnedLimitLines, openProxyState } from "./proxy-state.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-state-"));
});

const DAY_MS = 86_400_000;

/** A proxy's life: the answers and refusals of its conversations, and the files that it leaves at its end. */
async function life(windows: "stated" | "known" = "known", nowMs = 0) {
  const lines: string[] = [];
  const state = await openProxyState({
    folder,
    logs: join(folder, "logs"),
    removeBeforeMs: null,
    onProblem: (line) => lines.push(line),
    onLimit: (line) => lines.push(line),
    nowMs: () => nowMs,
    windows,
  });
  const { learned } = state;
  const rejection = { promptTokens: null };
  return {
    lines,
    state,
    settled: state.close,
    answered: (of: WeakKey, tokens: number) =>
      learned.learn(of, "m", (known) => afterAnswer(known, { expectedTokens: tokens, nowTokens: tokens })),
    refused: (of: WeakKey, tokens: number, limitTokens: number | null = null) =>
      learned.learn(of, "m", (known) =>
        afterRejection(known, { ...rejection, limitTokens }, { expectedTokens: tokens, reserveTokens: 0, nowMs }),
      ),
    windowOf: (of: WeakKey) => learnedWindowTokens(learned.of(of, "m"), 0),
  };
}

test("one refusal below what was answered caps no other conversation, nor any after a restart", async () => {
  const { answered, refused, windowOf, settled } = await life();
  const [one, two] = [{}, {}];
  answered(one, 42_800);
  refused(two, 16_600);
  refused(two, 16_600);
  expect(windowOf({})).toBeNull();
  await settled();
  expect((await life()).windowOf({})).toBeNull();
});

test("a limit below what the person stated holds for its conversation alone, until a larger request is answered", async () => {
  const { refused, answered, windowOf, lines, settled } = await life("stated");
  const one = {};
  refused(one, 16_600);
  expect([windowOf(one), windowOf({})]).toEqual([13_280, null]);
  expect(lines).toEqual([expect.stringContaining("13280 tokens")]);
  answered(one, 20_000);
  expect(windowOf(one)).toBeNull();
  await settled();
  expect(await learnedLimitLines(folder, 0)).toEqual([]);
});

test("a limit that the provider named holds for all, for a day, is shown, and can be forgotten", async () => {
  const { refused, settled, windowOf } = await life();
  refused({}, 20_000, 16_000);
  expect(windowOf({})).toBe(16_000);
  await settled();
  expect(await learnedLimitLines(folder, DAY_MS)).toEqual([
    expect.stringMatching(/^m {2}16000 tokens, as the provider named it/),
  ]);
  const later = await life("known", DAY_MS + 1);
  expect(later.windowOf({})).toBeNull();
  await later.settled();
  const { io, stdout } = recordedIo(folder);
  const status = (...more: readonly string[]) => main(["proxy", "status", ...more, "--state", "."], { ...io, nowMs: () => 0 });
  expect(await status()).toBe(1);
  expect(stdout()).toMatch(/^no proxy runs on .*\nlearned limit: m {2}16000 tokens/);
  expect(await status("forget", "other")).toBe(2);
  expect(await status("forget", "m")).toBe(0);
  expect((await life()).windowOf({})).toBeNull();
});

test("a limit of another unit holds for all conversations, for a day, is shown once, and can be forgotten", async () => {
  const { lines, state, settled } = await life();
  const learn = (conversation: object) =>
    state.learned.learn(conversation, "m", (learned) => ({
      ...learned,
      request: { bytes: { limit: 5_000_000, entryId: "a", atMs: 0 } },
    }));
  learn({});
  learn({});
  const shown = "m  at most 5000000 bytes a request";
  expect(lines).toEqual([`refused; ${shown}`]);
  expect(state.learned.of({}, "m").request.bytes?.limit).toBe(5_000_000);
  await settled();
  expect(await learnedLimitLines(folder, DAY_MS)).toEqual([shown]);
  expect(await learnedLimitLines(folder, DAY_MS + 1)).toEqual([]);
  expect((await life()).state.learned.of({}, "m").request.bytes?.limit).toBe(5_000_000);
  expect(await forgetLimits(folder, "m", 0)).toBe(1);
  expect(await learnedLimitLines(folder, 0)).toEqual([]);
});

test("a proxy that runs forgets at once, and its conversations with it", async () => {
  const { refused, answered, windowOf, settled } = await life();
  const one = {};
  refused(one, 20_000, 16_000);
  refused({}, 9_000);
  await vi.waitFor(async () => expect(await learnedLimitLines(folder, 0)).toHaveLength(1), { timeout: 30_000 });
  expect([windowOf(one), windowOf({})]).toEqual([16_000, 7_200]);
  expect(await forgetLimits(folder, null, 1)).toBeGreaterThan(0);
  expect([windowOf(one), windowOf({})]).toEqual([null, null]);
  // A limit learned afterwards is kept again.
  refused(one, 20_000, 18_000);
  expect(windowOf({})).toBe(18_000);
  answered(one, 18_500);
  expect(windowOf({})).toBeNull();
  await settled();
});

test.each(["notes.jsonl", "token"])("a %s that is a link out of the folder is neither read nor written", async (name) => {
  const elsewhere = mkdtempSync(join(tmpdir(), "plimsoll-elsewhere-"));
  writeFileSync(join(elsewhere, "file"), "theirs");
  symlinkSync(join(elsewhere, "file"), join(folder, name));
  await expect(life()).rejects.toMatchObject({ code: "bad-input", message: expect.stringContaining(name) });
  expect(readFileSync(join(elsewhere, "file"), "utf8")).toBe("theirs");
  rmSync(elsewhere, { recursive: true });
  rmSync(join(folder, name));
  const again = await life();
  await again.settled();
});

test("notes are rewritten under no name that could be guessed", async () => {
  const { refused, settled } = await life();
  refused({}, 20_000, 10_000);
  await settled();
  const elsewhere = join(folder, "theirs");
  symlinkSync(elsewhere, join(folder, "notes.jsonl.new"));
  expect(await forgetLimits(folder, null, 7)).toBe(1);
  expect(existsSync(elsewhere)).toBe(false);
  expect(readFileSync(join(folder, "notes.jsonl"), "utf8")).toBe('{"type":"forgotten","model":null,"atMs":7}\n');
});
