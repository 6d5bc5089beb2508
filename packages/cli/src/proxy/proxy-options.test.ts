import { PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { BUILT_IN_KINDS } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { countingPolicy, limitsBy, placesOf, upstreamOf } from "./proxy-options.ts";
import { targetAt } from "./upstream.ts";

describe("what is refused", () => {
  test.each<[string, () => unknown, string]>([
    ["no upstream", () => upstreamOf(undefined), "--upstream is missing"],
    ["an upstream that is no address", () => upstreamOf("api.openai.com"), "--upstream"],
    ["an upstream with a key in it", () => upstreamOf("https://me:key@example.com"), "without a key"],
    ["an upstream with a query", () => upstreamOf("https://example.com/?key=1"), "without a key"],
    ["days that are none", () => placesOf({ keep: "soon" }, recordedIo("/home").io), "--keep soon"],
    ["a window that is none", () => limitsBy("wide", PLIMSOLL_POLICY), "--window wide"],
    ["an unknown policy", () => countingPolicy("plimsol", recordedIo("/").io, BUILT_IN_KINDS), "did you mean plimsoll?"],
  ])("%s", (_, act, words) => {
    expect(act).toThrow(words);
  });
});

describe("what is taken", () => {
  test("conversations are kept for two days, recordings for thirty", () => {
    const { io } = recordedIo("/home");
    expect(placesOf({}, io)).toEqual({
      folder: "/home/.plimsoll/proxy",
      logs: "/home/.plimsoll/proxy/conversations",
      keepDays: 2,
    });
    expect(placesOf({ record: "here" }, io)).toMatchObject({ logs: "/home/here", keepDays: 30 });
    expect(placesOf({ record: "here", keep: "5" }, io)).toMatchObject({ keepDays: 5 });
  });

  test("the window that is given comes before the catalogue's, and that before the policy's", () => {
    const windowOf = (window: string | undefined, policy: Policy, ...asked: [modelId: string, caller?: string]) => {
      const { limits, from } = limitsBy(window, policy)(...asked);
      return [limits.contextWindowTokens, from];
    };
    const codex = "codex_cli_rs/0.142.5 (Linux)";
    expect(windowOf("64k", PLIMSOLL_POLICY, "gpt-5.5", codex)).toEqual([64_000, "by --window"]);
    expect(windowOf(undefined, PLIMSOLL_POLICY, "gpt-5.5", codex)).toEqual([258_400, "Codex's own for this model"]);
    expect(windowOf(undefined, PLIMSOLL_POLICY, "gpt-5.5", "curl/8")).toEqual([1_050_000, "the catalogue's"]);
    expect(windowOf(undefined, PLIMSOLL_POLICY, "claude-sonnet-5")).toEqual([1_000_000, "the catalogue's"]);
    expect(windowOf(undefined, PLIMSOLL_POLICY, "nobody")).toEqual([128_000, "a guess"]);
    expect(windowOf(undefined, { ...PLIMSOLL_POLICY, unknownWindow: "off" }, "nobody")).toEqual([null, "not known"]);
  });

  test("a reply is the model's longest at most, also in a window that is given", () => {
    expect(limitsBy(undefined, PLIMSOLL_POLICY)("claude-3-5-sonnet").limits).toMatchObject({ maxOutputTokens: 8_192 });
    expect(limitsBy("200k", PLIMSOLL_POLICY)("claude-3-5-sonnet").limits).toMatchObject({ maxOutputTokens: 8_192 });
    expect(limitsBy("32k", PLIMSOLL_POLICY)("claude-3-5-sonnet").limits).toMatchObject({ maxOutputTokens: 4_000 });
  });
});

describe("where a request goes on to", () => {
  test.each([
    ["https://api.anthropic.com", "/v1/messages?beta=true", "https://api.anthropic.com/v1/messages?beta=true"],
    ["https://api.openai.com/v1", "/v1/responses", "https://api.openai.com/v1/responses"],
    ["https://api.openai.com/v1/", "/responses", "https://api.openai.com/v1/responses"],
    ["https://example.com/openai/v1", "/v1beta/models/x", "https://example.com/openai/v1/v1beta/models/x"],
  ])("%s and %s", (address, target, expected) => {
    expect(targetAt(new URL(address), target)).toBe(expected);
  });
});
