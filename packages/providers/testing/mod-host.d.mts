/** The compactions, as the host tells of them; the host itself is plain JavaScript. */
export interface Compaction {
  readonly trigger: "manual" | "auto" | "plugin" | "precompute";
  readonly agentId?: string;
  readonly by: "mod" | "own" | "mod-over-own" | "kept-precompute" | "skip" | "failed";
  readonly installed: boolean;
  readonly messagesBefore: number;
  readonly messagesAfter?: number;
  readonly tokensBefore: number;
  readonly tokensAfter?: number;
  readonly handled?: number;
  readonly built?: number;
  readonly problems: readonly string[];
}

/** A message of a transcript. */
export interface HostMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly handle?: string;
  readonly toolUses: readonly { readonly tool: string; readonly tool_use_id: string }[];
}

/** Something that happens in a session. */
export interface Step {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The record of a play. */
export interface Report {
  readonly loaded: boolean;
  readonly isolated: boolean;
  readonly unloaded?: string;
  readonly compactions: readonly Compaction[];
  readonly refused: readonly { readonly event: string; readonly reason: string }[];
  readonly overBudget: readonly { readonly event: string; readonly ownMs: number }[];
  readonly notices: readonly string[];
  readonly problems: readonly unknown[];
}

/** A mod, and the session that it is loaded in. */
export interface HostOptions {
  readonly mod:
    | { readonly dir: string }
    | { readonly text: string }
    | { readonly exports: { readonly register: (on: never) => void } };
  /** Of the plugin, in the names of its tools. */
  readonly name?: string;
  readonly contextWindow?: number;
  readonly hiddenTokens?: number;
  readonly precomputeAt?: number | null;
  readonly cpu?: "real" | "none";
  /** Time of a wall clock that one run of a mod may block the thread. */
  readonly syncGuardMs?: number;
  readonly store?: Map<string, string>;
  readonly ops?: { readonly [name: string]: (given: { readonly [key: string]: unknown }) => unknown };
}

/** Loads a mod, and plays sessions with it. */
export class ModHost {
  constructor(options: HostOptions);
  readonly ui: readonly { readonly op: string; readonly args: { readonly text?: string } }[];
  play(steps: readonly Step[]): Promise<Report>;
  compact(
    trigger: Compaction["trigger"],
    options?: { readonly agentId?: string; readonly instructions?: string },
  ): Promise<unknown>;
  runCommand(command: string, args?: string): Promise<{ readonly text?: string } | undefined>;
  transcript(agentId?: string): readonly HostMessage[];
  report(): Report;
  storeBytes(): number;
}

/** A made session of so many steps. */
export function makeSteps(options: {
  readonly count?: number;
  readonly seed?: number;
  readonly maxResult?: number;
  readonly agents?: boolean;
  readonly manual?: boolean;
}): Step[];
