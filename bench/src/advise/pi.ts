import { PLIMSOLL_POLICY, piPolicy } from "@plimsoll/core";
import { type AgentKnobs, namedLikeness, numberOf, roundTokens, SOONER_RATIOS, withHalfWay } from "./agent-knobs.ts";

const RESERVE = "compaction.reserveTokens";
const KEEP = "compaction.keepRecentTokens";
const ENABLED = "compaction.enabled";
const SOURCE = "@earendil-works/pi-coding-agent dist/core/settings-manager.js, docs/settings.md";

/** Its own reserve. */
const RESERVE_TOKENS = 16_384;
/** Tokens kept that are tried next to its own 20,000; chosen. */
const KEPT_TOKENS = 40_000;

/** pi acts when fewer tokens than the reserve are free, and keeps the newest. */
export const PI_KNOBS: AgentKnobs = {
  agent: "pi",
  title: "pi",
  version: "1.5.2",
  from: null,
  readOn: "2026-11-22",
  standing: "primary",
  place: { form: "json", base: ".pi/agent", variable: "PI_CODING_AGENT_DIR", names: ["settings.json"] },
  knobs: [RESERVE, KEEP, ENABLED].map((path) => ({ path, takes: path === ENABLED ? "boolean" : "integer", source: SOURCE })),
  nothingToTurn: "none changes where it compacts in this window",
  besideProxy: () => "the extension compacts without a model (docs/use-in/pi.md)",
  plugin: () => PLIMSOLL_POLICY,
  behindProxy: { upstream: "URL", off: "set compaction.enabled to false" },
  replay: {
    unlike: (values) => (values.get(ENABLED) === false ? `${ENABLED} is false: it does not compact by itself` : null),
    likeness: (values) => {
      const reserveTokens = numberOf(values, RESERVE);
      const keepTokens = numberOf(values, KEEP);
      const policy = piPolicy({
        ...(reserveTokens === null ? {} : { reserve_tokens: reserveTokens }),
        ...(keepTokens === null ? {} : { keep_recent_tokens: keepTokens }),
      });
      return namedLikeness(policy, values);
    },
    grid: (windowTokens) => {
      const ratios = withHalfWay(SOONER_RATIOS, 1 - RESERVE_TOKENS / windowTokens);
      const reserves = ratios.map((ratio) => roundTokens((1 - ratio) * windowTokens));
      return [
        new Map([[KEEP, KEPT_TOKENS]]),
        ...reserves.map((reserve) => new Map([[RESERVE, reserve]])),
        ...reserves.map((reserve) => new Map([...([[RESERVE, reserve]] as const), [KEEP, KEPT_TOKENS]])),
      ];
    },
  },
};
