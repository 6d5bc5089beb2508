import type { Policy } from "@plimsoll/core";
import type { Simulator } from "@plimsoll/simulator";
import type { WireName } from "@plimsoll/simulator/extend";

/** The plan of one run. */
export interface MatrixGame {
  readonly simulator: Simulator;
  readonly policy: Policy;
  /** Replies that the run asks for, at the least. */
  readonly steps: number;
  /** Counts the replies so far; the vendor's own summaries are none. */
  readonly replied: () => number;
  readonly windowTokens: number;
}

/** Whether the model thinks; `bound` to its prefix, as the newest do. */
export type Thinking = "on" | "off" | "bound";

/** One way to reach a model. `play` rejects if the run dies. */
export interface MatrixColumn {
  readonly sdk: string;
  readonly wire: Exclude<WireName, "gemini">;
  /** `bound` is thinking that the model takes back only with an unchanged prefix. */
  readonly thinking: Thinking;
  /** How the Chat Completions server takes roles. */
  readonly roles: "any" | "alternate";
  /** How many more tokens the model's tokenizer finds than the presets expect. */
  readonly tokenFactorRatio: number;
  readonly play: (game: MatrixGame) => Promise<void>;
}
