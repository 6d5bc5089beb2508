import type { SimulatedReply, SimulatedRequest, SimulatorOptions } from "@plimsoll/simulator";
import { describe, expect, test } from "vitest";
import { type AgentOptions, startAgent } from "../../testing/proxy-agent.ts";
import { compactionsIn, prefixBreaks, startSetting } from "../../testing/proxy-setting.ts";

function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(40) }] };
  if (replyIndex % 20 === 19) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: "shell", argumentsJson: `{"command":"look ${replyIndex}"}` }] };
}

const hasBlock = (body: Buffer | string) => /"type":\s*"compaction"/.test(body.toString());

const PLAYED = [
  ["anthropic", "claude-opus-5-5", "claude-fable-5-2"],
  ["openai-responses", "gpt-6", "gpt-6.1"],
] as const;

/** A program behind the proxy, of so many steps, and two more with another model. */
async function played(
  agent: Omit<AgentOptions, "url">,
  steps: number,
  options: Partial<SimulatorOptions> = {},
  other?: string,
) {
  const { simulator, url, stdout, seen } = await startSetting({
    ...{ replies: scripted, reasoning: "every-reply", contextWindowTokens: 32_768, ...options },
    proxy: { policy: "plimsoll-vendor", window: "32768" },
  });
  const resultOf = (step: number) => `${step}: line of a file\n`.repeat(230);
  const first = startAgent({ ...agent, url, resultOf });
  const statuses: number[] = [];
  while (statuses.length < steps) {
    const answers = await first.say(`Read on from ${statuses.length}.`, steps - statuses.length);
    statuses.push(...answers.map(({ status }) => status));
  }
  const ofFirst = seen.length;
  if (other !== undefined) {
    const second = startAgent({ ...agent, url, resultOf, fields: { model: other } });
    second.takeOver(first.history());
    statuses.push(...(await second.say("Read on.", 2)).map(({ status }) => status));
  }
  const exchanges = simulator.exchanges();
  const asks = seen.map(({ target, body }) => target.endsWith("/compact") || body.includes('"summarize"'));
  return {
    failed: statuses.filter((status) => status !== 200).length,
    asked: asks.filter(Boolean).length,
    withBlock: seen.filter(({ body }) => hasBlock(body)).length,
    ofOther: seen.slice(ofFirst).map(({ body }) => hasBlock(body)),
    cuts: compactionsIn(stdout()),
    broken: prefixBreaks(exchanges.filter((_, index) => asks[index] === false)),
    refused: exchanges.filter(({ outcome }) => outcome !== "answered").length,
    dropped: exchanges.reduce((sum, { drops }) => sum + drops.length, 0),
  };
}

describe.each(PLAYED)("%s behind the proxy with the vendor's writer", (wire, model, other) => {
  test.each(["whole", "streamed"] as const)(
    "%s: no thinking is lost over 60 steps, nothing is refused, and a cut breaks the cache once",
    async (form) => {
      const { asked, cuts, broken, withBlock, refused, dropped, failed } = await played({ wire, form, fields: { model } }, 60);
      expect(cuts).toBeGreaterThanOrEqual(2);
      expect([asked, broken]).toEqual([cuts, cuts]);
      expect(withBlock).toBeGreaterThan(20);
      expect({ refused, dropped, failed }).toEqual({ refused: 0, dropped: 0, failed: 0 });
    },
  );

  test("a digest is written, and the vendor asked once, if it refuses", async () => {
    const came = await played({ wire, form: "streamed", fields: { model } }, 60, { rules: { compactEndpoint: "off" } });
    expect(came.cuts).toBeGreaterThanOrEqual(2);
    expect(came).toMatchObject({ asked: 1, failed: 0, withBlock: 0 });
  });

  test("the digest is sent, once the vendor refuses its block", async () => {
    const rules: { summaries?: "refused" } = {};
    const replies = (request: SimulatedRequest) => {
      if (request.replyIndex > 30) rules.summaries = "refused";
      return scripted(request);
    };
    const { refused, cuts, failed } = await played({ wire, form: "whole", fields: { model } }, 60, { rules, replies });
    expect(cuts).toBeGreaterThanOrEqual(2);
    expect({ refused, failed }).toEqual({ refused: 1, failed: 0 });
  });

  test("a block is not sent to another model", async () => {
    const { ofOther, refused, failed } = await played({ wire, form: "streamed", fields: { model } }, 30, {}, other);
    expect({ ofOther, refused, failed }).toEqual({ ofOther: [false, false], refused: 0, failed: 0 });
  });
});
