import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "@plimsoll/simulator";
import { expect, onTestFinished, test, vi } from "vitest";
import { play } from "./play.ts";
import type { Program } from "./program.ts";
import { CODEX } from "./programs/codex.ts";

const LIMITS = { windowTokens: 64_000, outputTokens: null };

/** Plays with the small program: it asks so many times and ends with the code. */
async function played(
  times: string,
  exitCode: string,
  more: Partial<Scenario> = {},
  { atMostRequests = 100, small = "yes" } = {},
) {
  const parent = mkdtempSync(join(tmpdir(), "plimsoll-play-"));
  const folder = join(parent, "run");
  mkdirSync(folder);
  writeFileSync(join(folder, "left.txt"), "from an earlier run");
  const program: Program = {
    ...CODEX,
    entry: "small-program.mjs",
    launch: ({ url, home }) => ({
      files: { [join(home, "settings.json")]: "{}" },
      env: { SMALL: small },
      start: { commands: [[url, times, exitCode]] },
    }),
  };
  const installed = join(parent, "installed");
  mkdirSync(join(installed, "node_modules"), { recursive: true });
  const script = fileURLToPath(new URL("../testing/small-program.mjs", import.meta.url));
  writeFileSync(join(installed, "node_modules/small-program.mjs"), `await import(${JSON.stringify(script)});\n`);
  const places = { installed, node22: "", folder, processes: "together" } as const;
  const probes = [
    { id: "home", text: `HOME=${join(folder, "home")}` },
    { id: "own", text: "SMALL=yes" },
    { id: "outside", text: "PLIMSOLL_TEST_OUTSIDE" },
  ];
  const scenario = { name: "test", main: [], probes, ...more };
  return play(program, { scenario, limits: LIMITS, prompts: ["Go."], atMostRequests }, places);
}

test("a program is told its own environment alone, with a home of its own", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PLIMSOLL_TEST_OUTSIDE", "1");
  expect((await played("1", "0")).exchanges.map(({ probes }) => probes)).toEqual([["home", "own"]]);
});

test.each<[string, Partial<Scenario>, string]>([
  ["answer", {}, "0"],
  ["too long", { overflow: [{ request: 1 }] }, "1"],
  ["other words", { main: [{ say: { text: "Aye." } }] }, "3"],
  ["nothing", { main: [{ say: { text: "" } }] }, "0"],
])("the person is told: %s", async (told, scenario, exitCode) => {
  expect(await played("1", exitCode, scenario)).toMatchObject({ told, exitCode: Number(exitCode), endedBy: "itself" });
});

test("a program that goes on asking is ended", async () => {
  const { exchanges, endedBy, exitCode } = await played("1000000", "0", {}, { atMostRequests: 5 });
  expect([exchanges.slice(0, 5).length, endedBy, exitCode]).toEqual([5, "requests", null]);
});

test.each([
  ["nothing of what a command printed", "yes 'line of call 3' | head -c 80", [3]],
  ["all of it", `yes 'line of call 3' | head -c 80\n${"line of call 3\n".repeat(5)}`, []],
  ["no command", "yes", []],
])("it is told that the model was given %s", async (_, said, lost) => {
  expect(await played("1", "0", {}, { small: said })).toMatchObject({ lostOutputs: lost });
});
