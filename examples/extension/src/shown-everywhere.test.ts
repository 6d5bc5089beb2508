import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type BenchReport,
  benchReportJsonSchema,
  createSerialPool,
  createThreadPool,
  loadParts,
  partsWith,
  renderHtmlReport,
  renderJsonReport,
  renderMarkdownReport,
  reportSchema,
  runBench,
} from "@plimsoll/bench";
import { NONE_POLICY } from "@plimsoll/core";
import { main } from "plimsoll";
import { beforeAll, describe, expect, test } from "vitest";
import extension from "./bench-extension.ts";
import { SPOKEN } from "./parts/metric.ts";
import { HASTY } from "./parts/peer.ts";

const MODULE = new URL("./bench-extension.ts", import.meta.url).href;
const FROM_SOURCES = [
  "--conditions=source",
  "--import",
  new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href,
];
/** Threads start from the sources, longer if other tests run at the same time. */
const START_MS = 120_000;
const TURNS = 24;

let folder = "";
let path = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-extension-"));
  path = join(folder, "talk.txt");
  const talk = Array.from(
    { length: TURNS },
    (_, turn) => `ann: ${turn} ${"question ".repeat(300)}\nbot: ${"answer ".repeat(300)}`,
  );
  writeFileSync(path, ["# Minutes", ...talk].join("\n"));
});

async function reportOf(pool: ReturnType<typeof createSerialPool>): Promise<BenchReport> {
  const files = [{ path, displayName: "talk.txt" }];
  const windows = [{ kind: "working-room", tokens: 16_000 }] as const;
  const policies = [NONE_POLICY, HASTY.policy];
  return await runBench({ files, policies, windows, plimsollVersion: "0.0.0", pool }).finally(() => pool.close());
}

/** Runs `plimsoll` with the module named, and gives its output. */
async function plimsoll(...args: readonly string[]) {
  const written: string[] = [];
  const io = { ...silentIo(), stdout: { write: (text: string) => written.push(text) } };
  const exitCode = await main([...args, "--with", fileURLToPath(MODULE)], io);
  return { exitCode, written: written.join("") };
}

/** Has no output. */
function silentIo() {
  const stderr = new Writable({ write: (_, _encoding, done) => done() });
  return {
    version: "0.0.0",
    demoSessions: () => Promise.resolve([]),
    cwd: folder,
    homeFolder: folder,
    stdout: { write: () => true },
    stderr,
    nowMs: () => 0,
  };
}

describe("an importer, a metric and a peer from outside", { timeout: START_MS }, () => {
  test("are measured in this process and in threads alike", async () => {
    const parts = await loadParts([MODULE]);
    const serial = await reportOf(createSerialPool({ parts }));
    expect(serial.skipped).toEqual([]);
    expect(serial.sessions.map(({ format }) => format)).toEqual(["minutes"]);
    expect(serial.rows.map(({ policy }) => policy)).toEqual(["none", "hasty"]);
    expect(serial.rows[1]?.compactions.flatMap(({ steps }) => steps)).toContain("forget: applied");
    const threads = await reportOf(createThreadPool(2, { modules: parts.modules, execArgv: FROM_SOURCES }));
    expect(renderJsonReport(threads)).toBe(renderJsonReport(serial));
  });

  test("show in every table", async () => {
    const parts = partsWith([extension]);
    const { metrics } = parts;
    const report = await reportOf(createSerialPool({ parts }));
    const json: unknown = JSON.parse(renderJsonReport(report));
    expect(reportSchema(metrics).safeParse(json).success).toBe(true);
    expect(reportSchema().safeParse(json).success).toBe(false);
    expect(JSON.stringify(benchReportJsonSchema(metrics))).toContain(`"${SPOKEN.id}"`);
    const page = renderHtmlReport(report, metrics);
    expect(page.split(/<th[^>]*><button[^>]*>spoken<\/button><\/th>/)).toHaveLength(4);
    expect(page).toContain("<td>Replies that call no tool.</td>");
    const markdown = renderMarkdownReport(report, metrics);
    expect(markdown).toMatch(
      new RegExp(`made here: spoken \\|\n[|:-]+\n\\| none .* ${TURNS} \\|\n\\| hasty .* ${TURNS} \\|\n`),
    );
  });

  test("show in the terminal, if the module is named", async () => {
    const files = ["--json", "report.json", "--markdown", "report.md", "--html", "report.html"];
    const { exitCode, written } = await plimsoll(
      "bench",
      "talk.txt",
      "-p",
      "none",
      "-p",
      "hasty",
      "-w",
      "16k",
      "--full",
      ...files,
    );
    expect(exitCode).toBe(0);
    const tables = written.match(new RegExp(`made here\n[^─]*spoken[^─]*─+\nnone .* ${TURNS}\nhasty .* ${TURNS}\n`, "g"));
    expect(tables).toHaveLength(2);
    for (const name of ["report.json", "report.md", "report.html"])
      expect(readFileSync(join(folder, name), "utf8")).toContain("spoken");
  });
});

describe("a policy file that names added kinds", { timeout: START_MS }, () => {
  const YAML = `policy: pi
estimator: { kind: plain, tokensPerChar: 0.25 }
trigger: { above: { ratio: 0.4, of: window } }
keep: [{ kind: opening, atMost: { tokens: 600 } }]
strategies:
  - { kind: forget, keepMessages: 4 }
  - { kind: summarize, writer: model, boundary: any-safe, promptId: one-sentence, turnPrefixPromptId: null }
`;
  beforeAll(() => writeFileSync(join(folder, "my.yaml"), YAML));

  test("is run by the bench", async () => {
    const { exitCode } = await plimsoll("bench", "talk.txt", "-p", "my.yaml", "-w", "16k", "--jobs", "1", "--json", "my.json");
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, "my.json"), "utf8")).toContain("forget: applied");
  });

  test("is swept", async () => {
    const args = ["-w", "16k", "--jobs", "1", "--sweep", "strategies.keepMessages=2,8", "--json", "swept.json"];
    const { exitCode } = await plimsoll("bench", "talk.txt", "-p", "my.yaml", ...args);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, "swept.json"), "utf8")).toContain("my strategies.keepMessages=8");
  });

  test("is run by the tuner", async () => {
    const args = ["-p", "my.yaml", "-w", "16k", "--jobs", "1"];
    const { exitCode, written } = await plimsoll("tune", "talk.txt", ...args);
    expect(exitCode).toBe(0);
    expect(written).toContain("Until then keep my.");
  });

  test("is what a session is compacted by, in a format from outside", async () => {
    expect((await plimsoll("inspect", "talk.txt")).written).toContain("talk.txt");
    const { exitCode, written } = await plimsoll(
      "compact",
      "talk.txt",
      "--policy",
      "my.yaml",
      "--window",
      "16000",
      "--dry-run",
    );
    expect(exitCode).toBe(0);
    expect(written).toContain("forget");
  });

  test("is what an agent runs with", async () => {
    const { exitCode } = await plimsoll("run", "--demo", "--policy", "my.yaml", "say something");
    expect(exitCode).toBe(0);
    const without = await main(["run", "--demo", "--policy", "my.yaml", "say something"], silentIo());
    expect(without).not.toBe(0);
  });

  test("is shown, and the schema for editors has them", async () => {
    expect((await plimsoll("policy", "show", "my.yaml")).written).toContain("kind: forget");
    expect((await plimsoll("schema", "policy")).written).toContain('"const": "forget"');
  });
});
