import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "@plimsoll/providers/simulator";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";
import { shownAnswer } from "./run-command.ts";

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
  test("what plimsoll.yaml says in the words of an earlier version is told once, and the run goes on", async () => {
    writeFileSync(join(folder, "plimsoll.yaml"), "idleAfter: 4m30s\n");
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "commands", "look");
    expect(exitCode).toBe(0);
    expect(stderr.match(/plimsoll\.yaml:1:1: idleAfter is gone: nothing takes its place, leave it out/g)).toHaveLength(1);
  });

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

test("a run that fails says so in a line that a terminal can show, and how to go on", { timeout: 60_000 }, async () => {
  const body = JSON.stringify({ error: { message: "no\u001b[31m" } });
  const server = createServer((_, response) => response.writeHead(400, { "content-type": "application/json" }).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  vi.stubEnv("LLAMA_CPP_BASE_URL", `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1`);
  const { exitCode, stdout, stderr } = await plimsoll("run", "--model", "llama.cpp/own", "--window", "20000", "hello");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^failed after \d steps?:$/m);
  expect(stderr).toMatch(/\nplimsoll: .*no\ufffd\[31m.*\ngo on with: plimsoll run --resume \S+ "…"\n$/);
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
    expect(() =>
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).not.toThrow();
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

const SENTENCES = `${"All is well with it. ".repeat(5)}\n  second line`;

test.each([
  ["a terminal breaks it between words", { isTTY: true, columns: 80 }, 80],
  ["a wider one has longer lines", { isTTY: true, columns: 100 }, 100],
  ["a file or pipe has it as it was said", {}, SENTENCES.indexOf("\n")],
])("an answer: %s", (_rule, output, longest) => {
  const shown = shownAnswer({ write: () => true, ...output }, SENTENCES);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBe(longest);
  expect(shown.split(/\s+/)).toEqual(SENTENCES.split(/\s+/));
});
