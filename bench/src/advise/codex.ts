import { CODEX_PEER } from "../peers/codex.ts";
import { type AgentKnobs, namedLikeness, numberOf, roundTokens, SOONER_RATIOS, withHalfWay } from "./agent-knobs.ts";
import { valueAt } from "./setting-text.ts";

const LIMIT = "model_auto_compact_token_limit";
const SCOPE = "model_auto_compact_token_limit_scope";
const WINDOW_RATIO = { ratio: 0.9, of: "window" } as const;

/** Codex acts at nine tenths of the window (openai/codex, codex-rs/protocol/src/openai_models.rs); people report that its limit can only lower that. */
export const CODEX_KNOBS: AgentKnobs = {
  agent: "codex",
  title: "Codex",
  version: "0.169.0",
  from: null,
  readOn: "2026-11-22",
  standing: "primary",
  place: { form: "toml", base: ".codex", variable: "CODEX_HOME", names: ["config.toml"] },
  knobs: [
    {
      path: LIMIT,
      takes: "integer",
      source: "the published program @openai/codex 0.169.0: the names of its configuration",
    },
    {
      path: SCOPE,
      takes: "string",
      source:
        "the published program @openai/codex 0.169.0: the names of its configuration; the meaning of its values is from documentation",
    },
  ],
  nothingToTurn: "none changes where it compacts in this window",
  besideProxy: () => "the hook restores text that a summary dropped (docs/use-in/codex.md)",
  behindProxy: {
    upstream: "https://api.openai.com/v1",
    off: "remove model_auto_compact_token_limit",
    knowsWindows: true,
    addressIn: ({ model_provider: name, ...content }) =>
      typeof name === "string" ? valueAt(content, `model_providers.${name}.base_url`) : undefined,
  },
  replay: {
    unlike: (values) =>
      (values.get(SCOPE) ?? "total") === "total" ? null : `${SCOPE} is not total, and replays count everything`,
    likeness: (values) => {
      const limitTokens = numberOf(values, LIMIT);
      const line = limitTokens === null ? WINDOW_RATIO : { min: [{ tokens: limitTokens }, WINDOW_RATIO] };
      return namedLikeness({ ...CODEX_PEER.policy, trigger: { atLeast: line } }, values);
    },
    grid: (windowTokens) =>
      withHalfWay(SOONER_RATIOS, WINDOW_RATIO.ratio).map((ratio) => new Map([[LIMIT, roundTokens(ratio * windowTokens)]])),
  },
};
