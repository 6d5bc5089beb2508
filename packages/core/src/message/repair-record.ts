import type { WireViolationCode } from "./check.ts";

/** What was done: a result moved to its call, a message or part taken out, a result made up, an id made usable, half characters replaced. */
export type RepairAction = "replace-characters" | "move" | "remove-message" | "remove-part" | "add-result" | "rename";

/** One repair: what was wrong, at which message of the list as it was given, with which call or message id, and what was done. */
export interface Repair {
  readonly code: WireViolationCode;
  readonly index: number;
  readonly subject: string;
  readonly action: RepairAction;
}
