import type { BenchExtension } from "@plimsoll/bench";
import { MINUTES } from "./parts/importer.ts";
import { SPOKEN } from "./parts/metric.ts";
import { HASTY } from "./parts/peer.ts";

const extension: BenchExtension = { importers: [MINUTES], metrics: [SPOKEN], peers: [HASTY] };

/** One of each: what `plimsoll bench --with` and the threads of a pool are given. */
export default extension;
