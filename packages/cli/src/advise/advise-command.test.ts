import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CliIo } from "@plimsoll/bench/terminal";
import { beforeEach, describe, expect, test } from "vitest";
import { ADVICE_WALKS, settleAgent } from "../../testing/advice-walks.ts";
import { makeSessions } from "../../testing/agent-sessions.ts";
import { NOW_MS, recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 240_000;

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "plimsoll-advise-"));
});

async function advise(args: readonly string[], more: Partial<CliIo> = {}) {
  const recorded = recordedIo(home);
  const exitCode = await main(["advise", "--jobs", "1", ...args], { ...recorded.io, ...more });
  // The clock decides how far a run is.
  const stderr = recorded.stderr().replaceAll(/plimsoll: replaying .*\n/g, "");
  return { exitCode, stdout: recorded.stdout(), stderr };
}

const widthOf = (text: string) => Math.max(...text.split("\n").map((line) => [...line].length));

describe.each(ADVICE_WALKS)("from the logs of $title to its settings", { timeout: REPLAY_MS }, (walk) => {
  const { title, file, before, after } = walk;
  test("and back", async () => {
    const path = settleAgent(walk, home);
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return true;
    };
    const { exitCode, stdout, stderr } = await advise(["--write"], { confirm });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const set = stdout.split("\n").find((line) => line.startsWith(`${title}, window`)) ?? "";
    expect(set).toMatch(new RegExp(`^${title}, window \\S+: (set its values|use plimsoll proxy), saves `));
    expect(asked).toEqual([`Write ~/${file}? [y/N] `]);
    expect(widthOf(stdout)).toBeLessThanOrEqual(80);
    expect(readFileSync(path, "utf8")).toMatch(after);
    const undone = await advise(["--undo", "--yes"]);
    expect(undone).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(readdirSync(dirname(path)).filter((name) => name.includes("plimsoll"))).toEqual([]);
  });
});

describe("plimsoll advise", { timeout: REPLAY_MS }, () => {
  const codex = (count: number, peakTokens: number) => makeSessions("codex", home, { count, peakTokens, windowTokens: 32_000 });

  test("says in one line that there are no logs, and what to do", async () => {
    const { exitCode, stdout, stderr } = await advise([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe(
      "plimsoll: no logs of claude-code, codex, copilot-cli, pi, opencode, gemini, qwen-code, cline, roo-code, kilo-code; name a folder of logs: plimsoll bench FOLDER\n",
    );
  });

  test("reads the newest logs if none is of the last four weeks, and says so", async () => {
    codex(3, 28_000);
    const later = { nowMs: () => NOW_MS + 90 * 86_400_000 };
    expect(await advise([], later)).toMatchObject({
      exitCode: 0,
      stderr: "plimsoll: no logs from the last four weeks: reading the newest\n",
    });
    const { stderr } = await advise(["--since", "4w"], later);
    expect(stderr).toMatch(/^plimsoll: no logs since \d+-\d+-\d+ of .*; try a longer --since, or name a folder/);
  });

  test("says of OpenCode's database what to do with it", async () => {
    mkdirSync(join(home, ".local/share/opencode"), { recursive: true });
    writeFileSync(join(home, ".local/share/opencode/opencode.db"), "SQLite format 3\0");
    const { exitCode, stderr } = await advise(["--from", "opencode"]);
    expect(exitCode).toBe(1);
    expect(stderr.split("\n")[0]).toBe(
      "plimsoll: ~/.local/share/opencode/opencode.db: a database; of those only OpenCode's is read: by --from opencode on Node 22.13 or newer, or from a file that opencode export SESSION > session.json writes",
    );
    expect((await advise(["--from", "codex"])).stderr).not.toContain("opencode.db");
  });

  test("says that sessions are too few to tell, and writes nothing", async () => {
    codex(3, 28_000);
    const { exitCode, stdout } = await advise(["--write", "--yes"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Recorded in 3 sessions of the last 4w \(--since\), before any replay:\n/);
    expect(stdout).toMatch(/\n3 sessions, 20\d\d-\d\d-\d\d to 20\d\d-\d\d-\d\d: /);
    expect(stdout.replace(/\s+/g, " ")).toContain("5 more sessions needed");
    expect(stdout).toMatch(/\nNothing to write: only answers that begin with Set or Remove are written\.\n$/);
    expect(existsSync(join(home, ".codex/config.toml"))).toBe(false);
  });

  test("names once an unread line of long and of short sessions", async () => {
    codex(2, 28_000);
    const folder = join(home, ".codex/sessions");
    const logs = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    for (const [index, name] of logs.entries()) {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      const kept = index === 0 ? lines : lines.slice(0, 12);
      writeFileSync(join(folder, name), [...kept.slice(0, 3), '{"type":"of_next_month"}', ...kept.slice(3)].join("\n"));
    }
    const { stdout } = await advise([]);
    expect(stdout.replace(/\s+/g, " ").match(/\d items? of unknown types left out: of_next_month ×\d/g)).toEqual([
      "2 items of unknown types left out: of_next_month ×2",
    ]);
  });

  test("takes a session and eight forks of it for one, and writes nothing", async () => {
    const said = async (forks: number) => {
      makeSessions("pi", home, { count: 1, peakTokens: 30_000, windowTokens: 32_000 });
      const folder = join(home, ".pi/agent/sessions/w");
      const [header = "", ...lines] = readFileSync(join(folder, "pi-0.jsonl"), "utf8").split("\n");
      for (let fork = 1; fork <= forks; fork++) {
        const parentSession = join(folder, "pi-0.jsonl");
        const own = JSON.stringify({ ...JSON.parse(header), id: `fork-${fork}`, parentSession });
        writeFileSync(join(folder, `pi-0-${fork}.jsonl`), [own, ...lines].join("\n"));
      }
      return (await advise(["--write", "--yes"])).stdout;
    };
    const one = await said(0);
    const nine = await said(8);
    const copies =
      "9 files: 8 are copies or resumed beginnings of others; 20 replies appear in more than one file and are counted once.";
    expect((await advise([])).stdout.replace(/\s+/g, " ")).toContain(copies);
    for (const text of [one, nine]) expect(text.replace(/\s+/g, " ")).toContain("7 more sessions needed");
    expect(one).toMatch(/\nNothing to write: only answers that begin with Set or Remove are written\.\n$/);
  });

  test("runs without its name, and with options alone", async () => {
    codex(3, 28_000);
    const { io, stdout } = recordedIo(home);
    expect(await main(["--from", "codex", "--jobs", "1"], io)).toBe(0);
    expect(stdout()).toBe((await advise(["--from", "codex"])).stdout);
    const empty = recordedIo(mkdtempSync(join(tmpdir(), "plimsoll-empty-")));
    expect(await main([], empty.io)).toBe(1);
    expect(empty.stderr()).toContain("plimsoll: no logs of claude-code, codex");
  });

  test("says what the logs state before it replays anything", async () => {
    codex(3, 28_000);
    const { io, stdout } = recordedIo(home);
    let told = "";
    const write = (text: string) => {
      told ||= text.includes("replaying") ? stdout() : "";
    };
    const stderr = Object.assign(recordedIo(home).io.stderr, { write, isTTY: true });
    expect(await main(["--jobs", "1"], { ...io, stderr })).toBe(0);
    expect(told).toMatch(
      /^Recorded in 3 sessions of the last 4w \(--since\), before any replay:\n[\s\S]*\n(dear|long)est sessions .*\n.*\n.*Task 0/,
    );
    expect(told).not.toContain("→");
  });

  test("takes the replays of an earlier run, from any folder, and tries no proxy for a plan", async () => {
    codex(3, 28_000);
    expect((await advise(["--plan"])).stderr).toBe("");
    const again = await advise(["--plan", "--json", join(home, "plan.json")], {
      cwd: mkdtempSync(join(tmpdir(), "plimsoll-other-")),
    });
    expect(again.stderr).toMatch(/^plimsoll: \d+ replays were already finished\n$/);
    expect(again.stdout + readFileSync(join(home, "plan.json"), "utf8")).not.toContain("proxy");
  });

  test("takes prices of a file for all figures, after a run without them too", async () => {
    codex(3, 28_000);
    await advise([]);
    writeFileSync(join(home, "prices.yaml"), "model[32k]: { inputUsdPerMillion: 1, outputUsdPerMillion: 5 }\n");
    const { stdout } = await advise(["--prices", join(home, "prices.yaml"), "--html", join(home, "priced.html")]);
    const page = readFileSync(join(home, "priced.html"), "utf8");
    expect(page).toContain("Dollars: at your prices in ");
    expect(page + stdout).not.toMatch(/\d by list prices/);
    expect(stdout).toMatch(/^Codex, window 32\.0k: \$\d/m);
    expect(stdout).not.toMatch(/no prices? (is )?known/);
    expect(stdout.replace(/\s+/g, " ")).toMatch(/Dollars: at your prices in \S+prices.yaml; other models at the vendors' list/);
  });

  test("finds logs where the environment says, and says where the window is from and how to go on", async () => {
    makeSessions("codex", join(home, "elsewhere"), { count: 3, peakTokens: 28_000, windowTokens: 32_000 });
    const environment = { CODEX_HOME: join(home, "elsewhere/.codex"), npm_command: "exec" };
    const { exitCode, stdout } = await advise([], { environment });
    expect(exitCode).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toMatch(/3 fill half of the window .* Window of the newest: stated by the recording\./);
    expect(stdout).toContain("\nnpx plimsoll inspect ID shows one of them.\n");
  });

  test("says that nothing matters if no session fills half of the window", async () => {
    codex(8, 12_000);
    const { stdout } = await advise([]);
    expect(stdout).toContain("nothing to set");
    expect(stdout).toContain("no session fills half of the window");
  });

  test("compares with the settings as they are, and with the agent's default, which is written by taking the setting out", async () => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/config.toml"), "# mine\nmodel_auto_compact_token_limit = 14000\n");
    codex(8, 28_000);
    const { stdout } = await advise(["--json", "advice.json"]);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "now: model_auto_compact_token_limit=14000. default: Codex's defaults. proxy: the agent under plimsoll proxy. logs: as recorded, not replayed; perhaps of other settings: all compared with now.",
    );
    expect(stdout).toMatch(/\nnow .*\ndefault .*\n/);
    const { decisions } = JSON.parse(readFileSync(join(home, "advice.json"), "utf8"));
    expect(decisions).toMatchObject([{ agent: "codex", setting: { now: { model_auto_compact_token_limit: 14000 } } }]);
    expect(decisions[0].choice.rows[1]).toMatchObject({ kind: "default", values: { model_auto_compact_token_limit: null } });
  });

  const SCOPED = 'model_auto_compact_token_limit_scope = "body_after_prefix"\n';
  test.each([
    ["the scope is another", SCOPED, "is not total"],
    ["a value could steer the terminal", 'model_auto_compact_token_limit_scope = "\\u001b[2J"\n', "is not total"],
    [
      "a setting is in a table",
      "[tui]\nmodel_auto_compact_token_limit = 14000\n",
      "is in [tui] of ~/.codex/config.toml, where Codex does not read it; move it: above the first [table]",
    ],
    [
      "a value is of a type that the agent does not take",
      'model_auto_compact_token_limit = "14000"\n',
      'is "14000" in ~/.codex/config.toml, where Codex takes only a value of the type integer',
    ],
    [
      "the proxy is in use",
      `model_provider = "p"\n[model_providers.p]\nbase_url = "http://127.0.0.1:8585/${"a".repeat(24)}/v1"\n`,
      "~/.codex/config.toml sends Codex to plimsoll proxy, which cuts and must run",
    ],
    ["an address is no text", `${SCOPED}model_provider = "p"\n[model_providers.p.base_url]\ntoString = 1\n`, "is not total"],
    ["a provider's name is no text", `${SCOPED}[model_provider]\ntoString = 1\n`, "is not total"],
    ["a list is in its place", "model_auto_compact_token_limit = [14000]\n", "is [14000] in ~/.codex/config.toml"],
    ["the file cannot be read", "model = \n", "is not TOML with settings"],
  ])("proposes nothing if %s", async (_, text, why) => {
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/config.toml"), text);
    codex(8, 28_000);
    const { stdout } = await advise(["--write", "--yes"]);
    expect(stdout).toContain("nothing to set");
    expect(stdout.replace(/\s+/g, " ")).toContain(why);
    expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toBe(text);
  });

  test.each([
    ["nobody agrees", { confirm: async () => false }, 0, "plimsoll: nothing was written\n"],
    ["nobody is there", {}, 2, "plimsoll: nothing was written: no one can be asked to agree; give --yes\n"],
  ])("makes no file if %s", async (_, more, code, line) => {
    codex(8, 28_000);
    const { exitCode, stderr, stdout } = await advise(["--write"], more);
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: line });
    expect(stdout).toContain("+model_auto_compact_token_limit = 14000");
    expect(readdirSync(join(home, ".codex"))).toEqual(["sessions"]);
  });

  test("makes a file if it is told to, and removes it again", async () => {
    codex(8, 28_000);
    const made = await advise(["--write", "--yes"]);
    expect(made.stdout).toMatch(/\nMade ~\/\.codex\/config\.toml\. plimsoll advise --undo reverts it\.\n$/);
    expect(readFileSync(join(home, ".codex/config.toml"), "utf8")).toBe("model_auto_compact_token_limit = 14000\n");
    const { stdout } = await advise(["--undo"], { confirm: async () => true });
    expect(stdout).toMatch(/\n-model_auto_compact_token_limit = 14000\nUndone: ~\/\.codex\/config\.toml is restored\.\n$/);
    expect(readdirSync(join(home, ".codex"))).toEqual(["sessions"]);
  });

  test("a variable that is stronger than the file is named", async () => {
    makeSessions("claude-code", home, { count: 1, peakTokens: 850_000, windowTokens: 1_000_000 });
    const { stdout } = await advise([], { environment: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "300000" } });
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "CLAUDE_CODE_AUTO_COMPACT_WINDOW is set, which overrides ~/.claude/settings.json",
    );
  });

  test.each([
    ["an agent that is not known", ["--from", "codx"], 2, "--from codx: "],
    ["nothing to undo", ["--undo"], 1, "nothing to undo: advise has written no settings"],
  ])("fails for %s", async (_, args, code, line) => {
    const { exitCode, stderr } = await advise(args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(line);
  });
});
