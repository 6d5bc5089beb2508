import { expect, test } from "vitest";
import { PLAIN_EXCHANGE } from "../testing/plain-exchange.ts";
import type { Lab } from "./experiments/setting.ts";
import { pricedLine, pricedProgram } from "./priced.ts";
import { PROGRAMS } from "./programs/programs.ts";

test.each(PROGRAMS)("$name prints real text", (program) => {
  const tools = JSON.stringify(pricedProgram(program, "gpt-5.5").tools("/work"));
  expect([tools.includes("all.txt | tail -c {chars}"), tools.includes("yes ")]).toEqual([true, false]);
});

test("a token that the cache has costs a tenth", async () => {
  const [program = expect.fail()] = PROGRAMS.map((each) => pricedProgram(each, "gpt-5.5"));
  const play: Lab["play"] = async (name) => ({
    exchanges: [10_000, 20_000, name === "alone" ? 40_000 : 20_000].map((promptTokens) => ({
      ...PLAIN_EXCHANGE,
      promptTokens,
      cacheReadTokens: 10_000,
    })),
    exitCode: 0,
    told: "answer",
    endedBy: "itself",
    refusals: [],
    lostOutputs: [],
  });
  expect(await pricedLine({ program, play }, 48_000)).toMatch(
    /alone 43k \(1\.00\), .*proxy 23k \(0\.53\); the least, with 10000 tokens/,
  );
});
