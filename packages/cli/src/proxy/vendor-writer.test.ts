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

type Played = Omit<AgentOptions, "url" | "form"> & {
  readonly form?: AgentOptions["form"];
  readonly steps: number;
  /** Lines of each result. */
  readonly lines?: number;
  /** The model that the program is switched to, and the steps before that. */
  readonly other?: { readonly model: string; readonly from: number };
  /** The steps before the person undoes a cut. */
  readonly undoAt?: number;
};

/** A program behind the proxy, of so many steps. */
async function played({ steps, lines = 230, other, undoAt = -1, ...agent }: Played, options: Partial<SimulatorOptions> = {}) {
  const { simulator, url, stdout, seen } = await startSetting({
    ...{ replies: scripted, reasoning: "every-reply", contextWindowTokens: 32_768, ...options },
    proxy: { policy: "plimsoll-vendor", window: "32768" },
  });
  const resultOf = (step: number) => `${step}: line of a file\n`.repeat(lines);
  const first = { form: "streamed", url, resultOf, ...agent } as const;
  let program = startAgent(first);
  const statuses: number[] = [];
  let ofFirst = Number.POSITIVE_INFINITY;
  const stops = [undoAt, other?.from ?? steps, steps].filter((stop) => stop > 0);
  for (const stop of stops) {
    while (statuses.length < stop) {
      const answers = await program.say(`Read on from ${statuses.length}.`, stop - statuses.length);
      statuses.push(...answers.map(({ status }) => status));
    }
    for (const text of stop === undoAt ? ["plimsoll: undo"] : []) await program.say(text, 1);
    for (const { model } of stop === other?.from ? [other] : []) {
      ofFirst = seen.length;
      const history = program.history();
      program = startAgent({ ...first, fields: { ...agent.fields, model } });
      program.takeOver(history);
    }
  }
  const exchanges = simulator.exchanges();
  const asks = seen.map(({ target, body }) => target.endsWith("/compact") || body.includes('"summarize"'));
  return {
    failed: statuses.filter((status) => status !== 200).length,
    asked: asks.filter(Boolean).length,
    withBlock: seen.filter(({ body }) => hasBlock(body)).length,
    ofOther: seen.slice(ofFirst, ofFirst + 2).map(({ body }) => hasBlock(body)),
    cuts: compactionsIn(stdout()),
    byVendor: stdout().split("by vendor").length - 1,
    broken: prefixBreaks(exchanges.filter((_, index) => asks[index] === false)),
    refused: exchanges.filter(({ outcome }) => outcome === "rejected" || outcome === "overflow").length,
    dropped: exchanges.reduce((sum, { drops }) => sum + drops.length, 0),
  };
}

const faulty = (fault: ReturnType<NonNullable<SimulatorOptions["faults"]>>): Partial<SimulatorOptions> => ({
  faults: ({ asks }) => (asks === "summary" ? fault : null),
});

describe.each(PLAYED)("%s behind the proxy with the vendor's writer", (wire, model, other) => {
  const fields = { model };

  test.each([
    ["whole", 60, 230],
    ["streamed", 60, 230],
    ["streamed", 60, 1_200],
  ] as const)(
    "%s: no thinking is lost over %i steps with results of %i lines, and a cut breaks the cache once",
    async (form, steps, lines) => {
      const { asked, cuts, byVendor, broken, refused, dropped, failed } = await played({ wire, form, fields, steps, lines });
      expect(cuts).toBeGreaterThanOrEqual(2);
      expect([asked, byVendor, broken]).toEqual([cuts, cuts, cuts]);
      expect({ refused, dropped, failed }).toEqual({ refused: 0, dropped: 0, failed: 0 });
    },
  );

  test("200 steps with an undo and a switch of model: no thinking is lost, and nothing is refused", async () => {
    const switched = { other: { model: other, from: 130 }, undoAt: 90 };
    const { asked, cuts, byVendor, ofOther, ...came } = await played({ wire, fields, steps: 200, ...switched });
    expect(cuts).toBeGreaterThanOrEqual(6);
    expect([asked, byVendor]).toEqual([cuts, cuts]);
    expect(ofOther).toEqual([false, false]);
    expect(came).toMatchObject({ refused: 0, dropped: 0, failed: 0 });
  });

  test.each<[string, Partial<SimulatorOptions>, number?]>([
    ["refuses", { rules: { compactEndpoint: "off" } }],
    ["is overloaded (529)", faulty({ kind: "status", status: 529 })],
    ["is overloaded (503)", faulty({ kind: "status", status: 503 })],
    ["has no tokens left (429)", faulty({ kind: "status", status: 429 })],
    ["answers with nothing", faulty({ kind: "empty-reply" })],
    // A kept connection that breaks is tried once more.
    ["is cut off", faulty({ kind: "cut-stream", afterEvents: 0 }), 2],
  ])("a digest is written, and the vendor asked once, if it %s", async (_, options, asked = 1) => {
    const came = await played({ wire, fields, steps: 25, lines: 600 }, options);
    expect(came.cuts).toBeGreaterThanOrEqual(2);
    expect(came).toMatchObject({ asked, byVendor: 0, failed: 0, withBlock: 0 });
  });

  test.each(["refused", "expired"] as const)("the digest is sent, once the vendor's block is %s", async (summaries) => {
    const rules: { summaries?: typeof summaries } = {};
    const replies = (request: SimulatedRequest) => {
      if (request.replyIndex > 12) rules.summaries = summaries;
      return scripted(request);
    };
    const { refused, cuts, failed } = await played({ wire, fields, steps: 25, lines: 600 }, { rules, replies });
    expect(cuts).toBeGreaterThanOrEqual(2);
    expect({ refused, failed }).toEqual({ refused: 1, failed: 0 });
  });
});
