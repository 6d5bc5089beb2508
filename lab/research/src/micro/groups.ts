import type { ComparisonGroup } from "./comparison.ts";
import { engineComparisons } from "./engine-comparisons.ts";
import { estimatorComparisons } from "./estimator-comparisons.ts";
import { importerComparisons } from "./importer-comparisons.ts";
import { libraryComparisons } from "./library-comparisons.ts";
import { limitComparisons } from "./limit-comparisons.ts";
import { replayComparisons } from "./replay-comparisons.ts";

/** All groups, in the order of the table. */
export const GROUPS: readonly ComparisonGroup[] = [
  { name: "estimators", make: estimatorComparisons },
  { name: "engine", make: engineComparisons },
  { name: "importers", make: importerComparisons },
  { name: "replay", make: replayComparisons },
  { name: "limit", make: limitComparisons },
  { name: "libraries", make: libraryComparisons },
];
