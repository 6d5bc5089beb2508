import { GEMINI_CLI_PEER } from "../peers/gemini-cli.ts";
import { type AgentKnobs, namedLikeness, numberOf, withHalfWay } from "./agent-knobs.ts";

const THRESHOLD = "model.compressionThreshold";
/** Its own, and the share of the history that it keeps (`chatCompressionService.ts`). */
const DEFAULT_RATIO = 0.5;
const PRESERVED_RATIO = 0.3;
/** Shares of the window that are tried; its setting is said to be one of 0.2, 0.3 and the like. */
const TRIED_RATIOS = [...withHalfWay([0.2, 0.3, 0.4], DEFAULT_RATIO), 0.65, 0.8];

/** gemini-cli acts at a share of the window, and keeps three tenths of the history. */
export const GEMINI_CLI_KNOBS: AgentKnobs = {
  agent: "gemini",
  title: "Gemini CLI",
  version: "0.61.0",
  from: null,
  readOn: "2026-11-22",
  standing: "primary",
  place: { form: "json", base: ".gemini", variable: null, names: ["settings.json"] },
  knobs: [
    {
      path: THRESHOLD,
      takes: "number",
      source: "@google/gemini-cli, settings schema and chatCompressionService in its bundle",
    },
  ],
  nothingToTurn: "none changes where it compacts in this window",
  command: "/compress",
  behindProxy: { upstream: "https://generativelanguage.googleapis.com", off: "set model.compressionThreshold to 1" },
  replay: {
    unlike: () => null,
    likeness: (values) => {
      const ratio = numberOf(values, THRESHOLD) ?? DEFAULT_RATIO;
      const keep = [{ kind: "recent", amount: { ratio: ratio * PRESERVED_RATIO, of: "window" } }];
      const { policy } = GEMINI_CLI_PEER;
      const overflow = { ...policy.overflow, keep };
      return namedLikeness({ ...policy, trigger: { atLeast: { ratio, of: "window" } }, keep, overflow }, values);
    },
    grid: () => TRIED_RATIOS.map((ratio) => new Map([[THRESHOLD, ratio]])),
  },
};
