import type { AfterFacts, CompactionFacts, EndFacts, ProgramFacts, RequestRun, SummaryFacts, ThresholdFacts } from "./facts.ts";
import { PROGRAMS } from "./programs/programs.ts";

/** The page of all programs in Markdown: an introduction, then a table for each, in the order in which programs are named. */
export function page(all: readonly ProgramFacts[]): string {
  const tables = PROGRAMS.flatMap(({ name, title }) => {
    const facts = all.find(({ program }) => program === name);
    return facts === undefined ? [] : [programTable(title, facts)];
  });
  return `${[INTRODUCTION, ...tables].join("\n\n")}\n`;
}

const INTRODUCTION = `# The observatory: what published programs do when their context is full

Made by \`pnpm observatory\` from \`lab/observatory/facts\`. Each program is installed from the registry at the version in its title and runs headless, with a key
that opens nothing, an empty home, and nothing but loopback to talk to, against [the simulator](docs/simulator.md). Only programs with an open licence are run. What is kept of a run is
numbers, roles, counts and hashes; no text of a program.

- **Silent at / acts at**: usage of a reply after which the program went on, and of the next one after which it compacted, 200 tokens apart. With usage reported, replies tell it, in
  a ramp; without, results of tools fill the context and the size is four characters a token.
- **The other rows** are sessions at real sizes with a window of 64,000 and an output of 8,000 tokens, if the program can be told; one that knows its window by the model's name is
  played with counts that are multiplied to fill it. Summaries are a stand-in that says nothing: what is in a request after a compaction is what the program itself keeps. Tokens are rounded
  to hundreds.
- **Constraints**: ten are planted, four in the person's first message, two in the project's rules, two in files that are read, two in what the model says.
- **Told**: what the person reads in the end, by kind. \`answer\`: the model's last words.

\`pnpm observatory codex pi\` runs some programs, \`pnpm observatory --newest\` the newest versions in the registry, printing what changed. Tests read the facts alone.

Programs find themselves in the same folder wherever they are installed, since some tell the model where they are; without namespaces they do not, and hashes of their system text differ. All seven take 3 min 28 s to 4 min 5 s
on two idle cores after the installs. Codex, OpenCode, Gemini CLI, both pi and Cline gave the same bytes in two such runs. Qwen Code's shell loses all that a command printed if another process of its own ends at the same
time: in two of fourteen plays on a busy machine, the first command of a session each time. Such a play is made again, and its facts were the same bytes in three runs on an idle machine.`;

type Row = readonly [name: string, value: string];

function programTable(title: string, facts: ProgramFacts): string {
  const { packageName, version, recorded, licence, wire, overhead } = facts;
  const [first] = facts.compactions;
  const rows: readonly Row[] = [
    ["package", `\`${packageName}\` ${version}, ${licence}; ${wire}`],
    [
      "tools, system text",
      `${overhead.toolCount} (\`${overhead.toolsHash}\`), ${number(overhead.systemTokens)} tokens (\`${overhead.systemHash}\`)`,
    ],
    ["acts", ACTS[facts.actsBetween]],
    ...facts.thresholds.map(thresholdRow),
    ...(first === undefined ? [] : compactionRows(first)),
    ...constraintRows(facts.compactions),
    ["usage stays high", ending(facts.loop)],
    ...facts.overflows.map((overflow): Row => [`refused as too long, ${overflow.refused}`, ending(overflow)]),
  ];
  return [
    `## ${title} ${version}, ${recorded}`,
    "",
    "| | |",
    "|---|---|",
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
  ].join("\n");
}

const ACTS = {
  steps: "between the steps of a turn",
  turns: "between turns, not between the steps of one",
  never: "never in what was tried",
} as const;

function thresholdRow({ windowTokens, outputTokens, usage, silentTokens, actsTokens }: ThresholdFacts): Row {
  const told =
    outputTokens === null ? `window ${number(windowTokens)}` : `window ${number(windowTokens)}, output ${number(outputTokens)}`;
  if (actsTokens === null)
    return [`${told}, usage ${usage}`, usage === "reported" ? "does not act on what is reported" : "does not act"];
  const ratio = (actsTokens / windowTokens).toFixed(3);
  const room = number(windowTokens - actsTokens);
  const silent = silentTokens === null ? "" : `silent at ${number(silentTokens)}, `;
  return [`${told}, usage ${usage}`, `${silent}acts at ${number(actsTokens)} (${ratio} of the window; ${room} are left)`];
}

function compactionRows({ before, summaries, after }: CompactionFacts): readonly Row[] {
  return [
    ["request before", `${number(before.tokens)} tokens, ${before.items} items`],
    ...(summaries.length === 0 ? [["request for a summary", "none: it cuts without a model"] as const] : []),
    ...summaries.map((summary, index): Row => [`request ${index + 1} for a summary`, summaryText(summary)]),
    [
      "request after",
      `${number(after.tokens)} tokens, ${after.items} items, ${number(after.cacheReadTokens)} read from the cache; messages of the person word for word: ${personText(after)}; results of tools kept: ${after.resultsKept}; files put back: ${after.filesPutBack}`,
    ],
  ];
}

function personText({ person, personCount }: AfterFacts): string {
  if (person.length === personCount) return personCount === 1 ? "the only one" : `all ${personCount}`;
  if (person.length === 0) return `none of ${personCount}`;
  const isLast = person.length === 1 && person[0] === personCount - 1;
  return isLast ? `the last of ${personCount}` : `${person.length} of ${personCount}`;
}

function summaryText({ tokens, tools, system, model, items, equalItems, cacheReadTokens }: SummaryFacts): string {
  return `${number(tokens)} tokens; tools ${tools}, system text ${system}, ${model} model; ${equalItems} of ${items} items equal to the request before; ${number(cacheReadTokens)} read from the cache`;
}

/** One row for compactions in a row after which the same is left. */
function constraintRows(compactions: readonly CompactionFacts[]): readonly Row[] {
  const kept = compactions.map(({ after }) => after.constraints.join(", "));
  return kept.flatMap((text, index): Row[] => {
    if (kept[index - 1] === text) return [];
    const next = kept.findIndex((other, place) => place > index && other !== text);
    const last = next < 0 ? kept.length : next;
    const which = last === index + 1 ? `compaction ${last}` : `compactions ${index + 1} to ${last}`;
    const count = compactions[index]?.after.constraints.length ?? 0;
    return [[`constraints after ${which}`, `${count} of 10${text === "" ? "" : `: ${text}`}`]];
  });
}

function ending({ requests, endedBy, exitCode, told }: EndFacts): string {
  const total = requests.reduce((sum, { count }) => sum + count, 0);
  const end =
    endedBy === "itself" ? `ends with ${exitCode ?? "a signal"}, told: ${told}` : `still asking, ended here by ${endedBy}`;
  return `${runsText(requests)}; ${total} requests; ${end}`;
}

/** The most runs that are written out. */
const MOST_RUNS = 8;

function runsText(runs: readonly RequestRun[]): string {
  const texts = runs.map(({ kind, outcome, count }) => {
    const what = outcome === "answered" ? kind : `${kind} ${outcome === "overflow" ? "refused" : outcome}`;
    return count === 1 ? what : `${count} × ${what}`;
  });
  return texts.length <= MOST_RUNS ? texts.join(", ") : `${texts.slice(0, MOST_RUNS).join(", ")}, …`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
