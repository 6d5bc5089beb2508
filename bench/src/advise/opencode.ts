import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { OPENCODE_PEER, OPENCODE_PRUNE_PEER } from "../peers/opencode.ts";
import type { AgentKnobs, KnobReplay, KnobValues } from "./agent-knobs.ts";
import { namedLikeness, numberOf, roundTokens, SOONER_RATIOS, withHalfWay } from "./agent-knobs.ts";

const AUTO = "compaction.auto";
const PRUNE = "compaction.prune";
/** Tokens kept that are tried next to its own quarter of the window, 15,000 at most; chosen. */
const KEPT_TOKENS = 30_000;

/** The names of the same two numbers in version 1 and version 2. */
interface Names {
  readonly reserved: string;
  readonly keep: string;
}

/** It acts at the input budget less the reserve; it keeps a number of tokens. */
function replayOf({ reserved, keep }: Names): KnobReplay {
  return {
    unlike: (values) => (values.get(AUTO) === false ? `${AUTO} is false: it does not compact by itself` : null),
    likeness: (values) => {
      const reservedTokens = numberOf(values, reserved);
      const keepTokens = numberOf(values, keep);
      const { policy } = values.get(PRUNE) === true ? OPENCODE_PRUNE_PEER : OPENCODE_PEER;
      const kept = keepTokens === null ? policy.keep : [{ kind: "recent", amount: { tokens: keepTokens } }];
      const likeness = {
        ...policy,
        keep: kept,
        overflow: { ...policy.overflow, keep: kept },
        ...(reservedTokens !== null && {
          trigger: { atLeast: { minus: [{ ratio: 1, of: "input-budget" as const }, { tokens: reservedTokens }] } },
        }),
      };
      return namedLikeness(likeness, values);
    },
    grid: (windowTokens) => {
      const reserves = withHalfWay(SOONER_RATIOS, 1).map((ratio) => roundTokens((1 - ratio) * windowTokens));
      const points: readonly KnobValues[] = [
        new Map([[PRUNE, true]]),
        new Map([[keep, KEPT_TOKENS]]),
        ...reserves.map((tokens) => new Map([[reserved, tokens]])),
      ];
      return points;
    },
  };
}

const V1: Names = { reserved: "compaction.reserved", keep: "compaction.preserve_recent_tokens" };
const V2: Names = { reserved: "compaction.buffer", keep: "compaction.keep.tokens" };
const V1_SOURCE = "the published program opencode-ai 1.18.33: the schema of its configuration";
const V2_SOURCE = "the published program opencode-ai 1.18.33, which turns the names of one version into those of the other";

function knobsOf({ reserved, keep }: Names, source: string): AgentKnobs["knobs"] {
  const switches = [AUTO, PRUNE].map((path) => ({ path, takes: "boolean", source }) as const);
  return [...switches, ...[reserved, keep].map((path) => ({ path, takes: "integer", source }) as const)];
}

/** OpenCode with the names of version 1. */
export const OPENCODE_KNOBS: AgentKnobs = {
  agent: "opencode",
  title: "OpenCode",
  version: "1.18.33",
  from: null,
  readOn: "2026-11-22",
  standing: "primary",
  place: {
    form: "json",
    base: ".config",
    variable: "XDG_CONFIG_HOME",
    names: ["opencode/opencode.json", "opencode/opencode.jsonc"],
  },
  knobs: knobsOf(V1, V1_SOURCE),
  nothingToTurn: "none changes where it compacts in this window",
  besideProxy: () => "the plugin compacts without a model (docs/use-in/opencode.md)",
  plugin: () => PLIMSOLL_POLICY,
  behindProxy: { upstream: "URL", off: "set compaction.auto to false" },
  replay: replayOf(V1),
};

/** OpenCode with the names of version 2. */
export const OPENCODE_2_KNOBS: AgentKnobs = {
  ...OPENCODE_KNOBS,
  version: "2.0.18",
  from: "2.0.0",
  knobs: knobsOf(V2, V2_SOURCE),
  replay: replayOf(V2),
};
