import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SVEN_POLICY } from "@plimsoll/core";
import { fixtureSessions } from "@plimsoll/fixtures";
import { type Simulator, startSimulator } from "@plimsoll/simulator";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { runIn } from "../../testing/recorded-io.ts";

/** Replays take a second, longer if other tests run at the same time. */
const REPLAY_MS = 60_000;
const GOOD = SVEN_POLICY.summary.sections.map((title) => `## ${title}\n- simulated`).join("\n\n");

let folder = "";
let simulator: Simulator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-summarizer-"));
  copyFileSync(fixtureSessions()[0]?.path ?? "", join(folder, "session.jsonl"));
  simulator = await startSimulator({ replies: () => ({ parts: [{ type: "text", text: GOOD }] }) });
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(() => simulator.close());

const bench = (...args: readonly string[]) => runIn(folder, ["bench", "session.jsonl", "-p", "sven", "-w", "32k", ...args]);

const MODEL = ["--summarizer", "anthropic:claude-haiku-4-5", "--cassette", "cassette"];
const reachable = () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "key");
  vi.stubEnv("ANTHROPIC_BASE_URL", simulator.url);
};

describe("bench --summarizer", { timeout: REPLAY_MS }, () => {
  test("of a model says what it will cost and what it did, and is replayed free without a key", async () => {
    reachable();
    const dry = await bench(...MODEL.slice(0, 2), "--dry-run");
    expect(dry.stdout).toMatch(
      /^summaries by anthropic:claude-haiku-4-5: about \d+ requests with \S+ prompt and \S+ reply tokens for \$0\.\d+\n$/,
    );
    expect(simulator.exchanges()).toEqual([]);
    const paid = await bench(...MODEL, "--json", "paid.json");
    expect(paid.stderr).toMatch(/^plimsoll: summaries by anthropic:claude-haiku-4-5: about \d+ requests/m);
    expect(paid.stderr).toMatch(
      /^plimsoll: summaries by anthropic:claude-haiku-4-5: sent \d+ requests with .* for \$0\.\d+; 0 answers from the cassette$/m,
    );
    expect(paid.stdout.replaceAll(/\s+/g, " ")).toMatch(/anthropic:claude-haiku-4-5 wrote (\d+) of \1 summaries\. /);
    const sent = simulator.exchanges().length;
    vi.unstubAllEnvs();
    const free = await bench(...MODEL, "--json", "free.json");
    expect(free.exitCode).toBe(0);
    expect(free.stderr).toContain("nothing was sent, nothing paid");
    expect(simulator.exchanges()).toHaveLength(sent);
    expect(readFileSync(join(folder, "free.json"), "utf8")).toBe(readFileSync(join(folder, "paid.json"), "utf8"));
    expect(readdirSync(join(folder, "cassette"))).toHaveLength(sent);
  });

  test("of recorded summaries says how many there were", async () => {
    const { exitCode, stdout } = await bench("--summarizer", "recorded");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ ?sven\* /m);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /In all \d+ summaries, quotations from the log stand in for the model's text\. /,
    );
  });

  test.each([
    ["a missing key", [...MODEL.slice(0, 3), "other"], "no key: set the environment variable ANTHROPIC_API_KEY"],
    ["a model without a cassette", MODEL.slice(0, 2), "give --cassette <folder>"],
    [
      "no provider",
      ["--summarizer", "antropic:x", "--cassette", "c"],
      'no provider is called "antropic"; did you mean anthropic?',
    ],
    ["an unknown word", ["--summarizer", "digset"], "--summarizer digset: did you mean digest?"],
    ["a cassette for a digest", ["--cassette", "c"], "--cassette is for a model"],
  ])("%s is one line", async (_, args, line) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const { exitCode, stdout, stderr } = await bench(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(line);
    expect(stderr).not.toContain("    at ");
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  });
});
