import type { Policy } from "@plimsoll/core";
import type { LocatedAgent } from "../formats/locations.ts";

/** A value that a knob can have in a settings file. */
export type KnobValue = number | boolean | string;

/** Values of knobs by their paths, keys joined by dots. A knob that is not among them has its default. */
export type KnobValues = ReadonlyMap<string, KnobValue>;

/** The place of an agent's settings file. */
export interface SettingsPlace {
  readonly form: "json" | "toml";
  readonly base: string;
  /** A variable of the environment that names another folder in the base's place; `null` if there is none. */
  readonly variable: string | null;
  /** Below the base; the first that exists is the file, and the first of all is made if none does. */
  readonly names: readonly string[];
}

/** How an agent's settings are replayed. */
export interface KnobReplay {
  /** Why no replay is like an agent with these values, as a sentence; `null` if one is. */
  readonly unlike: (values: KnobValues) => string | null;
  readonly likeness: (values: KnobValues) => Policy;
  /** Why values are known to do harm, as a phrase; `null` if they are not. */
  readonly harm?: (values: KnobValues) => string | null;
  /** Lists the values to try in a window, without those that are set now. None if the agent has nothing to turn there. */
  readonly grid: (windowTokens: number) => readonly KnobValues[];
}

/** A setting by its path, and the only type of value that the agent takes there. */
interface Knob {
  readonly path: string;
  readonly takes: "integer" | "number" | "boolean" | "string";
  readonly variable?: string;
  readonly source: string;
}

/** An agent's own settings for compaction, as data: everything that advice needs to know about it. */
export interface AgentKnobs {
  readonly agent: LocatedAgent;
  readonly title: string;
  /** The version whose names were looked up, and the first that has them (`from`); `null` if every version has them. */
  readonly version: string;
  readonly from: string | null;
  readonly readOn: string;
  /** Primary: its source or the published program. Secondary: documentation and issues, as the source is not public. */
  readonly standing: "primary" | "secondary";
  readonly place: SettingsPlace;
  readonly knobs: readonly Knob[];
  readonly nothingToTurn: string;
  /** The command that compacts by hand; `/compact` if it is left out. */
  readonly command?: string;
  /** Ways to compact that need no API key, as a phrase for the version of the newest log; left out if there is none. */
  readonly besideProxy?: (program: string, version: string | null) => string;
  /** The policy of our plugin among them, which compacts without a model; left out if none does. */
  readonly plugin?: (values: KnobValues) => Policy;
  /** The vendor that the proxy asks for this agent, and the change to its settings that keeps its own compaction from being first, whether the proxy knows its windows, which differ by model, and where its settings say which server it asks. */
  readonly behindProxy: {
    readonly upstream: string;
    readonly off: string;
    readonly knowsWindows?: true;
    readonly addressIn?: (content: Readonly<Record<string, unknown>>) => unknown;
  };
  readonly replay: KnobReplay;
}

/** The number of a knob; `null` if it is not set. */
export function numberOf(values: KnobValues, path: string): number | null {
  const value = values.get(path);
  return typeof value === "number" ? value : null;
}

/** A likeness under a name with its values, which distinguishes the rows of a report. */
export function namedLikeness(policy: Policy, values: KnobValues): Policy {
  const text = [...values].map(([path, value]) => `${path}=${value}`).join(" ");
  return { ...policy, name: `${policy.name}: ${text || "as it is"}` };
}

/** Values at which an agent could act sooner than by default, the highest last, with the one half-way from that to the default: all agents' knobs are tried so. */
export function withHalfWay(sooner: readonly number[], byDefault: number): readonly number[] {
  return sooner.flatMap((value, place) => (place < sooner.length - 1 ? [value] : [value, (value + byDefault) / 2]));
}

/** Lines at which an agent could act sooner, as shares of the window. Chosen. */
export const SOONER_RATIOS: readonly number[] = [0.45, 0.6, 0.75];

const ROUND_TOKENS = 1_000;

/** Amounts are given in thousands, since a person does not type 122,880. */
export function roundTokens(tokens: number): number {
  return Math.round(tokens / ROUND_TOKENS) * ROUND_TOKENS;
}
