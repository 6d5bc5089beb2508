import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { brokenPolicies, createFailureLog } from "../drive/part-failures.ts";
import { judge } from "../judge/judge.ts";
import { fillingOwnRules } from "../judge/kept-by-rules.ts";
import { ownRuleRemarks } from "./own-rules.ts";

const REPORT = exampleReport();
const WINDOW = judge(REPORT).windows[0] ?? expect.fail("no window");

const KEEP = [
  { kind: "recent", amount: { ratio: 0.05, of: "room" } },
  { kind: "tickets", atMost: { ratio: 0.1, of: "room" } },
];

const SVEN = REPORT.rows.filter(({ policy }) => policy === "sven");

/** The remarks, with these steps in each compaction of sven. */
const remarks = (steps: readonly string[], like: readonly string[] = []) => {
  const standings = new Map(WINDOW.standings);
  const sven = standings.get("sven");
  for (const policy of like) if (sven !== undefined) standings.set(policy, { ...sven, policy });
  const compactions = SVEN.flatMap((row) => row.compactions.slice(0, 1)).map((each) => ({ ...each, steps }));
  const rows = REPORT.rows.map((row) => (["sven", ...like].includes(row.policy) ? { ...row, compactions } : row));
  const policies = REPORT.policies.map((each) =>
    each.name === "sven" ? { ...each, policy: { ...each.policy, keep: KEEP } } : each,
  );
  return ownRuleRemarks({ rows, policies }, { ...WINDOW, standings }, String);
};

test.each<[string, readonly string[], RegExp]>([
  [
    "what a rule kept",
    ["keep tickets: 32 of 56 kept, no room for 14, 10 beyond its amount"],
    /^sven: keep tickets chose in (\d+) of \1 compactions of all \d+ sessions; \d+ of \d+ choices stayed \(no space for \d+, \d+ beyond its amount\)\.$/,
  ],
  ["that it chose nothing", ["keep tickets: chose nothing"], /tickets chose nothing in \d+ compactions of all \d+ sessions\.$/],
])("a person's own rule: %s", (_, steps, text) => {
  expect(remarks(steps)).toEqual([expect.stringMatching(text)]);
});

test("a person's own rule: sessions that kept more, the tokens that it left, and a control of its size", () => {
  const control = "sven keep.tickets=off";
  const sven = WINDOW.standings.get("sven") ?? expect.fail("no row");
  const standings = new Map(WINDOW.standings).set(control, { ...sven, policy: control });
  const steps = ["keep tickets: 1 of 1 kept"];
  const ruled = SVEN.map((row) => ({ ...row, compactions: row.compactions.map((each) => ({ ...each, steps })) }));
  const bare = ruled.map((row) => ({
    ...row,
    policy: control,
    compactions: row.compactions.map((each) => ({ ...each, tokensAfter: (each.tokensAfter ?? 0) - 600 })),
  }));
  const policies = REPORT.policies.map((each) => ({ ...each, policy: { ...each.policy, keep: KEEP } }));
  const [said] = ownRuleRemarks({ rows: [...ruled, ...bare], policies }, { ...WINDOW, standings }, String);
  expect(said).toMatch(
    /Of its (\d+) compactions, \1 began from a context that sven keep\.tickets=off compacted, too; it changed \1 of these\. Tokens added to them: 600 on average, 600 at most\. As many newest messages: sven keep\.tickets=off keep\.recent=[56]\.\d+%\. Against .* Kept more in 0 sessions, less in 0, as much in 2\.$/,
  );
});

test("built-in rules and their losses are no remark", () => {
  expect(remarks(["keep human: released", "summarize: applied"])).toEqual([]);
});

test("policies with equal results are named together", () => {
  expect(remarks([], ["none"])).toEqual(["Identical results in every session: none, sven."]);
});

test("of policies with equal results the one without the rule is named", () => {
  const ruled = "sven keep.tickets=10%";
  const twins = REPORT.policies.flatMap((each) =>
    each.name === "sven" ? [{ ...each, name: ruled, policy: { ...each.policy, keep: KEEP } }, each] : [each],
  );
  const rows = [...REPORT.rows, ...SVEN.map((row) => ({ ...row, policy: ruled }))];
  expect(judge({ ...REPORT, policies: twins, rows }).windows[0]?.named[0]?.policy).toBe("sven");
});

test.each([
  ["fills its room is no recommendation", ["keep tickets: 32 of 56 kept, no room for 24"], true],
  ["chooses less may be one", ["keep tickets: 32 of 32 kept"], false],
])("a policy whose own rule %s", (_, steps, isFilling) => {
  const [row] = SVEN;
  const [compaction] = row?.compactions ?? [];
  const rows = row === undefined || compaction === undefined ? [] : [{ ...row, compactions: [{ ...compaction, steps }] }];
  expect(fillingOwnRules({ rows }).has("sven")).toBe(isFilling);
});

test("a rule that sometimes fails was tried each time that it chose, too, and breaks its policy", () => {
  const log = createFailureLog();
  const step = (outcome: "failed" | "not-applicable", detail: string) => ({ strategy: "keep tickets", outcome, detail });
  log.add([step("failed", "not today"), step("not-applicable", "chose nothing"), step("not-applicable", "2 of 2 kept")]);
  const failures = log.result();
  expect(failures).toEqual([{ part: "keep tickets", failed: 1, tried: 3, reason: "not today" }]);
  expect(brokenPolicies([{ policy: "sven", failures, compactions: [] }])).toEqual(new Set(["sven"]));
});
