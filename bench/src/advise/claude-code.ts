import { PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { agentVersionAtLeast } from "../formats/agent-windows.ts";
import { CLAUDE_CODE_PEER } from "../peers/claude-code.ts";
import { type AgentKnobs, type KnobValues, namedLikeness, numberOf, roundTokens, withHalfWay } from "./agent-knobs.ts";
import { valueAt } from "./setting-text.ts";

const WINDOW = "autoCompactWindow";
const ENABLED = "autoCompactEnabled";
const PERCENT = "env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE";

/** The first version that loads our plugin, a mod; its changelog. */
export const FIRST_MOD_VERSION = "2.1.287";

const LEAST_TOKENS = 200_000;

/**
 * Windows that are tried, in tokens. It takes 100,000 to 1,000,000 (anthropics/claude-code#42149), but below 200,000 it is said to switch compaction
 * off (BaseInfinity/claude-sdlc-harness#520, of 2.1.221): those are never proposed.
 */
const TRIED_TOKENS = [LEAST_TOKENS, 300_000, 400_000, 600_000] as const;

/** Tokens that it leaves of the window for the summary and in addition, as in {@link CLAUDE_CODE_PEER}. */
const RESERVES = [
  { min: [{ tokens: 20_000 }, { ratio: 0.1, of: "window" }] },
  { min: [{ tokens: 13_000 }, { ratio: 0.065, of: "window" }] },
] as const;

function triggerOf(values: KnobValues): Policy["trigger"] {
  const told = numberOf(values, WINDOW);
  const whole = { ratio: 1, of: "window" } as const;
  const window = told === null ? whole : { min: [{ tokens: told }, whole] };
  return { atLeast: { minus: [window, ...RESERVES] } };
}

/** Claude Code acts 33,000 tokens below its window, or below the window in its settings. */
export const CLAUDE_CODE_KNOBS: AgentKnobs = {
  agent: "claude-code",
  title: "Claude Code",
  version: "2.1.221",
  from: null,
  readOn: "2026-11-22",
  standing: "secondary",
  place: { form: "json", base: ".claude", variable: "CLAUDE_CONFIG_DIR", names: ["settings.json"] },
  knobs: [
    {
      path: WINDOW,
      takes: "integer",
      variable: "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
      source: "github.com/anthropics/claude-code/issues/42149, 64773; BaseInfinity/claude-sdlc-harness#520",
    },
    {
      path: PERCENT,
      takes: "string",
      variable: "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
      source: "github.com/anthropics/claude-code/issues/31806, 63186, 64773, 82761",
    },
    {
      path: ENABLED,
      takes: "boolean",
      source: "github.com/anthropics/claude-code/issues/82761",
    },
  ],
  nothingToTurn:
    "in this window Claude Code has no safe setting to change. autoCompactWindow has an effect only above 200k, and values below 200k are reported to switch compaction off (BaseInfinity/claude-sdlc-harness#520)",
  besideProxy: (program, version) => {
    const isOlder = version !== null && !agentVersionAtLeast(version, FIRST_MOD_VERSION);
    const update = `; yours was ${version}: update first, or use the hooks (docs/use-in/claude-code.md)`;
    return `the plugin compacts without a model, from ${FIRST_MOD_VERSION} on${isOlder ? update : ""}: claude --plugin-dir "$(${program} hook plugin)" (tested against its documentation, not in Claude Code itself)`;
  },
  plugin: (values) => ({ ...PLIMSOLL_POLICY, name: "plugin", trigger: triggerOf(values), afterPause: null }),
  behindProxy: {
    upstream: "https://api.anthropic.com",
    off: "set autoCompactEnabled to false",
    addressIn: (content) => valueAt(content, "env.ANTHROPIC_BASE_URL"),
  },
  replay: {
    unlike: (values) => {
      if (values.get(ENABLED) === false) return `${ENABLED} is false: it does not compact by itself`;
      return values.has(PERCENT) ? `CLAUDE_AUTOCOMPACT_PCT_OVERRIDE is set; versions treat it differently` : null;
    },
    likeness: (values) => namedLikeness({ ...CLAUDE_CODE_PEER.policy, trigger: triggerOf(values) }, values),
    harm: (values) =>
      (numberOf(values, WINDOW) ?? LEAST_TOKENS) < LEAST_TOKENS
        ? "values below 200k are reported to switch compaction off (BaseInfinity/claude-sdlc-harness#520)"
        : null,
    grid: (windowTokens) => {
      const sooner = TRIED_TOKENS.filter((tokens) => tokens < windowTokens);
      return withHalfWay(sooner, windowTokens).map((tokens) => new Map([[WINDOW, roundTokens(tokens)]]));
    },
  },
};
