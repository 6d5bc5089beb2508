import { describe, expect, test } from "vitest";
import { PlimsollError } from "../error.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { type Attempt, type RequestOutcome, rejectionIn, sendWithRecovery, TOO_MANY_TOKENS } from "./recovery.ts";

const twice = { ...PI_POLICY, overflow: { ...PI_POLICY.overflow, maxRecoveries: 2 } };
const error = new Error("refused");
const rejection = { outcome: TOO_MANY_TOKENS, limitTokens: 100, requestedTokens: 130, promptTokens: 120, error };

/** Sends through a provider that rejects so often, with recoveries that change something so often. */
async function sent(rejections: number, policy = twice, recoveries = 9) {
  const log: string[] = [];
  let left = rejections;
  const end = await sendWithRecovery<string>({
    policy,
    attempt: async () => {
      log.push("send");
      left -= 1;
      return left < 0 ? { kind: "answered", answer: "done" } : { kind: "refused", rejection };
    },
    recover: async ({ observedLimitTokens, recovery }) => {
      log.push(`recover ${recovery} below ${observedLimitTokens}`);
      return recovery < recoveries;
    },
    onRejection: (_, recovery) => log.push(`rejected ${recovery}`),
  });
  return { end: end.kind, log };
}

describe("sendWithRecovery", () => {
  test.each<[string, Parameters<typeof sent>, Awaited<ReturnType<typeof sent>>]>([
    ["what fits is sent once", [0], { end: "answered", log: ["send"] }],
    ["what is rejected is sent anew", [1], { end: "answered", log: ["send", "rejected 1", "recover 0 below 100", "send"] }],
    [
      "as often as the policy allows, and once more without a model",
      [9],
      {
        end: "refused",
        log: [
          ...["send", "rejected 1", "recover 0 below 100"],
          ...["send", "rejected 2", "recover 1 below 100"],
          ...["send", "rejected 3", "recover 2 below 100"],
          ...["send", "rejected 0"],
        ],
      },
    ],
    ["one that changes nothing ends it", [9, twice, 0], { end: "refused", log: ["send", "rejected 1", "recover 0 below 100"] }],
    ["with compaction off nothing is recovered", [9, NONE_POLICY], { end: "refused", log: ["send", "rejected 0"] }],
  ])("%s", async (_, given, expected) => {
    expect(await sent(...given)).toEqual(expected);
  });

  test.each<[string, readonly string[], typeof twice | typeof NONE_POLICY, boolean, string, readonly string[]]>([
    ["is left out, and the rest sent again", ["refused"], twice, true, "answered", ["send", "leave", "send"]],
    ["is left out once", ["refused", "refused"], twice, true, "refused", ["send", "leave", "send"]],
    ["that is not there is the caller's", ["refused"], twice, false, "refused", ["send", "leave"]],
    ["stays with compaction off", ["refused"], NONE_POLICY, true, "refused", ["send"]],
    [
      "takes no recovery of a prompt that is too long",
      ["refused", "long"],
      twice,
      true,
      "answered",
      ["send", "leave", "send", "recover 0", "send"],
    ],
  ])("reasoning that is refused %s", async (_, failures, policy, isThere, end, expected) => {
    const log: string[] = [];
    const left = failures.values();
    const attempt = async (): Promise<Attempt<string>> => {
      log.push("send");
      const failure = left.next().value;
      if (failure === "refused")
        return { kind: "refused", rejection: { ...rejection, outcome: { kind: "reasoning-refused" } } };
      return failure === undefined ? { kind: "answered", answer: "done" } : { kind: "refused", rejection };
    };
    const sending = sendWithRecovery({
      policy,
      attempt,
      recover: async ({ recovery }) => log.push(`recover ${recovery}`) > 0,
      leaveReasoning: async () => log.push("leave") > 0 && isThere,
    });
    expect({ end: (await sending).kind, log }).toEqual({ end, log: expected });
  });

  test("every other failure is thrown as it came", async () => {
    const failure = new Error("401");
    const attempt = () => Promise.reject(failure);
    await expect(sendWithRecovery({ policy: twice, attempt, recover: async () => true })).rejects.toBe(failure);
  });
});

describe("what a client's error says of a request", () => {
  test.each<RequestOutcome>([
    { kind: "too-large", of: "images" },
    { kind: "not-entitled" },
    { kind: "reasoning-refused" },
    { kind: "quota" },
    { kind: "unknown" },
  ])("is the outcome that was decoded where the answer came in: %j", (outcome) => {
    const failure = new PlimsollError("provider-failed", "refused", { outcome, promptTokens: 7 });
    expect(rejectionIn(failure)).toEqual({ outcome, limitTokens: null, requestedTokens: null, promptTokens: 7 });
  });

  test.each<[string, unknown]>([
    ["of a connection", new PlimsollError("provider-failed", "nothing answers", { outcome: null })],
    ["of the log", new PlimsollError("session-conflict", "another writer")],
    ["of a kind that is not known", new PlimsollError("provider-failed", "x", { outcome: { kind: "toString" } })],
    ["of somebody else", new Error("x")],
  ])("is nothing for one %s", (_, thrown) => {
    expect(rejectionIn(thrown)).toBeNull();
  });
});
