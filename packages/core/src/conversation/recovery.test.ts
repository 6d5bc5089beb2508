import { describe, expect, test } from "vitest";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import type { Attempt, Rejection } from "./recovery.ts";
import { sendWithRecovery } from "./recovery.ts";

const twice = { ...PI_POLICY, overflow: { ...PI_POLICY.overflow, maxRecoveries: 2 } };
const rejection: Rejection = { limitTokens: 100, requestedTokens: 130, promptTokens: 120 };

/** Sends through a provider that rejects so often, with recoveries that change something so often. */
async function sent(rejections: number, policy = twice, recoveries = 9) {
  const log: string[] = [];
  let left = rejections;
  const end = await sendWithRecovery<string, Rejection>({
    policy,
    attempt: async () => {
      log.push("send");
      left -= 1;
      return left < 0 ? { kind: "answered", answer: "done" } : { kind: "too-long", rejection };
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
    [
      "what is rejected is sent again, shorter",
      [1],
      { end: "answered", log: ["send", "rejected 1", "recover 0 below 100", "send"] },
    ],
    [
      "as often as the policy allows, and once more without a model",
      [9],
      {
        end: "too-long",
        log: [
          ...["send", "rejected 1", "recover 0 below 100"],
          ...["send", "rejected 2", "recover 1 below 100"],
          ...["send", "rejected 3", "recover 2 below 100"],
          ...["send", "rejected 0"],
        ],
      },
    ],
    [
      "a recovery that changes nothing ends it",
      [9, twice, 0],
      { end: "too-long", log: ["send", "rejected 1", "recover 0 below 100"] },
    ],
    ["with compaction off nothing is recovered", [9, NONE_POLICY], { end: "too-long", log: ["send", "rejected 0"] }],
  ])("%s", async (_, given, expected) => {
    expect(await sent(...given)).toEqual(expected);
  });

  test.each<[string, readonly string[], typeof twice | typeof NONE_POLICY, boolean, string, readonly string[]]>([
    ["is left out, and the rest sent again", ["refused"], twice, true, "answered", ["send", "leave", "send"]],
    ["is left out once", ["refused", "refused"], twice, true, "reasoning-refused", ["send", "leave", "send"]],
    ["that is not there is the caller's", ["refused"], twice, false, "reasoning-refused", ["send", "leave"]],
    ["stays with compaction off", ["refused"], NONE_POLICY, true, "reasoning-refused", ["send"]],
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
    const attempt = async (): Promise<Attempt<string, Rejection>> => {
      log.push("send");
      const failure = left.next().value;
      if (failure === "refused") return { kind: "reasoning-refused", error: new Error("bound") };
      return failure === undefined ? { kind: "answered", answer: "done" } : { kind: "too-long", rejection };
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
