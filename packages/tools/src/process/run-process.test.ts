import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { createMemoryArtifactStore } from "@plimsoll/core";
import { createFileArtifactStore } from "@plimsoll/stores";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../testing/temporary-folder.ts";
import { type ProcessRequest, processOutput, runProcess } from "./run-process.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const sh = (script: string, more: Partial<ProcessRequest> = {}) =>
  runProcess({
    command: "sh",
    args: ["-c", script],
    cwd: folder.path,
    env: { PATH: process.env.PATH },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    artifacts: createMemoryArtifactStore(),
    ...more,
  });

/** True while a process runs; one that ended without being waited for (state Z) does not. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

describe("running programs", { timeout: 30_000 }, () => {
  test("a program that never ends is ended with all that it started", async () => {
    const result = await sh('sleep 600 & echo $!; trap "" TERM; sleep 600', { timeoutMs: 300 });
    expect(result.end).toBe("timed-out");
    expect(isAlive(Number(result.text))).toBe(false);
    expect(processOutput(result, 300).text).toContain("[ended after 0.3 s: it had not finished");
  });

  test.each([
    ["the whole group", "sleep 600 & echo $! > pid.part; mv pid.part pid; wait"],
    ["a grandchild", "sh -c 'sh -c \"sleep 600 & echo \\$! > pid.part; mv pid.part pid; wait\"'"],
  ])("cancelling ends %s", async (_, script) => {
    const abort = new AbortController();
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(folder.path, () => {
        if (!existsSync(`${folder.path}/pid`)) return;
        watcher.close();
        resolve();
      });
    });
    const running = sh(script, { signal: abort.signal });
    await begun;
    abort.abort();
    expect((await running).end).toBe("cancelled");
    const pids = readdirSync(folder.path).map((name) => Number(readFileSync(`${folder.path}/${name}`, "utf8")));
    expect(pids.map(isAlive)).toEqual([false]);
  });

  test("what a command leaves in the background ends with it", async () => {
    const result = await sh("sleep 600 & echo $!");
    expect({ end: result.end, alive: isAlive(Number(result.text)) }).toEqual({ end: "exited", alive: false });
  });

  test("what left the process group is not waited for, though it holds the output open", async () => {
    const result = await sh("setsid sleep 20 & while ! pgrep -g $! > pid; do :; done; echo left");
    expect({ end: result.end, text: result.text }).toEqual({ end: "exited", text: "left\n" });
  });

  test("an output past what memory holds goes to the store piece by piece; its ends are shown", async () => {
    const artifacts = createFileArtifactStore(`${folder.path}/artifacts`);
    const result = await sh("seq 1 400000", { artifacts });
    const whole = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(result.text.length).toBeLessThan(600_000);
    expect(result.text.startsWith("1\n2\n") && result.text.endsWith("399999\n400000\n")).toBe(true);
    expect((await artifacts.get(result.handle ?? "")) === whole).toBe(true);
    expect(processOutput(result, 0).hint).toContain(`all ${whole.length} bytes`);
  });

  test("without such a store the middle is counted and gone", async () => {
    const result = await sh("seq 1 400000");
    expect({ handle: result.handle, bytes: result.totalBytes }).toEqual({ handle: null, bytes: 2_688_895 });
    expect(result.text).toContain("[… the middle of 2688895 bytes is not shown]");
  });

  test.each([
    ["a NUL byte", "printf 'a\\000b'", "[binary output of 3 bytes, not shown]"],
    ["invalid UTF-8", "printf 'a\\377b'", "a\ufffdb"],
    ["half a character at the end", "printf 'a\\303'", "a\ufffd"],
    ["nothing", "true", ""],
  ])("output with %s", async (_what, script, text) => {
    expect(processOutput(await sh(script), 0)).toEqual({ text, isError: false });
  });

  test("a store that refuses rejects, and the program is ended", async () => {
    folder.write("file", "");
    const artifacts = createFileArtifactStore(`${folder.path}/file/below`);
    await expect(sh("yes", { artifacts })).rejects.toMatchObject({ code: "bad-session" });
  });
});
