import type { Scenario } from "@plimsoll/simulator";

/** A step of a script, and how a program calls a tool. */
export type MainStep = Scenario["main"][number];
export type ToolPattern = NonNullable<Scenario["tools"]>[number];

/** A published program: its package, its start, and the signs of its kinds of requests. */
export interface Program {
  /** Its name on the command line and of its file of facts. */
  readonly name: string;
  readonly title: string;
  /** The package in the registry, and the version that the facts are of. */
  readonly packageName: string;
  readonly version: string;
  /** As the package or its repository says. Only programs with an open licence are run. */
  readonly licence: string;
  /** The file that is started, in `node_modules`. */
  readonly entry: string;
  /** A file of ours that is started in its place, for programs that are not run. */
  readonly ownFile?: string;
  /** Its command: itself, or a Node of a version that it needs. */
  readonly runtime: "itself" | "node" | "node-22";
  readonly modelId: string;
  readonly windows: StatableWindows;
  /** Whether one session can be given several of the person's messages. */
  readonly messages: "one" | "several";
  /** The file of a project's rules that it reads. */
  readonly rulesFile: string;
  readonly kinds: NonNullable<Scenario["kinds"]>;
  /** Left out if it always gives the model a command's whole output; if not, a play in which output was lost is played again. */
  readonly outputs?: "may be lost";
  /** How a command is run and a file is read with its own tools. */
  tools(work: string): readonly ToolPattern[];
  /** How it is started for the person's messages, in this order. */
  launch(setup: Setup): Launch;
}

/** A program that has a model of its own: its requests if a person has set nothing but the address. */
export interface ProgramWithDefault extends Program {
  asInstalled(place: Place): Launch;
}

/** The program as a person installs it: with its own model, and without a stated window. */
export function withDefaultModel({ asInstalled, ...program }: ProgramWithDefault): Program {
  return { ...program, launch: asInstalled };
}

/** The windows that a program takes: any; or one of its own, which is played with counts that are multiplied. */
export type StatableWindows =
  | { readonly kind: "any"; readonly tellsOutput: boolean }
  | { readonly kind: "fixed"; readonly limits: StatedLimits };

/** The limits of a program's model; `null` if its output is not stated. */
export interface StatedLimits {
  readonly windowTokens: number;
  readonly outputTokens: number | null;
}

/** Where a program is run, and for which messages of the person. */
export interface Place {
  /** The simulator, without a path. */
  readonly url: string;
  readonly home: string;
  readonly work: string;
  readonly prompts: readonly string[];
}

/** The same for a model that the program's settings name. */
export interface Setup extends StatedLimits, Place {
  readonly modelId: string;
}

/** Files that are written before the start, and the command. */
export interface Launch {
  /** Text by path. */
  readonly files: { readonly [path: string]: string };
  readonly env: { readonly [name: string]: string };
  /** Commands, one after the other, that are one session, and a script of ours that Node runs before the last; or one that is talked to in the Agent Client Protocol. */
  readonly start:
    | { readonly commands: readonly (readonly string[])[]; readonly beforeLast?: readonly string[] }
    | { readonly talk: readonly string[] };
}

/** A shell command that prints so many characters of lines that no other call prints. The places are the scenario's. */
export const PRINT_COMMAND = "yes 'line of call {n}' | head -c {chars}";

/** The file that the n-th call reads, if it reads one. */
export const NOTES_FILE = "notes-{n}.txt";
