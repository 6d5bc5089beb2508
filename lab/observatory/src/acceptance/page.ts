import { type AcceptanceFacts, problemsOf, type RowKind } from "./facts.ts";

/** Headings by kind of row, in the order of the page. */
const KINDS: { readonly [kind in RowKind]: string } = {
  library: `## Adapters of libraries

Each example of [use in …](docs/use-in/README.md), run by \`examples/run.mjs\` with the library's own client. "Turns": on a server whose chat template wants person and model in turn. "Thinking": every
reply begins with thinking that is bound to what stands before it.`,
  plugin: `## Plugins of programs

The program is told the real window, and its own compaction is there to be met. The session is taken up once by a new process, which compacts anew: that may be one more break of the
cache. OpenCode also starts a sub-agent that fills the window by itself. Stored: calls whose whole result is in the session that the program keeps.`,
  hooks: `## Hooks of programs

Hooks change no request: the program compacts by itself, and what its summary lost is put back: the files that it read, one between two compactions, and what the person said (Codex keeps that by itself).
Each step returns 2,000 tokens. Put back: the share of all prompt tokens. Claude Code is not open source and was not run: its row is a script of ours that keeps a log in its form, makes a summary that says nothing of what was
before, and starts the plugin's hooks with payloads made from its reference.`,
  proxy: `## The proxy under programs

Each program asks for its own model, and is set nothing but the address; the proxy is told the real window. Every reply begins with reasoning. "Turns": a model that pi is told of, on a server
whose chat template wants person and model in turn. "Thinking": the vendor's SDK without anything of ours, a model that binds its thinking to what stands before it, and a proxy
that is started anew without its state in the middle.`,
  doctor: `## Broken sessions

Between two messages of the person a script breaks the session that the program stored: an open call, a result without its call (not where results stand in calls), an id used again, half a character, a line cut off, and what its form allows of a line twice and
a failed summary. \`plimsoll doctor --write\` has to tell each, leave the log as it was, and find nothing in its copy, with which the program goes on. With the broken log pi 1.5.2 loses what was said, and Codex 0.171.0, Qwen Code and Gemini CLI fail; OpenCode
goes on with both. Nothing is compacted here.`,
};

/** The page of all rows in Markdown: rows that were not accepted come first in their part, with the reasons. */
export function acceptancePage(all: readonly AcceptanceFacts[]): string {
  const kinds = Object.entries(KINDS).flatMap(([kind, heading]) => {
    const rows = all.filter((facts) => facts.kind === kind);
    return rows.length === 0 ? [] : [`${heading}\n\n${tableOf(rows)}`];
  });
  return `${INTRODUCTION}\n\n${kinds.join("\n\n")}\n\n${NOTES}\n`;
}

const INTRODUCTION = `# Acceptance: every adapter, plugin and the proxy

Made by \`pnpm acceptance\` from lab/observatory/acceptance. Our packages are packed as they would be published and installed in an empty project for each row; programs are installed from the
registry, with a home of their own. All runs headless in a namespace that has nothing but loopback, against [the simulator](docs/simulator.md), which refuses what is above the window. Each step is a call of a tool that
returns 500 tokens (under the proxy 2,000; with libraries under "turns" and "thinking" 1,500).

Accepted: no main request refused, no compaction of the program's own, no thinking dropped, in every request all that the program declares (tools, system text, developer messages), at least 85% of the prompts read from the cache, the largest prompt below the window, no more breaks of the cache than compactions (and
sessions taken up), all that the person has said word for word in every request, and the stored session whole.`;

const HEAD =
  "| what | version | wire, model | steps | requests | refused | native compactions | cached | largest prompt / window | compactions | breaks | the person's words | stored | put back | of | |";
const RULE = "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|";

function tableOf(rows: readonly AcceptanceFacts[]): string {
  const sorted = [...rows].sort((a, b) => Number(problemsOf(a).length === 0) - Number(problemsOf(b).length === 0));
  return [HEAD, RULE, ...sorted.map(rowOf)].join("\n");
}

function rowOf(facts: AcceptanceFacts): string {
  const problems = problemsOf(facts);
  const { requests, subAgentRequests, storedWhole, putBack, refusedAside } = facts;
  const cells = [
    facts.title,
    facts.version,
    facts.modelId === null ? facts.wire : `${facts.wire}, ${facts.modelId}`,
    facts.steps,
    subAgentRequests === 0 ? requests : `${requests} (${subAgentRequests} of a sub-agent)`,
    refusedAside === 0 ? facts.refused : `${facts.refused} (and ${refusedAside} aside)`,
    facts.nativeCompactions,
    percent(facts.cachedRatio, 1),
    `${number(facts.largestTokens)} / ${number(facts.windowTokens)}`,
    facts.compactions,
    facts.breaks,
    `in ${facts.personKept} of ${requests}`,
    storedWhole === null ? "" : `${storedWhole} of ${facts.steps}`,
    putBack === null ? "" : percent(putBack.ratio, 2),
    facts.recorded,
    problems.length === 0 ? "accepted" : `**not accepted**: ${problems.join(", ")}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function number(count: number): string {
  return count.toLocaleString("en-US");
}

function percent(ratio: number, digits: number): string {
  return `${(ratio * 100).toFixed(digits)}%`;
}

const NOTES = `Tokens are the simulator's: four characters each. A compaction is a main request smaller than the one before it (under the proxy: what the proxy says); a break is one that reads at least 1,024
tokens less of the cache than the request before it sent. Replies are a script: this shows that requests are taken, what they cost and what stays in them, not how well a model works with what is left.`;
