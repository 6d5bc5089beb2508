import type { BenchExtension } from "@plimsoll/bench";
import { PLAIN } from "./parts/estimator.ts";
import { MINUTES } from "./parts/importer.ts";
import { OPENING } from "./parts/keep-rule.ts";
import { SPOKEN } from "./parts/metric.ts";
import { HASTY } from "./parts/peer.ts";
import { ONE_SENTENCE } from "./parts/prompt.ts";
import { FORGET } from "./parts/strategy.ts";
import { POEM } from "./parts/truncation.ts";

const extension: BenchExtension = {
  importers: [MINUTES],
  metrics: [SPOKEN],
  peers: [HASTY],
  strategies: [FORGET],
  keepRules: [OPENING],
  estimators: [PLAIN],
  prompts: [ONE_SENTENCE],
  truncations: [POEM],
};

/** One of each, for `plimsoll bench --with` and the threads of a pool. */
export default extension;
