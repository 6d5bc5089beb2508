import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { judgedAnswers, passageOf } from "./answers.ts";
import { constraintsPage } from "./constraints.ts";
import { type GitFolder, gitFolder } from "./git-folder.ts";
import { javaRuns, liteRuns, terminalDialogue, terminalRuns, unmaskedRuns } from "./graded-runs.ts";
import { runRow } from "./run-row.ts";

const WAIT = "\u001b[32m⠋\u001b[0m Waiting for the LM to respond...\r\u001b[2K";
const SAYS =
  "\u001b[1;31mmini-swe-agent\u001b[0m\u001b[31m (step \u001b[0m\u001b[1;31m1\u001b[0m\u001b[31m, \u001b[0m\u001b[1;31m$0.00\u001b[0m\u001b[31m):\u001b[0m";
const USER = "\u001b[1;32mUser\u001b[0m:";
const RULE = `\u001b[92m${"─".repeat(160)}\u001b[0m`;
const LONG = `THOUGHT: ${"word ".repeat(29)}`;
const TERMINAL = [
  "root@0:/app# mini -m some/model",
  "\u001b[1;32mSystem\u001b[0m:",
  "You can use a computer.",
  USER,
  "Solve it.",
  RULE,
  `${WAIT}${WAIT}`,
  SAYS,
  `${WAIT}${LONG}`,
  "extraordinarily broken.",
  "",
  "```bash",
  "ls",
  "```",
  USER,
  "<returncode>0</returncode>",
  "Saved trajectory to '/root/x.traj.json'",
  "root@0:/app# exit",
].join("\r\n");

test("a recorded terminal gives the dialogue: without what turned while it waited, lines joined that it broke", () => {
  expect(terminalDialogue(TERMINAL)).toEqual([
    { role: "system", content: "You can use a computer." },
    { role: "user", content: "Solve it." },
    { role: "assistant", content: `${LONG}extraordinarily broken.\n\n\`\`\`bash\nls\n\`\`\`` },
    { role: "user", content: "<returncode>0</returncode>" },
  ]);
});

test("a terminal in which the agent never came to a step has no dialogue", () => {
  expect(terminalDialogue(`${USER}\r\nSolve it.\r\nbash: mini: command not found`)).toEqual([]);
});

function folderOf(files: Readonly<Record<string, string>>): GitFolder {
  return {
    commit: "0",
    paths: (below) => Object.keys(files).filter((path) => below === "." || path.startsWith(below)),
    text: (path) => files[path] ?? "",
  };
}

const observation = (lines: number, first: number) =>
  `[File: /r/a.py (99 lines total)]\n${Array.from({ length: lines }, (_, at) => `${first + at}:value_of_line_${first + at}`).join("\n")}`;
const step = (action: string, content: string) => [
  { role: "assistant", content: action, thought: "think", action },
  { role: "user", content },
];
/** A window that is read, four commands and an edit that is refused, and the same window again: it had left at the age of six. */
const TRAJECTORY = JSON.stringify({
  trajectory: [{}],
  history: [
    { role: "user", content: "the issue" },
    ...step("open a.py", observation(5, 1)),
    ...[1, 2, 3, 4].flatMap((each) => step(`ls ${each}`, `nothing ${each}`)),
    ...step("edit 2:3\nx = 1\nend_of_edit", "Your proposed edit has introduced new syntax error(s)."),
    ...step("open a.py", observation(5, 1)),
  ],
  info: {},
});

test("a run's row tells what was fetched again at which age, and how its edits went", async () => {
  const files = {
    "results/swe-agent-results/cost_1/o__r-1.traj": TRAJECTORY,
    "results/swe-agent-results/cost_1/final_report.json": JSON.stringify({ resolved: ["o__r-2"] }),
  };
  const [run] = liteRuns(folderOf(files)).runs;
  const row = run === undefined ? null : await runRow(run);
  expect(row).toMatchObject({ repository: "o__r", task: "o__r-1", agent: "cost_1", hasFailed: true, calls: 7 });
  expect(row?.exposures["file window"].slice(0, 7)).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
    [1, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ]);
  expect(row?.edits).toEqual({ held: 1, heldFailed: 1, missing: 0, missingFailed: 0 });
});

test("what was not submitted, not graded or not printed is counted and left out", () => {
  const java = "evaluation/java/verified/a";
  const report = JSON.stringify({ resolved: ["o__r-1"], submitted_ids: ["o__r-1"] });
  const javaFiles = {
    [`${java}/trajs/o__r-1.traj`]: "{}",
    [`${java}/trajs/o__r-2.traj`]: "{}",
    [`${java}/results/results.json`]: report,
  };
  const found = javaRuns(folderOf(javaFiles));
  expect([found.runs.map(({ task, hasFailed }) => `${task} ${hasFailed}`), found.ungraded]).toEqual([["o__r-1 false"], 1]);
  const trial = "results/terminal-bench-core@0.1.1/20250825_swe-agent-mini_claude-4-sonnet/d/t";
  const graded = (name: string, resolved: boolean | null, log: string) => ({
    [`${trial}/${name}/results.json`]: JSON.stringify({ task_id: name, is_resolved: resolved }),
    [`${trial}/${name}/sessions/agent.log`]: log,
  });
  const terminal = terminalRuns(
    folderOf({ ...graded("one", true, TERMINAL), ...graded("two", null, TERMINAL), ...graded("three", false, "nothing") }),
  );
  expect([terminal.runs.map(({ task }) => task), terminal.ungraded, terminal.withoutDialogue]).toEqual([["one"], 1, 1]);
});

test("of unmasked runs every fourth is read, and the last fenced block of a reply is its action", async () => {
  const folder = "swe_trajectories/trajectories";
  const run = (task: string) => ({
    instance_id: task,
    model_name: "m",
    target: task === "o__r-1",
    trajectory: [
      { role: "system", system_prompt: "Solve.", text: null },
      { role: "user", system_prompt: null, text: "the issue" },
      { role: "ai", system_prompt: null, text: "I look.\n```\nopen a.py\n```" },
      { role: "user", system_prompt: null, text: observation(5, 1) },
      { role: "ai", system_prompt: null, text: "Again.\n```\nopen a.py\n```" },
      { role: "user", system_prompt: null, text: observation(5, 1) },
    ],
  });
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => `o__r-${at}`).map((task) => [`${folder}/${task}.json`, JSON.stringify(run(task))]),
  );
  const { runs } = unmaskedRuns(folderOf(files));
  expect(runs.length).toBeGreaterThan(3);
  expect(runs.length).toBeLessThan(20);
  const [first] = runs;
  const row = first === undefined ? null : await runRow(first);
  expect(row).toMatchObject({ dataset: "unmasked", repository: "o__r", calls: 2, isMasked: false });
  expect(row?.exposures["file window"][0]).toEqual([1, 1]);
});

test("constraints that are taken for orders are counted by framing, and probes in which one is seen", () => {
  const source = `[{"type": "Action", "sssc": "Never push to main.", "probe": "Push it."}, {"type": "Output", "sssc": 'Hello "there".', "probe": "Always hello."}]`;
  const page = constraintsPage(folderOf({ "src/compaction_integrity/sssc.py": source }));
  expect(page.match(/\d\/\d/g)).toEqual(["1/2", "1/2", "1/2", "1/2", "1/2"]);
});

test("a passage is the last line with all keywords and three lines on each side, or what stands around it in a long line", () => {
  const lines = ["a", "b", "c", "d", "Paris in June", "e", "f", "g", "h"];
  expect(passageOf([lines.join("\n")], ["paris", "June"])).toBe("b\nc\nd\nParis in June\ne\nf\ng");
  expect(passageOf([`${"x".repeat(400)}Paris${"y".repeat(400)}`], ["Paris"])).toBe(`${"x".repeat(80)}Paris${"y".repeat(75)}`);
  expect(passageOf(["London"], ["Paris"])).toBeNull();
});

test("an answer knows its passage from a context in which the fact's messages still stand", () => {
  const run = "compaction_v5_R4_1";
  const fact = (compacted: boolean) => ({ fact_id: "F", keywords: ["Paris"], message_start: 0, message_end: 1, compacted });
  const files = Object.fromEntries(
    [
      { level: "C1", text: "We went to Paris.", compacted: false, accurate: true },
      { level: "C2", text: "A summary that says Paris only.", compacted: true, accurate: false },
    ].flatMap(({ level, text, compacted, accurate }) => [
      [`${run}/contexts/d1_${level}.json`, JSON.stringify([{ content: text }])],
      [`${run}/contexts/d1_${level}_meta.json`, JSON.stringify({ facts: [fact(compacted)] })],
      [`${run}/judgments/d1_${level}_bs5.json`, JSON.stringify({ batches: [{ verdicts: [{ fact_id: "F", accurate }] }] })],
    ]),
  );
  expect(judgedAnswers(folderOf(files))).toMatchObject([
    { level: "C1", isAccurate: true, hasPassage: true, hasKeywords: true },
    { level: "C2", isAccurate: false, hasPassage: false, hasKeywords: true },
  ]);
});

test("a fetched repository is read by its git folder; another folder is refused in one line", () => {
  const folder = mkdtempSync(join(tmpdir(), "evidence-"));
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" });
  const path = join(folder, "a/b.txt");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "text\n");
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=n", "-c", "user.email=e@example.invalid", "commit", "-qm", "one");
  const opened = gitFolder(join(folder, ".git"));
  expect([opened.commit.length, opened.paths("a"), opened.text("a/b.txt")]).toEqual([40, ["a/b.txt"], "text\n"]);
  expect(() => gitFolder(join(folder, "nothing"))).toThrow(/give the folder of a fetched repository$/);
});
