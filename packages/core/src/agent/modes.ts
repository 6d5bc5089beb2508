import { PlimsollError } from "../error.ts";
import type { AgentOptions } from "./agent-options.ts";
import { DEFAULT_MODE } from "./agent-options.ts";

/** The mode of an agent, and what it allows. */
export interface Modes {
  current(): string;
  /** @throws PlimsollError `bad-input` for a mode that was not declared. */
  set(to: string): void;
  /** Why a tool may not be used now, as a sentence for the model; `null` where it may. */
  whyNot(toolName: string): string | null;
}

/** The modes that the options declare, in the one that they name. */
export function createModes({ modes = {}, mode = DEFAULT_MODE }: Pick<AgentOptions, "modes" | "mode">): Modes {
  let now = mode;
  return {
    current: () => now,
    set: (to) => {
      const known = [...new Set([DEFAULT_MODE, ...Object.keys(modes)])];
      if (!known.includes(to)) throw new PlimsollError("bad-input", `there is no mode "${to}"; there are: ${known.join(", ")}`);
      now = to;
    },
    whyNot: (toolName) => {
      const allowed = modes[now];
      if (allowed === undefined || allowed.includes(toolName)) return null;
      return `The tool "${toolName}" may not be used in mode "${now}". It allows: ${allowed.join(", ")}.`;
    },
  };
}
