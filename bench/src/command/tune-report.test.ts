import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PI_POLICY, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { readPolicyFile } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { madeStanding } from "../../testing/example-tuned.ts";
import { BUILT_IN_PARTS } from "../extension.ts";
import { PEERS } from "../peers/peers.ts";
import { COLUMNS } from "../terminal/printable.ts";
import type { TunedPolicy, TuneResult } from "../tune/tune.ts";
import { tuneReport } from "./tune-command.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-tuned-"));
const SURENESS = { cost: { from: 80, through: 90 }, drawn: "projects", count: 9 } as const;

/** Prints a result in which the second policy is the best setting of the first. */
function printed(current: Policy, best: Policy, more: Partial<TuneResult> = {}): string {
  const tuned = (policy: Policy, settings: TunedPolicy["settings"]): TunedPolicy => {
    const standing = madeStanding(policy.name, settings.length === 0 ? 60 : 50, { held: 90, far: null });
    return { policy, settings, train: standing, test: standing };
  };
  const choice = tuned(best, [{ path: "strategies.keepResults", value: 8 }]);
  const result: TuneResult = {
    base: current.name,
    splitBy: "repository",
    trainSessions: 5,
    testSessions: 5,
    idleSessions: 0,
    windowLabel: "real windows",
    current: tuned(current, []),
    front: [choice],
    best: choice,
    verdict: { kind: "set", best: choice.test, sureness: SURENESS },
    tried: [],
    sessions: [],
    ...more,
  };
  return tuneReport([result], { current, columns: COLUMNS, full: false, nameOf: (session) => session });
}

describe("the YAML that tune prints", () => {
  const tunedOf = (policy: Policy): Policy => ({
    ...policy,
    name: `${policy.name} tuned`,
    trigger: { atLeast: { ratio: 0.63, of: "window" } },
    keep: [{ kind: "recent", messages: 8 }],
    strategies: policy.strategies.map((spec) => (spec.kind === "clear-tool-results" ? { ...spec, keepResults: 7 } : spec)),
  });
  const changed = { ...SVEN_POLICY, name: "mine", facts: { maxTokens: 123 } };

  test.each<readonly [string, Policy]>([
    ["a preset", SVEN_POLICY],
    ["a preset with amounts for shares", PI_POLICY],
    ["a preset with a strategy that is turned", PLIMSOLL_POLICY],
    ["a policy from a file", changed],
    ...PEERS.map(({ policy }) => [`a peer, ${policy.name}`, policy] as const),
  ])("is taken by the reader of policies as the setting that was found: %s", (_, current) => {
    const best = tunedOf(current);
    const yaml = printed(current, best).split("# plimsoll.yaml\n")[1] ?? "";
    writeFileSync(join(folder, "pasted.yaml"), yaml);
    const read = readPolicyFile(join(folder, "pasted.yaml"), "pasted.yaml", BUILT_IN_PARTS.kinds);
    expect("found" in read ? { ...read.found.policy, name: "" } : read.problems).toEqual({ ...best, name: "" });
  });

  test("stands, as all that is said, on lines of at most 80 columns", () => {
    const long: TunedPolicy["settings"] = [
      { path: "actAt", value: 0.7 },
      { path: "keep.recent", value: 0.15 },
    ];
    const score = madeStanding(PLIMSOLL_POLICY.name, 100, { held: 100, tooLarge: 1_000 });
    const widest = { policy: PLIMSOLL_POLICY, settings: long, train: score, test: score };
    const verdict = { kind: "set", best: score, sureness: SURENESS } as const;
    const said = printed(SVEN_POLICY, SVEN_POLICY, { front: [widest], best: widest, verdict });
    expect(said).toContain("keep.recent=15%");
    expect(Math.max(...said.split("\n").map((line) => [...line].length))).toBeLessThanOrEqual(80);
  });

  test.each<[string, Partial<TuneResult>]>([
    ["nothing was found that is better", { best: null }],
    ["the best is worse where it was not chosen", {}],
  ])("is left out if %s", (_, more) => {
    const said = printed(SVEN_POLICY, SVEN_POLICY, { verdict: { kind: "keep", why: "not-confirmed" }, ...more });
    expect(said).toMatch(/^Keep sven as it is: /);
    expect(said).not.toContain("# plimsoll.yaml");
  });
});

describe("what tune says of its choice", () => {
  const better = { ...SVEN_POLICY, keep: [{ kind: "recent", messages: 8 }] };
  const best = madeStanding(better.name, 50, { held: 90 });
  const lost = { policy: better, settings: [], train: madeStanding("x", 50, { held: 90, tooLarge: 1 }), test: best };

  test.each<[string, Partial<TuneResult>, RegExp]>([
    [
      "how sure it is",
      { verdict: { kind: "set", best, sureness: SURENESS } },
      /How sure: .*judged on 5 sessions; over all 9 projects it costs 80\.0 to 90\.0% of the current setting \(95%\)/,
    ],
    [
      "that too few say nothing, also of the best of them",
      { verdict: { kind: "too-few", missing: 6 } },
      /^No answer yet: judged on 2 sessions; 8 are needed\. Until then keep sven\.(?!.*plimsoll\.yaml)/s,
    ],
    ["its window and sessions", {}, /Window: real windows\. Judged on \S+; chosen on 5 others\./],
    [
      "that none can be recommended",
      { best: null, front: [], tried: [lost] },
      /Every setting left a request too large in some session: none can be recommended/,
    ],
    ["what it left out", { idleSessions: 2 }, /Left out \(never filled half of the window\): 2 sessions\./],
  ])("%s", (_, more, line) => {
    expect(printed(SVEN_POLICY, better, more).replace(/\n {2}/g, " ")).toMatch(line);
  });
});
