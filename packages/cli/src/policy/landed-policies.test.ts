import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { readPolicyFile } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

/** Policies as each version printed and read them. */
const LANDED = join(import.meta.dirname, "../../../../fixtures/landed");
const pathOf = (file: string) => join(LANDED, file.replace("/", "/policies/"));

const readFile = (file: string) => {
  const read = readPolicyFile(pathOf(file), file);
  return "found" in read ? read.found : expect.fail(read.problems.join("\n"));
};
const policyOf = (file: string) => readFile(file).policy;

/** Those that write out every value; the others are taken over from a preset. */
const whole = ["1", "2"].flatMap((version) =>
  readdirSync(join(LANDED, version, "policies"))
    .filter((file) => !/^(knobs|preset)-/.test(file))
    .map((file) => `${version}/${file}`),
);

describe("a policy that an earlier version wrote out", () => {
  test("is there for each of the eleven presets, and one more", () => {
    expect(whole).toHaveLength(12);
  });

  test.each(whole)("%s says what it said: what it keeps in another form, nothing else lost or changed", (file) => {
    const written: unknown = parse(readFileSync(pathOf(file), "utf8"));
    const { keep, manualKeep, overflow, excerpts, progress, afterPause, ...others } = isRecord(written)
      ? written
      : expect.fail(file);
    const { keep: rules, manualKeep: manualRules, overflow: onOverflow, ...read } = policyOf(file);
    expect(read).toMatchObject(others);
    const { pauseMs: after, ...line } = isRecord(afterPause) ? afterPause : {};
    expect(read.afterPause).toEqual(afterPause === null ? null : { after, ...line });
    const { target, ...limits } = isRecord(progress) ? progress : expect.fail(file);
    expect([target, read.progress]).toEqual([null, limits]);
    const said = (list: Policy["keep"] | null) => list?.map(({ kind: _, ...settings }) => settings) ?? null;
    const inOlderForm = (amount: unknown) =>
      amount === null ? null : [amountOf(amount), ...(excerpts === null ? [] : [excerpts])];
    expect([said(rules), said(manualRules)]).toEqual([inOlderForm(keep), inOlderForm(manualKeep)]);
    const { keep: keptThen, ...rest } = isRecord(overflow) ? overflow : expect.fail(file);
    expect({ ...onOverflow, keep: said(onOverflow.keep) }).toEqual({ ...rest, keep: inOlderForm(keptThen) });
  });
});

test.each(whole)(
  "%s says once that its excerpts are passages of the log now and its pause has another name, and nothing else",
  (file) => {
    const recalls = policyOf(file).keep.some(({ kind }) => kind === "recall");
    const notes = [
      expect.stringMatching(`^${file}:\\d+:3: pauseMs is gone: after replaces it$`),
      expect.stringMatching(`^${file}:\\d+:1: excerpts is gone: keep.recall replaces it$`),
    ];
    expect(readFile(file).notes).toEqual(recalls ? notes : []);
  },
);

/** The keep rules of `plimsoll` besides the newest messages, now. */
const PRESET_RULES = PLIMSOLL_POLICY.keep.slice(1);

/** Reads an amount as the rule \`recent\` has it. */
function amountOf(amount: unknown): unknown {
  return isRecord(amount) && Object.hasOwn(amount, "messages") ? amount : { amount };
}

describe("a policy as people wrote it for an earlier version", () => {
  test.each([
    [
      "1/knobs-agent.yaml",
      {
        name: "tuned-sven",
        keep: [{ kind: "recent", messages: 9 }],
        truncation: { capTokens: 2000 },
        summary: { sections: [] },
        trigger: { atLeast: { ratio: expect.closeTo(0.7, 6), of: "input-budget" } },
      },
    ],
    ["1/knobs-compaction.yaml", { name: "knobs-compaction", unknownWindow: { tokens: 100_000 } }],
    [
      "1/preset-changed.yaml",
      {
        name: "earlier",
        trigger: { atLeast: { ratio: 0.6, of: "input-budget" }, pays: undefined },
        // A file that names a preset gets the preset's rules as they are now.
        keep: [{ kind: "recent", messages: 8 }, ...PRESET_RULES],
        truncation: null,
        summary: { role: "assistant" },
      },
    ],
    [
      "2/knobs-agent.yaml",
      {
        name: "quick-sven",
        keep: [{ kind: "recent", messages: 4 }],
        truncation: { capTokens: 0 },
        trigger: { atLeast: { ratio: expect.closeTo(0.6, 6), of: "input-budget" } },
      },
    ],
    [
      "2/preset-changed.yaml",
      {
        name: "by-words",
        estimator: { kind: "bpe", encoding: "o200k_base", perMessageTokens: 4 },
        keep: [{ kind: "recent", amount: { ratio: 0.1, of: "input-budget" } }, ...PRESET_RULES],
        manualKeep: [{ kind: "recent", amount: { tokens: 4000 } }, ...PRESET_RULES],
        overflow: { keep: [PLIMSOLL_POLICY.keep[0], ...PRESET_RULES] },
        strategies: [{ kind: "clear-tool-results" }, { kind: "summarize", writer: "digest" }],
      },
    ],
    [
      "2/preset-kept.yaml",
      {
        name: "kept",
        keep: [{ kind: "recent", messages: 8 }],
        manualKeep: [{ kind: "recent", messages: 2 }],
        overflow: { keep: [{ kind: "recent", amount: { tokens: 3000 } }], maxRecoveries: 2 },
        gates: { at: ["before-submit", "before-step"] },
      },
    ],
  ])("%s is read as it was", (file, values) => {
    expect(policyOf(file)).toMatchObject(values);
  });
});
