import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchReportSchema } from "@plimsoll/bench";
import { fixtureSessions } from "@plimsoll/fixtures";
import { type Simulator, startSimulator } from "@plimsoll/providers/simulator";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

/** Replays take a second, longer if other tests run at the same time. */
const RUN_MS = 60_000;
const KEY = "sk-not-to-be-seen";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-ask-"));
copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, "session.jsonl"));
const ANSWER = { type: "tool-call", toolName: "read_file", argumentsJson: '{"path":"package.json"}' } as const;
let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator({ replies: () => ({ parts: [ANSWER] }) });
  vi.stubEnv("ANTHROPIC_API_KEY", KEY);
  vi.stubEnv("ANTHROPIC_BASE_URL", simulator.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await simulator.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const ASK = ["--ask", "anthropic:claude-haiku-4-5", "--sample", "3"];

async function bench(args: readonly string[], confirm?: (question: string) => Promise<boolean>) {
  const recorded = recordedIo(folder);
  const io = { ...recorded.io, ...(confirm && { confirm }) };
  const exitCode = await main(["bench", "session.jsonl", "-p", "none", "-p", "sven", "-w", "32k", ...args], io);
  return { exitCode, stdout: recorded.stdout(), stderr: recorded.stderr(), sent: simulator.exchanges().length };
}

describe("bench --ask", { timeout: RUN_MS }, () => {
  test("says price and sample in a dry run, and sends nothing", async () => {
    const { exitCode, stdout, sent } = await bench([...ASK, "--dry-run"]);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 0 });
    expect(stdout).toMatch(/^next actions by anthropic:claude-haiku-4-5, at recorded calls after cuts, 32k for messages:$/m);
    expect(stdout).toMatch(
      /^ {2}none: 0 of 0 calls\n {2}sven: 3 of \d+ calls; differences show from about 73 points on \(if 20 % of answers/m,
    );
    for (const name of ["full history   ", "compacted      ", "asked again    ", "newest messages"])
      expect(stdout).toMatch(new RegExp(`^  ${name}  3 requests, \\S+ prompt and \\S+ reply tokens, about \\$0\\.\\d+$`, "m"));
    expect(stdout).toMatch(/^ {2}together {9}12 requests, .* about \$0\.\d+$/m);
    expect(stdout).toContain(`The text of these sessions goes to anthropic (${simulator.url}) and to nobody else.`);
    expect(stdout).toMatch(/^ {2}sven, session.jsonl: calls \d+, \d+, \d+\nNothing was sent.\n$/m);
  });

  test("sends nothing if nobody is there to agree", async () => {
    const { exitCode, stdout, stderr, sent } = await bench(ASK);
    expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: "", sent: 0 });
    expect(stderr).toMatch(/about \$0\.\d+(.|\n)*nothing was sent: nobody is there to agree to the price; give --yes\n$/);
  });

  test("asks the person after the price is said, and takes no for an answer", async () => {
    const questions: string[] = [];
    const { exitCode, stdout, sent } = await bench(ASK, async (question) => questions.push(question) < 0);
    expect({ exitCode, stdout, sent, questions }).toEqual({ exitCode: 0, stdout: "", sent: 0, questions: ["Send it? [y/N] "] });
  });

  test("shows the figures in every report, keeps the key out of all files, and is free the second time", async () => {
    const files = ["--json", "a.json", "--html", "a.html", "--markdown", "a.md"];
    const paid = await bench([...ASK, "--cassette", "answers", ...files], () => Promise.resolve(true));
    expect({ exitCode: paid.exitCode, sent: paid.sent }).toEqual({ exitCode: 0, sent: 12 });
    expect(paid.stderr).toMatch(/sent 12 requests, .* about \$0\.\d+; 0 answers from the cassette$/m);
    expect(paid.stdout).toMatch(/^A model asked for the next action:$/m);
    expect(paid.stdout).toMatch(/^ {2}full history +3\/3 +\S+ +\d+\.\d /m);
    for (const line of paid.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(readFileSync(join(folder, "a.html"), "utf8")).toContain("A model asked for the next action");
    expect(readFileSync(join(folder, "a.md"), "utf8")).toContain("### A model asked for the next action");
    const { ask } = benchReportSchema.parse(JSON.parse(readFileSync(join(folder, "a.json"), "utf8")));
    expect(ask?.policies.map(({ policy, drawnCalls }) => [policy, drawnCalls])).toEqual([
      ["none", 0],
      ["sven", 3],
    ]);

    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const free = await bench([...ASK, "--cassette", "answers", "--cassette-only", "--json", "b.json"]);
    expect({ exitCode: free.exitCode, sent: free.sent }).toEqual({ exitCode: 0, sent: 12 });
    expect(free.stderr).toMatch(/nothing to send; 12 answers from the cassette$/m);
    expect(readFileSync(join(folder, "b.json"), "utf8")).toBe(readFileSync(join(folder, "a.json"), "utf8"));

    const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(written.length).toBeGreaterThan(12);
    for (const { parentPath, name } of written) expect(readFileSync(join(parentPath, name), "utf8")).not.toContain(KEY);
    expect([paid.stdout, paid.stderr, free.stdout].join()).not.toContain(KEY);
  });

  test("asks a server of the same wire whose price nobody knows", async () => {
    vi.stubEnv("OLLAMA_BASE_URL", simulator.openAiUrl);
    const { exitCode, stderr, sent } = await bench(["--ask", "ollama:small", "--sample", "1", "--yes"]);
    expect({ exitCode, sent }).toEqual({ exitCode: 0, sent: 4 });
    expect(stderr).toContain("at a price that is not known (--prices)");
  });

  test.each<[string, readonly string[], string]>([
    ["no provider", ["--ask", "claude"], "--ask claude: give a model as provider:model"],
    ["an unknown provider", ["--ask", "antropic:x"], 'no provider is called "antropic"; did you mean anthropic?'],
    ["no number of calls", [...ASK, "--sample", "0"], "--sample 0: give a whole number"],
    ["no amount", [...ASK, "--max-dollars", "x"], "--max-dollars x: give an amount above zero"],
    [
      "a limit without a price",
      ["--ask", "ollama:small", "--max-dollars", "1"],
      "the price of small is not known; give --prices",
    ],
    ["several windows", [...ASK, "-w", "64k"], "--ask is for one --window"],
    ["a part of the files", [...ASK, "--shard", "1/2"], "leave --shard out"],
    ["nothing to ask", ["--yes"], "--sample, --max-dollars and --yes are for --ask"],
    [
      "a cassette without the answers",
      [...ASK, "--cassette", "empty", "--cassette-only"],
      "the cassette lacks 12 of the answers",
    ],
    [
      "summaries that are not paid yet",
      [...ASK, "--summarizer", "anthropic:claude-haiku-4-5", "--cassette", "c"],
      "needs the summaries of a model beforehand",
    ],
  ])("%s is one line", async (_, args, line) => {
    const { exitCode, stdout, stderr, sent } = await bench(args);
    expect({ exitCode, stdout, sent }).toEqual({ exitCode: 2, stdout: "", sent: 0 });
    expect(stderr).toContain(line);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("a missing key is said before the person is asked", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    // A server at a loopback address needs none.
    vi.stubEnv("ANTHROPIC_BASE_URL", "https://model.example.invalid");
    const { exitCode, stderr } = await bench(ASK, () => Promise.reject(new Error("asked")));
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "plimsoll: no key: set the environment variable ANTHROPIC_API_KEY\n",
    });
  });
});
