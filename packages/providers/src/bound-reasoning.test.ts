import type { Policy } from "@plimsoll/core";
import { PRESETS } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import type { MatrixColumn } from "../testing/matrix-runs.ts";
import { BINDING_COLUMNS } from "../testing/matrix-runs.ts";
import { matrixScript } from "../testing/matrix-script.ts";
import { startSimulator } from "./simulator/simulator.ts";

const STEPS = Number(process.env.MATRIX_STEPS ?? 32);
const acting = PRESETS.filter(({ enabled }) => enabled);

/** Plays a column on a server that refuses thinking over a changed prefix; `drop_block` counts instead. */
async function play({ play: run, tokenFactorRatio }: MatrixColumn, policy: Policy, prefixMismatch: "error" | "drop_block") {
  const simulator = await startSimulator({
    replies: matrixScript("bound"),
    contextWindowTokens: 32_768,
    tokenFactorRatio,
    nowMs: () => 0,
    rules: { prefixMismatch },
  });
  const diedOf = await run({ simulator, policy, steps: STEPS, windowTokens: 32_768 }).then(
    () => null,
    (error: unknown) => String(error),
  );
  await simulator.close();
  const exchanges = simulator.exchanges();
  const refused = exchanges.flatMap(({ outcome, error }) => (outcome === "rejected" ? [error] : []));
  return { diedOf, refused, drops: exchanges.flatMap(({ drops }) => drops).length };
}

describe.each(BINDING_COLUMNS.map((column) => [column.sdk, column] as const))(
  "a model that binds its thinking, %s",
  (_, column) => {
    test.each(acting.map((policy) => [policy.name, policy] as const))(
      "no request is refused, nothing is dropped: %s",
      async (_name, policy) => {
        expect(await play(column, policy, "error")).toEqual({ diedOf: null, refused: [], drops: 0 });
        expect(await play(column, policy, "drop_block")).toEqual({ diedOf: null, refused: [], drops: 0 });
      },
    );
  },
);
