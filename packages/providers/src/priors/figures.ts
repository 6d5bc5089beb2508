/** The name of a group of models whose sessions were measured separately. */
export type FigureName = "claude" | "claude-from-4.7" | "gpt" | "gemini" | "llama";

/** The name of a group of tokenizers whose weights were fitted separately. */
type WeightsName = "claude" | "other";

/** Figures measured on recorded sessions, by family of models. */
export interface MeasuredFigures {
  readonly asOf: string;
  /** Tokens a character of each class; `pooledRatio` turns the pooled weights' sum into theirs. */
  readonly weights: { readonly [name in WeightsName]: { readonly values: readonly number[]; readonly pooledRatio: number } };
  /** Slope over the weights' sum and tokens a message: medians over sessions, by the number of their observations. */
  readonly lines: {
    readonly [name in FigureName]: {
      readonly weights: WeightsName;
      readonly slopeRatio: number;
      readonly messageTokens: number;
      readonly sessions: number;
    };
  };
}
