import type { Command } from "commander";

/** More options than this are told in groups, by what they are for. Chosen: what one looks through at once. */
const MOST_UNGROUPED = 10;

type Groups = Readonly<Record<string, readonly string[]>>;

const SESSION_GROUPS: Groups = {
  Session: ["demo", "resume"],
  "Model and policy": ["model", "policy", "window", "with"],
  Permissions: ["allow", "read-only"],
};

/** By command, what its options are for: their long names under headings. The order of a help is that in which the options were added. */
const GROUPS: Readonly<Record<string, Groups>> = {
  bench: {
    Sessions: ["demo", "from", "since", "limit"],
    Policies: ["policy", "window", "sweep", "through", "with"],
    "Prices and summaries": ["prices", "summarizer", "cassette", "cassette-only", "dry-run"],
    "How it runs": ["jobs", "state", "shard"],
    Results: ["out", "full", "json", "html", "markdown"],
    "Asking a model for the next action": ["ask", "sample", "max-dollars", "yes"],
  },
  chat: SESSION_GROUPS,
  run: { ...SESSION_GROUPS, Output: ["json"] },
  serve: { ...SESSION_GROUPS, Output: ["stdio"] },
  proxy: {
    Requests: ["upstream", "policy", "window"],
    Address: ["port", "any-host"],
    "Kept files": ["state", "record", "keep"],
  },
};

/** Puts the options of a command that has many under headings; one that {@link GROUPS} does not name stands under none of them. */
export function groupOptions(command: Command): void {
  if (command.options.length <= MOST_UNGROUPED) return;
  const headings = new Map(
    Object.entries(GROUPS[command.name()] ?? {}).flatMap(([heading, names]) => names.map((name) => [name, heading])),
  );
  for (const option of command.options) {
    const heading = headings.get(option.name());
    if (heading !== undefined) option.helpGroup(`${heading}:`);
  }
  command.addHelpOption(command.createOption("-h, --help", "show help").helpGroup("Help:"));
}
