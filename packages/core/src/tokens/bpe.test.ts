import { describe, expect, test } from "vitest";
import { createDigest } from "../memory/digest.ts";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import { encodingsOf, policySchema } from "../policy/policy.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createSession } from "../session/open-session.ts";
import { absentImage, assistant, calling, human, result, sessionStart, usageEntry } from "../testing/builders.ts";
import type { BpeSpec } from "./bpe.ts";
import { createEstimator, type Tokenizers } from "./built-in-estimators.ts";
import { createWorkCounter } from "./measure.ts";

const SPEC: BpeSpec = { kind: "bpe", encoding: "words", perMessageTokens: 4 };

/** One token a word, so that sums can be read. */
const tokenizers: Tokenizers = { words: (text) => text.split(/\s/).filter((word) => word !== "").length };

describe("bpe", () => {
  test.each([
    ["text, with what the wire puts around it", human("h", "please look at this"), 4 + 4],
    ["a call: name and arguments", calling("a", ["c"], "looking now"), 4 + 2 + 1 + 1],
    ["reasoning", assistant("a", [{ type: "reasoning", text: "so it is", opaque: null }]), 4 + 3],
    ["a result", result("r", "c", "two words"), 4 + 2],
    ["an image by its pixels", { ...human("h", ""), parts: [{ ...absentImage(), widthPx: 750, heightPx: 1000 }] }, 4 + 1000],
  ])("counts %s", (_, message, tokens) => {
    expect(createEstimator(SPEC, createWorkCounter(), { tokenizers }).measure.messageTokens(message)).toBe(tokens);
  });

  test("a message is tokenized once, and the work is counted", () => {
    const work = createWorkCounter();
    const { measure } = createEstimator(SPEC, work, { tokenizers });
    const message = human("h", "please look");
    expect([measure.messageTokens(message), measure.messageTokens(message)]).toEqual([6, 6]);
    expect(work.total()).toEqual({ charactersScanned: 11, messagesVisited: 1, tokenizerCalls: 1 });
  });

  test("is what an anchored estimator prices the rest with", () => {
    const policy = { ...PI_POLICY, estimator: { kind: "usage-anchored", of: SPEC, anchor: "prompt" } as const };
    const manager = createSession({ policy, summarizer: createDigest(), tokenizers });
    manager.append(sessionStart("system"));
    manager.append(usageEntry("request-a", null, 1000));
    manager.append({ type: "message", message: human("h", "four words and more") });
    expect(manager.predict()).toMatchObject({ expectedTokens: 1008, basis: "usage-anchored(bpe(words))" });
  });

  test.each<[string, Tokenizers, string]>([
    ["no tokenizer", {}, "none was given"],
    ["others alone", tokenizers, "given: words"],
  ])("with %s it says which encoding it lacks", (_, given, why) => {
    const policy = { ...SVEN_POLICY, estimator: { ...SPEC, encoding: "toString" } };
    expect(() => createSession({ policy, summarizer: createDigest(), tokenizers: given })).toThrow(
      expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(`"toString"`) }),
    );
    expect(() => createEstimator(policy.estimator, createWorkCounter(), { tokenizers: given })).toThrow(why);
  });
});

describe("the encodings of a policy", () => {
  test.each([
    ["none", PLIMSOLL_POLICY.estimator, null, []],
    ["its own", SPEC, null, ["words"]],
    ["what an estimator is built on", { kind: "usage-anchored", of: SPEC, anchor: "prompt" }, null, ["words"]],
    ["that of the cut, and each once", SPEC, { ...SPEC, encoding: "others" }, ["words", "others"]],
    ["one for both", SPEC, SPEC, ["words"]],
  ] as const)("are %s", (_, estimator, cutEstimator, encodings) => {
    expect(encodingsOf({ estimator, cutEstimator })).toEqual(encodings);
    expect(policySchema(BUILT_IN_KINDS).safeParse({ ...SVEN_POLICY, estimator, cutEstimator }).success).toBe(true);
  });

  test("a policy without the encoding's name is no policy", () => {
    expect(
      policySchema(BUILT_IN_KINDS).safeParse({ ...SVEN_POLICY, estimator: { kind: "bpe", perMessageTokens: 4 } }).success,
    ).toBe(false);
  });
});
