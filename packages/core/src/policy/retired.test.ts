import { describe, expect, test } from "vitest";
import { createDigest } from "../memory/digest.ts";
import { createSession } from "../session/open-session.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { refuseRetired, withoutRetired } from "./retired.ts";
import { definePolicy } from "./written-policy.ts";

const atMost = { tokens: 9 };
const summary = { kind: "summarize", writer: "digest", promptId: "digest", turnPrefixPromptId: null };

/** Parts of older policies, their successors, and the lines about them. */
const ROWS: readonly (readonly [string, object, object, readonly string[]])[] = [
  ["an idle session", { idle: { afterMs: 9, atLeast: atMost } }, {}, ["idle is gone: nothing replaces it, remove it"]],
  ["its knob", { idleAfter: "4m30s" }, {}, ["idleAfter is gone: nothing replaces it, remove it"]],
  [
    "a target",
    { progress: { target: { atMost, steps: 3 }, maximumFailures: 2 } },
    { progress: { maximumFailures: 2 } },
    ["progress.target is gone: nothing replaces it, remove it"],
  ],
  ["no target", { progress: { target: null, maximumFailures: 2 } }, { progress: { maximumFailures: 2 } }, []],
  [
    "rules that quote",
    { keep: [{ kind: "lines", atMost }], overflow: { keep: [{ kind: "passages", atMost }] } },
    { keep: [{ kind: "recall", atMost }], overflow: { keep: [{ kind: "recall", atMost }] } },
    ["lines is gone: recall replaces it", "passages is gone: recall replaces it"],
  ],
  [
    "amounts of such rules",
    { keep: { lines: "5%", human: "20k" } },
    { keep: { human: "20k" } },
    ["keep.lines is gone: keep.recall replaces it"],
  ],
  [
    "calls that are dropped",
    { strategies: [{ kind: "drop-tool-calls", keepMessages: 2 }] },
    { strategies: [{ kind: "clear-tool-results", keepResults: 2, clearAtLeastTokens: 0 }] },
    ["drop-tool-calls is gone: clear-tool-results replaces it"],
  ],
  [
    "messages that exceed an amount",
    { keep: [{ kind: "recent", amount: atMost, exceeding: "goes" }] },
    { keep: [{ kind: "recent", amount: atMost }] },
    ["exceeding is gone: nothing replaces it, remove it"],
  ],
  [
    "such as stay anyway",
    { keep: [{ kind: "recent", amount: atMost, exceeding: "stays" }] },
    { keep: [{ kind: "recent", amount: atMost }] },
    [],
  ],
  [
    "a pause by its old name",
    { afterPause: { pauseMs: 300_000, atLeast: atMost } },
    { afterPause: { after: 300_000, atLeast: atMost } },
    ["pauseMs is gone: after replaces it"],
  ],
  [
    "a boundary",
    { strategies: [{ ...summary, boundary: "nearer-safe" }] },
    { strategies: [{ ...summary, boundary: "any-safe" }] },
    ["nearer-safe is gone: any-safe replaces it"],
  ],
];

/** A policy with a value only at this path. */
const at = (path: string) => path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), 9);

describe("what policies no longer say", () => {
  test.each(ROWS)("%s is read as what replaces it, and named", (_, written, expected, said) => {
    const texts: string[] = [];
    expect(withoutRetired(written, [], (_path, text) => texts.push(text))).toEqual(expected);
    expect(texts).toEqual(said);
  });

  test.each(ROWS.filter(([, , , said]) => said.length > 0))(
    "%s is refused in code, with what replaces it",
    (_, written, __, [text]) => {
      const refusal = expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(text ?? "") });
      expect(() => definePolicy(written)).toThrow(refusal);
      const raw = { ...PLIMSOLL_POLICY, ...written };
      expect(() => createSession({ policy: raw, summarizer: createDigest() })).toThrow(refusal);
    },
  );

  test("a kind of one's own may have the name of one that went", () => {
    const written = { keep: [{ kind: "lines", atMost }] };
    expect(withoutRetired(written, ["lines"], () => expect.fail())).toEqual(written);
  });

  test("a preset that went is refused in code, with its successor", () => {
    expect(() => definePolicy({ extends: "plimsoll-rich" })).toThrow("the preset plimsoll-rich is gone: plimsoll replaces it");
  });

  test.each(["afterPause.pauseMs", "idle.afterMs", "progress.target.steps", "keep.lines", "idleAfter"])(
    "a sweep over %s is refused",
    (path) => {
      expect(() => refuseRetired(at(path), [])).toThrow(expect.objectContaining({ code: "bad-policy" }));
    },
  );

  test.each(["keep.recall", "idleness", "progress.minimumSteps"])("one over %s is not", (path) => {
    expect(() => refuseRetired(at(path), [])).not.toThrow();
  });
});
