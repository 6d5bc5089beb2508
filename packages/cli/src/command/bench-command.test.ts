import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportSchema } from "@plimsoll/bench";
import { fixtureSessions } from "@plimsoll/fixtures";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { runChild } from "../../testing/child-command.ts";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { NOW_MS, runIn } from "../../testing/recorded-io.ts";

const DAY_MS = 24 * 3_600_000;

const folder = freshFolder(beforeAll);
beforeAll(() => {
  mkdirSync(folder("logs/empty"), { recursive: true });
  const [session] = fixtureSessions();
  copyFileSync(session?.path ?? "", folder("logs/session.jsonl"));
  writeFileSync(folder("logs/README.md"), "# not a session\n");
  writeFileSync(folder("logs/other.json"), '{"some":"document"}');
  writeFileSync(folder("logs/nothing.jsonl"), "");
});

const run = (command: string) => runIn(folder(), command.split(" "));

/** Replays take a second, longer if other tests run at the same time. */
const REPLAY_MS = 240_000;

describe("plimsoll bench", { timeout: REPLAY_MS }, () => {
  test("prints tables of at most 80 columns with the default policies, and a verdict that may name our own", async () => {
    const { exitCode, stdout, stderr } = await run("bench logs/session.jsonl -w 64k");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^none .* – +0\/1/m);
    expect(stdout).toMatch(/^claude-code\* .* [\d.]+k +1\/1/m);
    expect(stdout).toMatch(/^plimsoll .* [\d.]+k +1\/1/m);
    expect(stdout).toMatch(/^64k for messages and reply, judged on 1 of 1 session:\n {2}\S.*\bplimsoll\b/m);
    expect(stdout.split("\n\npolicy ")[0]?.split("\n")).toHaveLength(9);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain("Limit: recorded replies");
  });

  test("answers for the session's own window unless another is asked for", async () => {
    const { exitCode, stdout } = await run("bench logs/session.jsonl");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^real windows, judged on 1 of 1 session:\n/m);
    expect(stdout).toMatch(/^plimsoll .* [\d.]+k +1\/1/m);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("--with: a module in a folder without packages imports what the program is made of", async () => {
    const own = folder("own-parts");
    mkdirSync(own);
    copyFileSync(folder("logs/session.jsonl"), join(own, "session.jsonl"));
    const example = new URL("../../../providers/examples/keep-rule.mjs", import.meta.url);
    copyFileSync(example, join(own, "keep-rule.mjs"));
    const policy = "plimsoll keep.failed-tests=10%";
    const args = ["bench", "session.jsonl", "-p", policy, "-w", "32k", "--jobs", "1", "--with", "keep-rule.mjs", "--full"];
    const { exitCode, stdout, stderr } = await runChild({ args, cwd: own });
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toContain("keep.failed-tests=10%");
  });

  test("--with: a module that threads cannot load is replayed in one job, which is said", async () => {
    writeFileSync(folder("loader.mjs"), 'if (!globalThis.loader) throw "none";\nexport default { importers: [] };\n');
    vi.stubGlobal("loader", true);
    const { exitCode, stderr } = await run("bench logs/session.jsonl -p sven -w 32k --jobs 2 --with loader.mjs");
    vi.unstubAllGlobals();
    expect({ exitCode, stderr: stderr.match(/.*threads.*/)?.[0] }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/one replay runs at a time/),
    });
  });

  test("counts a copied folder once, says so first, and has the figures of one", async () => {
    mkdirSync(folder("copied"));
    copyFileSync(folder("logs/session.jsonl"), folder("copied/again.jsonl"));
    const one = await run("bench logs/session.jsonl -p none -p recorded");
    const both = await run("bench logs/session.jsonl copied -p none -p recorded");
    const [first = "", ...rest] = both.stdout.split("\n\n");
    expect(first.replace("\n", " ")).toMatch(
      /^2 files: 1 is a copy or a resumed beginning of another; \d+ replies appear in more than one file and are counted once\.$/,
    );
    expect(rest.join("\n\n")).toBe(one.stdout);
  });

  test("stays within 80 columns with long names and large numbers", async () => {
    writeFileSync(folder("dear.yaml"), "synthetic/o200k: { inputUsdPerMillion: 9000, outputUsdPerMillion: 9000 }\n");
    writeFileSync(folder("a-policy-with-a-very-long-name.yaml"), "policy: sven\n");
    const policies = "-p none -p a-policy-with-a-very-long-name.yaml";
    const { stdout } = await run(`bench logs/session.jsonl ${policies} -w 16k --prices dear.yaml --full`);
    expect(stdout).toContain("Kept, measure by measure, 16k for messages and reply:");
    expect(stdout).toMatch(/^a-policy-with-a-very-long-name\* +\d/m);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("says if nothing fired, and what a policy did then", async () => {
    const { stdout } = await run("bench logs/session.jsonl -p none -p sven --window 1m");
    const said = stdout.replace(/\s+/g, " ");
    expect(stdout).toMatch(/^sven .* \S+ +0\/1/m);
    expect(said).toMatch(/sven.*: no compaction in 1 session: .*; in 1 it acted, by shortening results as they came\./);
    expect(said).toMatch(/Only shortened results; compacts at /);
  });

  test("explains its table in six lines, and in full the rest", async () => {
    const reading = ({ stdout }: { readonly stdout: string }) => /^cost: .*?(?=\n\n)/ms.exec(stdout)?.[0] ?? "";
    const [brief, full] = [await run("bench logs/session.jsonl -p sven"), await run("bench logs/session.jsonl -p sven --full")];
    expect(reading(brief).split("\n")).toHaveLength(6);
    expect(reading(brief)).toMatch(/cost: .*kept: .*older: .*reread\s+cost: /s);
    expect(reading(full)).toBe(reading(brief));
    const only = "On public data (docs/evidence.md)";
    expect([brief.stdout.includes(only), full.stdout.includes(only)]).toEqual([false, true]);
  });

  test("breaks a note between words", async () => {
    const lines = readFileSync(folder("logs/session.jsonl"), "utf8").trimEnd().split("\n");
    const far = folder("a-folder-with-a-long-name", "and-one-more-of-that-kind");
    mkdirSync(far, { recursive: true });
    writeFileSync(join(far, "session.jsonl"), `${[...lines, '{"type":"message","id":"cut'].join("\n")}\n`);
    const { stdout } = await run("bench a-folder-with-a-long-name -p none --full");
    expect(stdout).toContain("Notes about the logs");
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("says of a database what to do with it", async () => {
    const database = ".local/share/opencode/opencode.db";
    mkdirSync(folder(".local/share/opencode"), { recursive: true });
    writeFileSync(folder(database), `SQLite format 3\0\n${"\0".repeat(100)}`);
    const told =
      "a database; of those only OpenCode's is read: by --from opencode on Node 22.13 or newer, or from a file that opencode export SESSION > session.json writes";
    const found = await run("bench --from opencode");
    const given = await run(`bench ${database}`);
    rmSync(folder(".local"), { recursive: true });
    expect(found.stderr).toContain(`plimsoll: ~/${database}: ${told}\n`);
    expect(given.stdout.replace(/\s+/g, " ")).toContain(`${database}: ${told}`);
  });

  test("looks through a folder and says what was no session", async () => {
    const { exitCode, stdout } = await run("bench logs");
    expect(exitCode).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toMatch(/3 inputs left out: logs\/README.md, .+: no importer reads it/);
  });

  test.each([
    ["an unknown format", "logs/other.json", /1 input left out: logs\/other\.json(?:, |: ).*?no\s+known\s+session\s+format/s],
    ["an empty file", "logs/nothing.jsonl", /1 input left out: logs\/nothing\.jsonl(?:, |: ).*?the\s+file\s+is\s+empty/s],
    ["a missing file", "logs/absent.jsonl", /1 input left out: logs\/absent\.jsonl(?:, |: ).*?no\s+such\s+file\s+or\s+folder/s],
    ["an empty folder", "logs/empty", /1 input left out: logs\/empty(?:, |: ).*?an\s+empty\s+folder/s],
    ["a pattern without files", "logs/*.txt", /1 input left out: logs\/\*\.txt(?:, |: ).*?no\s+file\s+matches/s],
  ])("skips %s with a line and replays the rest", async (_, input, line) => {
    const { exitCode, stdout } = await run(`bench ${input} logs/*.jsonl -w 64k`);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(line);
    expect(stdout).toMatch(/^claude-code\* .* [\d.]+k +1\/1/m);
  });

  test("says nothing about figures if there are none", async () => {
    writeFileSync(folder("cut.json"), '{"messages": [');
    const { exitCode, stdout } = await run("bench cut.json");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("cut.json: truncated");
    expect(stdout).not.toMatch(/Limit: recorded|--full/);
  });

  test("takes a file once that was given twice or is linked to", async () => {
    symlinkSync(folder("logs"), folder("logs/empty/loop"));
    const { stdout } = await run("bench logs/session.jsonl logs/*.jsonl logs");
    rmSync(folder("logs/empty/loop"));
    expect(stdout).toMatch(/^none .* – +0\/1/m);
  });

  test.each([
    ["nothing can be replayed", "bench logs/empty", 1, "logs/empty: an empty folder; give a folder with session files"],
    ["a folder holds no session", "bench logs/*.md", 1, "nothing to replay: no session was found (looked at 1 file)"],
    ["a policy is unknown", "bench logs -p none -p svne", 2, 'unknown policy "svne": did you mean sven?'],
    [
      "one policy has no value of a sweep",
      "bench logs -p sven -p plimsoll --sweep keep.human=x",
      2,
      "plimsoll: keep.human: give a share",
    ],
    ["an option is unknown", "bench logs --polcy sven", 2, "unknown option '--polcy'\n(Did you mean --policy?)"],
    ["a window cannot be read", "bench logs --window big", 2, "--window big: give the tokens for messages as"],
    ["no input is given", "bench", 2, "nothing to replay: give session files, folders or patterns, --from <agent>, or --demo"],
    ["an agent is unknown", "bench --from cluade-code", 2, "--from cluade-code: did you mean claude-code?"],
    ["a limit is no number", "bench --from pi --limit all", 2, "--limit all: give a whole number from 1"],
    ["a limit is for nothing", "bench logs --limit 3", 2, "--limit does nothing by itself: it is for --from"],
    ["a time is for nothing", "bench logs --since 7d", 2, "--since does nothing by itself"],
    ["nothing is asked that could be told dry", "bench logs --dry-run", 2, "--dry-run needs a model"],
    ["nothing is printed of an --out", "compact logs/session.jsonl --dry-run --out x", 2, "--out does nothing with --dry-run"],
    [
      "no session of this folder is there for a page",
      "inspect --html x.html",
      2,
      "no session of this folder was found: name a log, an id that plimsoll advise lists, or an agent",
    ],
    ["an undo is to write a page", "advise --undo --html x.html", 2, "--html does nothing with --undo"],
    ["nothing is to be agreed to", "advise --yes", 2, "--yes does nothing by itself: it is for --write or --undo"],
    ["an agent has no logs", "bench --from codex", 1, "--from codex: no logs in ~/.codex/sessions"],
    ["a command is unknown", "bnech logs", 2, "unknown command 'bnech'\n(Did you mean bench?)"],
  ])("fails if %s", async (_, command, exitCode, line) => {
    const result = await run(command);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(`plimsoll: ${line}`);
    expect(result.stderr).not.toContain("    at ");
    expect(result.stdout).toBe("");
  });

  test.each([
    ["a place that is not there", "nowhere", "plimsoll: nowhere: no such file or folder\n"],
    ["a pattern without a match", "none/*.jsonl", "plimsoll: none/*.jsonl: no file matches this pattern\n"],
  ])("says in one line that it was given %s", async (_, input, stderr) => {
    expect(await run(`bench ${input}`)).toEqual({ exitCode: 1, stdout: "", stderr });
  });

  test("finds an agent's own logs, the newest first", async () => {
    const logs = folder(".pi/agent/sessions/project");
    mkdirSync(logs, { recursive: true });
    const ages = { old: 10 * DAY_MS, new: DAY_MS, newest: 0 };
    for (const [place, [name, ageMs]] of Object.entries(ages).entries()) {
      const text = readFileSync(fixtureSessions()[place]?.path ?? "", "utf8");
      const timeMs = NOW_MS - ageMs;
      const dated = text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, new Date(timeMs).toISOString());
      writeFileSync(join(logs, `${name}.jsonl`), dated.replaceAll(/\b1[67]\d{11}\b/g, String(timeMs)));
    }
    const since = await run("bench --from pi --since 7d -p none --full");
    expect(since.stdout).toContain("Sessions are in ~/.pi/agent/sessions/project/");
    expect(since.stdout).toMatch(/^none .* – +0\/2/m);
    const limited = await run("bench --from pi --limit 1 -p none --full");
    expect(limited.stdout).toMatch(/^newest\.jsonl /m);
    expect(limited.stdout).toMatch(/^none .* – +0\/1/m);
  });

  test("says why nothing could be replayed, and prints no tables of nothing", async () => {
    const { exitCode, stdout } = await run("bench logs/session.jsonl -p sven -w 1k --full --html 1k.html");
    expect([exitCode, existsSync(folder("1k.html"))]).toEqual([1, false]);
    const said =
      "Nothing could be replayed. All policies: 1 session skipped (logs/session.jsonl): the first request has more beside the log's messages (system prompt, tools, history of another log) than the space for messages, 1k.";
    expect(stdout.replace(/\s+/g, " ")).toContain(said);
  });

  test("takes a policy from a file, in addition to a preset", async () => {
    writeFileSync(folder("late.yaml"), "policy: sven\nkeep: [{ kind: recent, messages: 12 }]\n");
    const { exitCode, stdout, stderr } = await run("bench logs/session.jsonl -p none -p late.yaml -w 32k");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^late\* .* [\d.]+k +1\/1/m);
  });

  test("a policy may count by a tokenizer, alone or behind the last report", async () => {
    const bpe = "{ kind: bpe, encoding: o200k_base, perMessageTokens: 4 }";
    writeFileSync(folder("counted.yaml"), `policy: sven\nestimator: ${bpe}\n`);
    writeFileSync(
      folder("anchored.yaml"),
      `policy: pi\nestimator: { kind: usage-anchored, anchor: prompt-and-reply, of: ${bpe} }\n`,
    );
    const { exitCode, stdout, stderr } = await run("bench logs/session.jsonl -w 32k -p counted.yaml -p anchored.yaml");
    // A busy machine takes long enough for lines of progress.
    expect({ exitCode, stderr: stderr.replace(/^plimsoll: replaying.*\n/gm, "") }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^counted\* .* \S+ +1\/1/m);
    expect(stdout).toMatch(/^anchored\* .* \S+ +1\/1/m);
  });

  test.each([
    ["a mistake in a file", "policy: sven\nkepe: 1", ':2:1: unknown key "kepe": did you mean keep?'],
    ["a name given twice", "policy: sven\nname: none", ": another policy of this run is called none; give this one a name"],
    [
      "a tokenizer that is not bundled",
      "policy: sven\nestimator: { kind: bpe, encoding: o20k_base, perMessageTokens: 4 }",
      ': unknown encoding "o20k_base": did you mean o200k_base?',
    ],
  ])("replays nothing for %s", async (_, text, line) => {
    writeFileSync(folder("bad.yaml"), text);
    const ended = await run("bench logs/session.jsonl -p none -p bad.yaml");
    expect(ended).toEqual({ exitCode: 2, stdout: "", stderr: `plimsoll: bad.yaml${line}\n` });
  });

  test("prices of models that no session asks, and a sweep that a policy lacks, are told first", async () => {
    writeFileSync(folder("idle.yaml"), "nobody-asks: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 }\n");
    const swept = "-p sven -p plimsoll --sweep strategies.keepNothingUpToMessages=6 -w 32k";
    const { stdout } = await run(`bench logs/session.jsonl ${swept} --prices idle.yaml --jobs 1`);
    const first = stdout.slice(0, stdout.indexOf("for messages and reply, judged"));
    expect(first).toContain("--prices: no session asks nobody-asks.");
    expect(first.replaceAll(/\s+/g, " ")).toContain(
      "--sweep: plimsoll has no one value named strategies.keepNothingUpToMessages",
    );
  });

  test("a policy file of an earlier version is replayed, and what it says otherwise is told first", async () => {
    writeFileSync(folder("old.yaml"), "extends: plimsoll-rich\nidleAfter: 4m30s\n");
    const { exitCode, stdout } = await run("bench logs/session.jsonl -p old.yaml -p none -w 32k --jobs 1");
    expect(exitCode).toBe(0);
    const first = stdout.slice(0, stdout.indexOf("for messages and reply, judged")).replaceAll(/\s+/g, " ");
    expect(first.match(/old\.yaml:1:1: plimsoll-rich is gone: plimsoll replaces it/g)).toHaveLength(1);
    expect(first.match(/old\.yaml:2:1: idleAfter is gone: nothing replaces it/g)).toHaveLength(1);
  });

  test("prices sessions by a file", async () => {
    const prices = "synthetic/o200k: { inputUsdPerMillion: 1000, outputUsdPerMillion: 1000 }\n";
    writeFileSync(folder("prices.yaml"), prices);
    const { stdout } = await run("bench logs/session.jsonl -p none --prices prices.yaml --full");
    const { stdout: short } = await run("bench logs/session.jsonl -p none --prices prices.yaml");
    expect(short).toMatch(/Recorded usage: (at least )?\$[\d.,]+\. /);
    expect(stdout).toMatch(/^none +1 +[1-9],/m);
    const wrong = await run("bench logs/session.jsonl --prices late.yaml");
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain("plimsoll: late.yaml:1:1: policy: ");
  });

  test("writes reports that are the same at every run, and leaves nothing else", async () => {
    mkdirSync(folder("out"));
    const first = await run("bench logs/session.jsonl --json out/a.json --html out/a.html");
    const second = await run("bench logs/session.jsonl --json out/b.json --html out/b.html");
    const text = (file: string) => readFileSync(folder("out", file), "utf8");
    expect([first.exitCode, second.exitCode]).toEqual([0, 0]);
    expect(text("a.json")).toBe(text("b.json"));
    expect(text("a.html")).toBe(text("b.html"));
    expect(readdirSync(folder("out")).toSorted()).toEqual(["a.html", "a.json", "b.html", "b.json"]);
    expect(first.stdout).toContain(`Written: ${folder("out/a.html")}`);
  });

  test("says that a report cannot be written", async () => {
    const { exitCode, stderr } = await run("bench logs/session.jsonl --json logs/README.md/report.json");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("cannot be written");
    expect(existsSync(folder("logs/README.md/report.json"))).toBe(false);
  });

  test("says which module adds a name that is taken", async () => {
    const importer = '{ format: "pi", description: "", recognises: () => false, read: async () => [] }';
    writeFileSync(folder("own.mjs"), `export default { importers: [${importer}] };\n`);
    const { exitCode, stderr } = await run("bench logs/session.jsonl --with own.mjs");
    expect(exitCode).not.toBe(0);
    const module = folder("own.mjs");
    expect(stderr).toBe(`plimsoll: ${module}: plimsoll has an importer called "pi" already; give this one another name\n`);
  });

  test.each(["--help", "--version", "bench --help"])("%s ends well", async (command) => {
    const { exitCode, stdout, stderr } = await run(command);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).not.toBe("");
  });
});

describe("options of a run", { timeout: REPLAY_MS }, () => {
  const args = "-p none -p pi -w 16k -w 32k";
  const text = (file: string) => readFileSync(folder(file), "utf8");

  test.each([
    ["--shard", "0/4", "--shard 0/4: give a part and a count"],
    ["--shard", "5/4", "--shard 5/4: give a part and a count"],
    ["--jobs", "none", "--jobs none: give a whole number from 1 to 64"],
  ])("%s %s is refused", async (option, value, line) => {
    const { exitCode, stderr } = await run(`bench logs/session.jsonl --state s.jsonl ${option} ${value}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(line);
  });

  test("a report fits its published schema", async () => {
    await run(`bench logs/session.jsonl ${args} --json whole.json`);
    const { stdout } = await run("schema report");
    const schema: unknown = JSON.parse(stdout);
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(reportSchema().safeParse(JSON.parse(text("whole.json"))).success).toBe(true);
  });

  test("tables come as Markdown", async () => {
    await run(`bench logs/session.jsonl ${args} --markdown tables.md`);
    expect(text("tables.md")).toMatch(
      /^### Policies, 16k for messages and reply\n\nPrompts of .*\n\nOlder % is .*\n\nCompactions in .*\n\n\| policy \| cost % /m,
    );
    expect(text("tables.md")).toMatch(/^\| pi\\\* .* \| 1\/1 \|/m);
  });
});

describe("a sweep", { timeout: REPLAY_MS }, () => {
  test("replays every point of the grid and the baseline, and draws it", async () => {
    const axes = "-w 32k --sweep trigger.ratio=0.6,0.75 --sweep keep.messages=4,8";
    const policies = "-p recorded -p none -p sven";
    const { exitCode, stderr } = await run(`bench logs/session.jsonl ${policies} ${axes} --json sweep.json --html sweep.html`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const report: unknown = JSON.parse(readFileSync(folder("sweep.json"), "utf8"));
    expect(report).toMatchObject({
      policies: [
        { name: "recorded", sweep: null },
        { name: "none", sweep: null },
        { name: "sven", sweep: null },
        { name: "sven trigger.ratio=0.6 keep.messages=4", sweep: { base: "sven" } },
        { name: "sven trigger.ratio=0.6 keep.messages=8" },
        { name: "sven trigger.ratio=0.75 keep.messages=4" },
        { name: "sven trigger.ratio=0.75 keep.messages=8" },
      ],
    });
    const page = readFileSync(folder("sweep.html"), "utf8");
    expect(page.match(/requests above the window<\/text>/g)).toHaveLength(1);
  });

  test.each([
    ["trigger.rato=0.5,0.6", "sven: trigger.rato: not a value of this policy; did you mean trigger.atLeast.ratio?"],
    ["trigger.ratio", "--sweep trigger.ratio: give a path with a range or a list"],
    ["keep.lines=5%", "keep.lines is gone: keep.recall replaces it"],
  ])("--sweep %s is refused", async (axis, line) => {
    const { exitCode, stderr } = await run(`bench logs/session.jsonl -p sven --sweep ${axis}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(line);
  });
});

describe("plimsoll policy", () => {
  test("lists policies by when they act, and apart those that are made to cheat", async () => {
    const { exitCode, stdout } = await run("policy list");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^recorded +as recorded$/m);
    expect(stdout).toMatch(/^none +never$/m);
    expect(stdout).toMatch(/^plimsoll +48\.0k, if it pays \d+×, to 192k +recent \+4/m);
    expect(stdout).toMatch(/^plimsoll .*^Only in plimsoll bench:$.*^langchain-context-editing +\d/ms);
    expect(stdout).not.toMatch(/^(last-human-only|all-excerpts)/m);
    expect(stdout).toMatch(/Made to cheat.*never\s+recommended[^:]*: last-human-only,\s+all-excerpts\./s);
  });

  test("shows a preset", async () => {
    const { exitCode, stdout } = await run("policy show sven");
    expect(stdout).toMatch(/^# +cap +\d+k tokens of 4 bytes$/m);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^name: sven # preset sven$/m);
  });

  test("shows one of an earlier version in today's words, and says what became of it", async () => {
    writeFileSync(folder("old.yaml"), "policy: sven\nkeep: [{ kind: lines, atMost: { tokens: 9 } }]\n");
    const { exitCode, stdout, stderr } = await run("policy show old.yaml");
    const left = "old.yaml:2:1: this list leaves out the preset's recent; a map (keep: { recent: 5% }) would keep them";
    expect(exitCode).toBe(0);
    expect(stderr).toContain("plimsoll: old.yaml:2:8: lines is gone: recall replaces it\n");
    expect(stderr).toContain(`plimsoll: ${left}\n`);
    expect(stdout).toMatch(/^ {2}- kind: recall/m);
  });

  test.each([
    ["plimsoll-rich", "the policy plimsoll-rich is gone: plimsoll replaces it"],
    ["svne", 'unknown policy "svne": did you mean sven?'],
  ])("says in one line why it cannot show %s", async (name, line) => {
    const { exitCode, stderr } = await run(`policy show ${name}`);
    expect([exitCode, stderr]).toEqual([2, `plimsoll: ${line}\n`]);
  });

  test("says each thing that is wrong in a file in a line of its own", async () => {
    writeFileSync(folder("two.yaml"), "policy: sven\nkepe: 1\ntrigge: 2\n");
    const { exitCode, stderr } = await run("policy show two.yaml");
    expect(exitCode).toBe(2);
    expect(stderr.match(/^plimsoll: two\.yaml:[23]:1: unknown key .*$/gm)).toHaveLength(2);
  });

  test("prints the schema as JSON", async () => {
    const { exitCode, stdout } = await run("schema policy");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", additionalProperties: false });
  });
});
