import type { Program } from "@plimsoll/bench";
import { pruneProgram } from "./ai-sdk/prune-program.ts";
import { geminiProgram } from "./gemini/gemini-program.ts";
import { canRun, installedEntry } from "./install.ts";
import { contextEditingProgram } from "./langchain/context-editing-program.ts";
import { deepAgentsProgram } from "./langchain/deep-agents-program.ts";
import { summarizationProgram } from "./langchain/summarization-program.ts";
import { AI_SDK, DEEP_AGENTS, GEMINI_CLI_CORE, LANGCHAIN, PI, PI_OLD, type PublishedCode } from "./packages.ts";
import { piProgram } from "./pi/pi-program.ts";

/** A program that can be run in a replay, if its package is there. */
export interface ReferenceProgram extends Omit<PublishedCode, "address"> {
  /** Reads its code and starts nothing. */
  readonly at: (code: PublishedCode) => Program;
}

/** All programs, in the order in which tables show them. */
export const REFERENCE_PROGRAMS: readonly ReferenceProgram[] = [
  { name: "pi 1.5.2 (program)", likeness: "pi", package: PI, at: piProgram },
  { name: "pi 0.73.1 (program)", likeness: "pi-0.73", package: PI_OLD, at: piProgram },
  { name: "gemini-cli 0.61 (program)", likeness: "gemini-cli", package: GEMINI_CLI_CORE, at: geminiProgram },
  { name: "deepagents 1.14 (program)", likeness: "deep-agents", package: DEEP_AGENTS, at: deepAgentsProgram },
  { name: "langchain 1.5 (program)", likeness: "langchain", package: LANGCHAIN, at: summarizationProgram },
  {
    name: "langchain-context-editing 1.5 (program)",
    likeness: "langchain-context-editing",
    package: LANGCHAIN,
    at: contextEditingProgram,
  },
  { name: "ai-sdk-prune 7.0 (program)", likeness: "ai-sdk-prune", package: AI_SDK, at: pruneProgram },
];

/** The program, if it is installed and runs on this Node; `null` if not. */
export function programOf(reference: ReferenceProgram): Program | null {
  const address = canRun(reference.package) ? installedEntry(reference.package) : null;
  return address === null ? null : reference.at({ ...reference, address });
}

/** Those that are installed and run on this Node. */
export function installedPrograms(): readonly Program[] {
  return REFERENCE_PROGRAMS.flatMap((reference) => programOf(reference) ?? []);
}
