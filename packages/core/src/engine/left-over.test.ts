import { describe, expect, test } from "vitest";
import { askingStrategy } from "../../testing/asking-strategy.ts";
import { SMALL_POLICY, smallSession, turns } from "../../testing/small-session.ts";
import type { AppliedEdit, AppliedReplaceSpans } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import {
  calling,
  compaction,
  human,
  logOf,
  replacedPart,
  reply,
  result,
  summarized,
  summaryMessage,
} from "../testing/builders.ts";

/** Ids of the messages that a strategy sees as left over, in a session whose newest compaction made the given edits. */
async function leftOver(edits: readonly AppliedEdit[] | null): Promise<readonly string[]> {
  const { kinds, given } = askingStrategy();
  const messages = [...turns(2), human("u", "do"), calling("a", ["c"]), result("r", "c", "done"), reply("z", "so")];
  const { fit } = smallSession([], {
    entries: [...logOf(messages), ...(edits === null ? [] : [compaction("before", edits)])],
    policy: { ...SMALL_POLICY, strategies: [{ kind: "ask" }] },
    kinds,
  });
  await fit({ now: { reason: "manual", keep: null } });
  return given.flatMap((input) => input.messages.filter(input.isLeftOver)).map(({ id }) => id);
}

/** One summary for spans, each written as its first and its last id. */
const taking = (...spans: readonly string[]): AppliedReplaceSpans => ({
  ...summarized(summaryMessage("s", "so far")),
  spans: spans.map((span) => ({ from: span.split(" ")[0] ?? "", through: span.split(" ")[1] ?? "", promptId: null })),
});

describe("a message that the newest compaction left between its spans", () => {
  test.each<[string, readonly AppliedEdit[] | null, readonly string[]]>([
    ["is the person's behind what took the place of several spans", [taking("u0 a1", "a r")], ["u"]],
    [
      "also if the compaction shortened a result before",
      [replacedPart("z", 0, { type: "text", text: "…" }), taking("u0 a1", "a r")],
      ["u"],
    ],
    ["also if something stands before it all", [taking("a0 a1", "a r")], ["u"]],
    ["is none behind a single span", [taking("u0 a1")], []],
    ["is none if what stands behind is the model's", [taking("u0 u0", "u1 u1")], []],
    ["is none if nothing took their place", [{ ...taking("u0 a1", "a r"), by: "nothing", message: null }], []],
    ["is none if only results were shortened", [replacedPart("r", 0, { type: "text", text: "…" })], []],
    ["is none before any compaction", null, []],
  ])("%s", async (_, edits, ids) => {
    expect(await leftOver(edits)).toEqual(ids);
  });

  test("begins no turn that is summarised by a prompt of its own for the second time", async () => {
    const steps = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => [
        calling(`a${from + at}`, [`c${from + at}`]),
        result(`r${from + at}`, `c${from + at}`, "done"),
      ]).flat();
    const split: Policy["strategies"][number] = {
      kind: "summarize",
      writer: "model",
      boundary: "any-safe",
      promptId: "structured",
      turnPrefixPromptId: "turn-prefix",
    };
    const policy: Policy = { ...SMALL_POLICY, keep: [{ kind: "recent", messages: 2 }], strategies: [split] };
    const { fit, append, asked } = smallSession([...turns(1), human("u", "do"), ...steps(10, 3)], { policy });
    const now = { reason: "manual", keep: null } as const;
    await fit({ now });
    append(...steps(20, 3));
    await fit({ now });
    append(human("v", "now this"), ...steps(30, 3));
    await fit({ now });
    expect(asked.map(({ parts }) => parts.map(({ promptId }) => promptId))).toEqual([
      ["structured", "turn-prefix"],
      ["structured", "structured"],
      ["structured", "turn-prefix"],
    ]);
  });
});
