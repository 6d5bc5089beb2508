import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importFile } from "../formats/registry.ts";
import { byEstimator } from "./predict-calls.ts";

const FORMS = fileURLToPath(new URL("../../testing/forms/", import.meta.url));

test.each([
  ["a search is within the bound, the next one expected by what the first cost", "10-cc-toolsearch.jsonl", 600],
  ["a search of the server is in the reply itself", "10-cc-server-search.jsonl", 600],
  ["definitions that stand in the log are counted once", "10-cc-record.jsonl", 100],
  ["a search that finds nothing costs nothing more", "10-cc-no-match.jsonl", 100],
  ["definitions in the result itself", "10-codex-tool-search.jsonl", 100],
])("%s", async (_, name, mostOff) => {
  const [transcript] = await importFile(`${FORMS}${name}`, name);
  const [, ...later] = transcript === undefined ? [] : byEstimator({ kind: "ledger" })(transcript);
  const last = later.at(-1);
  expect(later.map(({ reportedTokens, prediction }) => reportedTokens <= prediction.upperTokens)).not.toContain(false);
  expect(Math.abs((last?.prediction.expectedTokens ?? 0) - (last?.reportedTokens ?? 0))).toBeLessThan(mostOff);
});
