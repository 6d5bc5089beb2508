import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExchangeFacts } from "@plimsoll/simulator";
import { SIDE } from "../experiments/setting.ts";
import { root } from "../namespace.ts";
import { type MainStep, NOTES_FILE, PRINT_COMMAND, type Program, withDefaultModel } from "../program.ts";
import { CODEX } from "../programs/codex.ts";
import { type AcceptanceCase, FIRST_MESSAGE } from "./case.ts";
import type { PutBackFacts } from "./facts.ts";

/** Twice as large as elsewhere: a program that compacts by itself keeps the person's messages, and starts anew with its own text. Chosen. */
const WINDOW_TOKENS = 64_000;

/** Text that a call prints: some tens of them fill the window. Chosen. */
const PRINTED_TOKENS = 2_000;

/** Characters of a token, as the simulator counts. */
const CHARS_PER_TOKEN = 4;

/** The calls that read a file, by their numbers: each between two compactions. */
const READS = [5, 30, 55, 80];
const STEPS = 100;

/** The hooks' output is added to it, below the program's home. */
const PRINTED_FILE = "put-back.jsonl";

const fileOf = (call: number) => `notes-${call}.txt`;

/** The stand-in's compaction point: below the window by the size of a step. */
const STAND_IN_COMPACTS_AT_TOKENS = 56_000;

/** Hooks in the real Codex, and the plugin of Claude Code by payloads. */
export const HOOK_CASES: readonly AcceptanceCase[] = [
  {
    ...hookCase("codex-hooks", "Codex hooks"),
    program: (project) => withHooks(withDefaultModel(CODEX), project),
    sessions: { kind: "lines", folder: ".codex/sessions" },
  },
  { ...hookCase("claude-code-plugin", "Claude Code plugin, by payloads"), program: standIn },
];

function hookCase(name: string, title: string): Omit<AcceptanceCase, "program"> {
  return {
    name,
    title,
    kind: "hooks",
    ours: ["cli"],
    libraries: [],
    windowTokens: WINDOW_TOKENS,
    steps: STEPS,
    resumes: 0,
    request: {
      scenario: {
        name: "hooks",
        windowTokens: WINDOW_TOKENS,
        main: Array.from({ length: STEPS }, (_, index) => stepOf(index + 1)),
        side: SIDE,
        probes: READS.map((call) => ({ id: fileOf(call), text: fileOf(call) })),
      },
      limits: { windowTokens: WINDOW_TOKENS, outputTokens: null },
      prompts: [FIRST_MESSAGE],
      files: Object.fromEntries(READS.map((call) => [fileOf(call), `what was noted for call ${call}\n`])),
    },
    calls: STEPS - READS.length,
    putBack: (played, home) => putBackIn(played.exchanges, printedIn(home)),
  };
}

/** In the place of Claude Code, which is not run: a script that starts the hooks of `examples/plugins/claude-code` as its reference describes. */
function standIn(project: string): Program {
  const hooks = join(root, "examples/plugins/claude-code/hooks/hooks.json");
  const command = join(project, "node_modules/plimsoll/bin/plimsoll.js");
  return {
    ...CODEX,
    name: "claude-code-stand-in",
    title: "Claude Code, by payloads",
    version: "not-run",
    ownFile: join(root, "lab/observatory/testing/claude-code-stand-in.mjs"),
    runtime: "node",
    modelId: "claude-simulated",
    kinds: [{ kind: "summary", if: { tools: "none" } }],
    tools: (work) => [
      { use: "read", name: "Read", arguments: { file_path: `${work}/${NOTES_FILE}` } },
      { name: "Bash", arguments: { command: PRINT_COMMAND } },
    ],
    launch: ({ url, prompts }) => ({
      files: {},
      env: {},
      start: { commands: prompts.map((prompt) => [url, hooks, command, prompt, String(STAND_IN_COMPACTS_AT_TOKENS)]) },
    }),
  };
}

function stepOf(call: number): MainStep {
  return READS.includes(call) ? { call: { outputTokens: 0, use: "read" } } : { call: { outputTokens: PRINTED_TOKENS } };
}

/** Codex with `examples/plugins/codex/hooks.json`, whose command is the installed one, and is listened to. */
function withHooks(program: Program, project: string): Program {
  const command = join(project, "node_modules/plimsoll/bin/plimsoll.js");
  return {
    ...program,
    launch: (setup) => {
      const { files, env, start } = program.launch(setup);
      const told = `${process.execPath} ${command} hook | tee -a ${join(setup.home, PRINTED_FILE)}`;
      const hooks = { SessionStart: [{ matcher: "compact", hooks: [{ type: "command", command: told, timeout: 30 }] }] };
      const commands = "commands" in start ? start.commands : [];
      return {
        files: { ...files, [join(setup.home, ".codex/hooks.json")]: JSON.stringify({ hooks }) },
        env,
        // A person trusts hooks once, in `/hooks`; a headless run has no person to ask.
        start: {
          commands: commands.map(([first = "", ...rest]) => [
            first,
            "--dangerously-bypass-hook-trust",
            ...["-c", `model_context_window=${setup.windowTokens}`],
            ...rest,
          ]),
        },
      };
    },
  };
}

/** The output, a line for each compaction after which something was put back. */
function printedIn(home: string): readonly string[] {
  const file = join(home, PRINTED_FILE);
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** The outcome of the hooks: after each compaction every file that was read since the one before it has to be named. */
function putBackIn(exchanges: readonly ExchangeFacts[], printed: readonly string[]): PutBackFacts {
  let [whole, putBackTokens, promptTokens, compactions, answered, from] = [0, 0, 0, 0, 0, 0];
  let isAfter = false;
  for (const { kind, outcome, probes, promptTokens: tokens } of exchanges) {
    if (kind === "summary") isAfter = true;
    if (kind !== "main" || outcome !== "answered") continue;
    if (isAfter) {
      compactions += 1;
      const wanted = READS.filter((call) => call > from && call <= answered);
      if (wanted.every((call) => probes.includes(fileOf(call)))) whole += 1;
      [isAfter, from] = [false, answered];
    }
    answered += 1;
    promptTokens += tokens ?? 0;
    // It is read again at every request until the next compaction.
    if (compactions > 0) putBackTokens += (printed[compactions - 1]?.length ?? 0) / CHARS_PER_TOKEN;
  }
  return { whole, ratio: Math.round((putBackTokens / Math.max(1, promptTokens)) * 100_000) / 100_000 };
}
