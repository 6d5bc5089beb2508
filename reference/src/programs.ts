import type { Program } from "@plimsoll/bench";
import { canRun, installedEntry } from "./install.ts";
import { PI, PI_OLD, type ProgramPackage } from "./packages.ts";
import { piProgram } from "./pi/pi-program.ts";

/** A program that can be run in a replay, if its package is there. */
export interface ReferenceProgram {
  readonly name: string;
  readonly package: ProgramPackage;
  readonly at: (address: string) => Program;
}

/** All programs, in the order in which tables show them. */
export const REFERENCE_PROGRAMS: readonly ReferenceProgram[] = [
  {
    name: "pi 1.5.2 (program)",
    package: PI,
    at: (address) => piProgram({ name: "pi 1.5.2 (program)", likeness: "pi", package: PI, address }),
  },
  {
    name: "pi 0.73.1 (program)",
    package: PI_OLD,
    at: (address) => piProgram({ name: "pi 0.73.1 (program)", likeness: "pi-0.73", package: PI_OLD, address }),
  },
];

/** Those that are installed and run on this Node. */
export function installedPrograms(): readonly Program[] {
  return REFERENCE_PROGRAMS.flatMap((program) => {
    const address = canRun(program.package) ? installedEntry(program.package) : null;
    return address === null ? [] : [program.at(address)];
  });
}
