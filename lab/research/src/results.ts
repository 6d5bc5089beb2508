import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { PEERS, reportSchema } from "@plimsoll/bench";
import { originOf } from "@plimsoll/bench/extend";
import { PRESETS } from "@plimsoll/core";
import { bySideSection, furtherRooms } from "./by-side.ts";
import { type Protocol, pageProblem, sidesLine, stampLine } from "./protocol-stamp.ts";
import { allRecordedFiles, COMPACTIONS_FOLDER, RECORDED_FOLDER, ROOT, recordedFiles } from "./recorded/recorded-sessions.ts";

const page = join(ROOT, "results.md");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

/**
 * Makes results.md, which git ignores: all recorded sessions of other agents under every preset and peer in two working rooms. `--check` refuses a page whose
 * figures are older than the protocol, and makes nothing. `--json FILE` keeps the rows.
 */
const protocol: Protocol = { text: read("docs/evidence.md"), split: read("lab/research/protocol-split.json") };
if (process.argv.includes("--check")) {
  const problem = pageProblem(readFileSync(page, "utf8"), protocol);
  process.stdout.write(`results.md: ${problem ?? "of the protocol that holds"}\n`);
  process.exitCode = problem === null ? 0 : 1;
} else if (recordedFiles().length === 0) {
  process.stderr.write("no recorded sessions: set PLIMSOLL_TRANSCRIPTS to a folder of session files\n");
  process.exitCode = 1;
} else {
  const temporary = mkdtempSync(join(tmpdir(), "plimsoll-results-"));
  const jsonAt = process.argv.indexOf("--json");
  const json = resolve(process.argv[jsonAt < 0 ? process.argv.length : jsonAt + 1] ?? join(temporary, "report.json"));
  const named = [...PRESETS, ...PEERS.map(({ policy }) => policy)].map(({ name }) => name);
  const policies = named.flatMap((policy) => ["--policy", policy]);
  const folders = [RECORDED_FOLDER, COMPACTIONS_FOLDER]
    .filter((folder) => existsSync(folder))
    .map((folder) => basename(folder));
  // From the folder above, so that sessions go by their names there.
  const bench = (args: readonly string[]) =>
    spawnSync(process.execPath, [join(ROOT, "packages/cli/bin/plimsoll.js"), "bench", ...folders, ...args], {
      cwd: join(RECORDED_FOLDER, ".."),
      encoding: "utf8",
    });
  const main = join(temporary, "main.md");
  const further = join(temporary, "further.json");
  const near = named.filter(isNear).flatMap((policy) => ["--policy", policy]);
  const runs = [
    bench([...policies, "--window", "64k", "--window", "128k", "--markdown", main, "--json", json]),
    bench([...near, "--window", "32k", "--window", "200k", "--json", further]),
  ];
  const failed = runs.find(({ status }) => status !== 0);
  if (failed === undefined) {
    const reportIn = (file: string) => reportSchema().parse(JSON.parse(readFileSync(file, "utf8")));
    const sides = `${bySideSection(reportIn(json), protocol.split)}\n\n${furtherRooms(reportIn(further), protocol.split)}`;
    writeFileSync(page, `${headOf(protocol)}${readFileSync(main, "utf8")}\n${sides}\n`);
  }
  rmSync(temporary, { recursive: true });
  process.stdout.write(failed === undefined ? "results.md written\n" : failed.stdout + failed.stderr);
  process.exitCode = failed === undefined ? 0 : (failed.status ?? 1);
}

/** Policies that are shown in further rooms: ours, and those that cost or hold about as much. */
function isNear(name: string): boolean {
  return name.startsWith("plimsoll") || ["none", "pi", "claude-code", "codex", "opencode", "cline"].includes(name);
}

function headOf(holds: Protocol): string {
  const owners = allRecordedFiles().map(({ displayName }) => originOf(displayName).owner);
  const lead =
    "Made by `pnpm results` over recorded sessions that are not part of the repository; what policies lose stands first.";
  return `# Results\n\n${lead}\n${stampLine(holds)}\n${sidesLine(owners, holds.split)}\n\n`;
}
