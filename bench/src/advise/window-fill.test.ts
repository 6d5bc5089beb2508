import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { windowFills } from "./window-fill.ts";

const WITHOUT_CALLS = { kinds: [], samples: [] };

test("requests are taken apart by kind, results of a server's tools together, each with its share of the dollars, replies with those of writing them", () => {
  const { rows, sessions } = exampleReport({ sessions: ["a"], calls: 4 });
  const composition = {
    kinds: ["overhead", "results of mcp__linear__get_issue", "results of mcp__linear__list", "assistant"],
    samples: [
      { call: 0, tokens: [100, 0, 0, 20] },
      { call: 2, tokens: [140, 30, 10, 20] },
    ],
  };
  const own = sessions.map((session) => ({ ...session, calls: 4, recordedUsd: 2.8 }));
  const recorded = rows.filter(({ policy }) => policy === "none").slice(0, 1);
  const fills = windowFills(
    {
      rows: recorded.flatMap((row) =>
        [composition, WITHOUT_CALLS].map((of) => ({ ...row, policy: "recorded", composition: of })),
      ),
      sessions: own,
    },
    new Map(sessions.map(({ session }) => [session, 1.4])),
  );
  expect(fills.map(({ kind, tokens, usd }) => [kind, tokens, Number(usd?.toFixed(9))])).toEqual([
    ["overhead", 100, 0.875],
    ["MCP server linear", 20, 0.175],
    ["assistant", 20, 1.575],
    ["unlogged", 20, 0.175],
  ]);
  expect(fills.reduce((sum, { percent }) => sum + percent, 0)).toBeCloseTo(100);
});
