import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "@plimsoll/providers/simulator";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-run-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const plimsoll = (...argv: readonly string[]) => runIn(folder, argv);

const log = () => {
  const sessions = join(folder, ".plimsoll/sessions");
  return readFileSync(join(sessions, readdirSync(sessions).find((name) => name.endsWith(".jsonl")) ?? ""), "utf8");
};

describe("run", { timeout: 60_000 }, () => {
  test("a compaction is the log line that CI reads", async () => {
    writeFileSync(
      join(folder, "plimsoll.yaml"),
      "policy: plimsoll\ntrigger: { atLeast: { tokens: 6000 } }\nkeep: { tokens: 2000 }\n",
    );
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "commands", "look");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^\[plimsoll:context:compacted:\w+\] \d+ → \d+ tokens \(tool round \d\)$/m);
  });

  test("a server on this machine is asked for its window; a resumed session is told that its model is another one", async () => {
    const simulator = await startSimulator({
      contextWindowTokens: 9_000,
      replies: () => ({ parts: [{ type: "text", text: "Hello." }] }),
    });
    vi.stubEnv("LLAMA_CPP_BASE_URL", simulator.openAiUrl);
    const first = await plimsoll("run", "--model", "llama.cpp/own-model", "hello");
    expect(first).toMatchObject({ exitCode: 0, stdout: "Hello.\n" });
    expect(first.stderr).toContain("context window 9000 tokens (server, ");
    const second = await plimsoll("run", "again", "--resume", "--model", "llama.cpp/other", "--window", "20000");
    await simulator.close();
    expect(second.stderr).toContain("context window 20000 tokens (--window)");
    expect(second.stderr).toContain("the session's model was own-model; it goes on with other (--model takes another)");
    expect(log().match(/"type":"model-change"/g)).toHaveLength(2);
  });
});

describe("run without anybody to ask", { timeout: 60_000 }, () => {
  const RESULTS = /"text":"Not run: [^"]*"/g;

  test("refuses commands, tells the model, says at the end what it refused, and ends as it would have", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "look");
    expect(exitCode).toBe(0);
    expect(log().match(RESULTS)).toHaveLength(5);
    expect(stderr.split("\n").slice(-7, -1)).toEqual([
      "refused, since it was not allowed (--allow commands, writes, command:LINE, tool:NAME, server:NAME or all):",
      "  command:seq -f 'part 0.%g checked, nothing unusual' 1 120",
      ...[1, 2, 3, 4].map((part) => expect.stringContaining(`'part ${part}.%g checked`)),
    ]);
  });

  test("runs the very command that was allowed, and no other", async () => {
    const command = "seq -f 'part 1.%g checked, nothing unusual' 1 160";
    const { stderr } = await plimsoll("run", "--demo", "look", "--allow", "writes", "--allow", `command:${command}`);
    expect(log().match(RESULTS)).toHaveLength(4);
    expect(log()).toContain("part 1.160 checked");
    expect(stderr).toContain(`allowed without asking: writes, command:${command}\n`);
  });

  test("in read-only mode refuses what was allowed, too", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--read-only", "--allow", "all", "look");
    expect(exitCode).toBe(0);
    expect(log().match(RESULTS)).toHaveLength(5);
    expect(stderr).toContain("refused, since the session is read-only:\n");
    expect(stderr).not.toContain("allowed without asking");
  });

  test("tells programs on the event's lines, too", async () => {
    const { stdout } = await plimsoll("run", "--demo", "--json", "look");
    expect(stdout.match(RESULTS)?.length).toBeGreaterThanOrEqual(5);
  });

  test.each(["run", "chat"])("%s without a key says which one is missing, and what needs none", async (command) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const { exitCode, stdout, stderr } = await plimsoll(command, ...(command === "run" ? ["look"] : []));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe("plimsoll: no key: set the environment variable ANTHROPIC_API_KEY, or give --demo, which needs none\n");
  });

  test("a rule that is none is one line", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "comands", "look");
    expect(exitCode).toBe(2);
    expect(stderr).toBe('plimsoll: "comands" is nothing that can be allowed: did you mean commands?\n');
  });
});
