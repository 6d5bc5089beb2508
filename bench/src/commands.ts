import type { Command } from "commander";
import type { CliIo } from "./terminal/io.ts";

/** Gives a command its arguments, its options and its action. `onExit` takes the exit code. */
type DefineCommand = (command: Command, io: CliIo, onExit: (exitCode: number) => void) => void;

/** A command as the help of the whole program shows it. The rest is loaded when the command is called. */
interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** A note before the examples of its help; most have none. */
  readonly note?: string;
  /** True if it keeps finished work, so that the same command goes on after Ctrl-C. */
  readonly isKept?: true;
  /** Command lines that run, without the program's name; a test runs each. */
  readonly examples: readonly [string, string, ...(readonly string[])];
  readonly load: () => Promise<DefineCommand>;
}

/** The commands over recorded sessions, in the order of the help. */
export const BENCH_COMMANDS: readonly CommandEntry[] = [
  {
    name: "advise",
    description: "show the cost of compaction in each agent on this machine, and cheaper settings",
    note: "It asks no model and sends nothing. Without --write it changes nothing.",
    isKept: true,
    examples: ["advise", "advise --from codex --since 8w --write", "advise --html advice.html"],
    load: async () => (await import("./advise/advise-command.ts")).defineAdviseCommand,
  },
  {
    name: "bench",
    description: "replay recorded sessions under several policies, and compare cost, safety and losses",
    note: "Sessions are recognised by their content.",
    isKept: true,
    examples: [
      "bench session.jsonl",
      "bench --demo --html report.html",
      "bench ~/.claude/projects --policy claude-code --policy plimsoll --window 32k --window 128k --html report.html",
      "bench --from codex --since 7d --policy codex --policy plimsoll",
      'bench "logs/**/*.jsonl" --policy recorded --window real --json report.json',
      "bench sessions --shard 1/2 --state part-1.jsonl",
    ],
    load: async () => (await import("./command/bench-command.ts")).defineBenchCommand,
  },
  {
    name: "calibrate",
    description: "compare predicted prompt sizes with the provider's reports",
    note: "Predicts each call's prompt from earlier calls, by common methods and by ours.",
    examples: [
      "calibrate session.jsonl",
      "calibrate ~/.claude/projects --json errors.json",
      "calibrate logs --out predictions.jsonl",
    ],
    load: async () => (await import("./command/calibrate-command.ts")).defineCalibrateCommand,
  },
  {
    name: "tune",
    description: "find the cheapest setting of one of Plimsoll's policies that keeps as much text",
    isKept: true,
    examples: ["tune --from claude-code", "tune sessions --policy plimsoll.yaml --write plimsoll.yaml --html tune.html"],
    load: async () => (await import("./command/tune-command.ts")).defineTuneCommand,
  },
];
