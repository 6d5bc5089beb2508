import { describe, expect, test } from "vitest";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import type { Rejection } from "./recovery.ts";
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

  test("every other failure is thrown as it came", async () => {
    const failure = new Error("401");
    const attempt = () => Promise.reject(failure);
    await expect(sendWithRecovery({ policy: twice, attempt, recover: async () => true })).rejects.toBe(failure);
  });
});
