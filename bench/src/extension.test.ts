import { describe, expect, test } from "vitest";
import { type BenchExtension, BUILT_IN_PARTS, parseExtension, partsWith } from "./extension.ts";
import { FIRST_MISSES } from "./metrics/first-misses.ts";

const [IMPORTER] = BUILT_IN_PARTS.importers;
const [PEER] = BUILT_IN_PARTS.peers;
const importers = IMPORTER === undefined ? [] : [{ ...IMPORTER, format: "own" }];
const metrics = [{ ...FIRST_MISSES, id: "own" }];
const peers = PEER === undefined ? [] : [{ ...PEER, policy: { ...PEER.policy, name: "own" } }];

describe("partsWith", () => {
  test("puts own importers before the built-in ones, and own metrics and peers behind them", () => {
    const parts = partsWith([{ importers, metrics, peers }]);
    expect(parts.importers).toEqual([...importers, ...BUILT_IN_PARTS.importers]);
    expect(parts.metrics).toEqual([...BUILT_IN_PARTS.metrics, ...metrics]);
    expect(parts.peers).toEqual([...BUILT_IN_PARTS.peers, ...peers]);
  });

  test("policies may name the built-in kinds and own ones", () => {
    const prompts = [{ id: "own", version: 1, instructions: () => "Write it down." }];
    const { kinds } = partsWith([{ prompts }]);
    const added = { id: "own", version: 1, instructions: expect.any(Function) };
    expect(kinds).toEqual({ ...BUILT_IN_PARTS.kinds, prompts: [...BUILT_IN_PARTS.kinds.prompts, added] });
  });

  test("values cannot be told from others of their names, so that nothing is kept", () => {
    expect([partsWith([]).identity, partsWith([{ metrics }]).identity]).toEqual(["", null]);
  });

  test("importers of one extension may read one format", () => {
    const two = [...importers, ...importers];
    expect(partsWith([{ importers: two }]).importers).toHaveLength(BUILT_IN_PARTS.importers.length + 2);
  });

  test.each<[rule: string, extensions: readonly BenchExtension[], clash: string]>([
    ["a built-in metric's", [{ metrics: [FIRST_MISSES] }], 'extension 1: plimsoll has a metric called "firstMisses"'],
    [
      "a preset's",
      [{ peers: peers.map((peer) => ({ ...peer, policy: { ...peer.policy, name: "pi" } })) }],
      'extension 1: plimsoll has a policy called "pi"',
    ],
    [
      "a built-in importer's",
      [{ importers: importers.map((one) => ({ ...one, format: "pi" })) }],
      'extension 1: plimsoll has an importer called "pi"',
    ],
    [
      "a built-in strategy's",
      [{ strategies: BUILT_IN_PARTS.kinds.strategies.slice(0, 1) }],
      'extension 1: plimsoll has a strategy called "summarize"',
    ],
    ["another extension's", [{ metrics }, { metrics }], 'extension 2: extension 1 has a metric called "own"'],
    ["its own", [{ metrics: [...metrics, ...metrics] }], 'extension 1: it has a metric called "own"'],
    ["another extension's importer", [{ importers }, { importers }], 'extension 2: extension 1 has an importer called "own"'],
  ])("refuses %s name in one line", (_, extensions, clash) => {
    const message = `${clash} already; give this one another name`;
    expect(() => partsWith(extensions)).toThrow(expect.objectContaining({ code: "bad-input", message }));
  });
});

describe("parseExtension", () => {
  test("takes whole parts as they are", () => {
    const extension = { importers, metrics, peers };
    expect(parseExtension(extension, "own.mjs")).toBe(extension);
  });

  const KINDS = "importers, metrics, peers, programs, strategies, keepRules, estimators, prompts, truncations";
  const { pool: _, ...unpooled } = FIRST_MISSES;
  test.each([
    ["nothing", undefined, `its default export is not an extension; export an object with ${KINDS}`],
    ["an unknown kind", { metric: FIRST_MISSES }, `an extension has no "metric"; it may have ${KINDS}`],
    ["a part that is not in a list", { metrics: FIRST_MISSES }, '"metrics" is not a list'],
    ["a part without a function", { metrics: [FIRST_MISSES, unpooled] }, "metrics[1] has no pool (a function)"],
    ["a strategy without a schema", { strategies: [{ kind: "own" }] }, "strategies[0] has no schema (an object)"],
    ["a part that is none", { importers: [null] }, "importers[0] has no format (a string)"],
  ])("refuses %s in one line", (_rule, value, problem) => {
    expect(() => parseExtension(value, "own.mjs")).toThrow(
      expect.objectContaining({ code: "bad-input", message: `own.mjs: ${problem}` }),
    );
  });
});
