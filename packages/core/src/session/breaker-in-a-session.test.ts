import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SMALL_POLICY, type SmallSession, smallSession, turns, words } from "../../testing/small-session.ts";
import { isHuman } from "../message/message.ts";
import { withKinds } from "../policy/kinds.ts";
import type { Policy } from "../policy/policy.ts";
import { defineStrategy } from "../strategy/strategy.ts";
import { SUMMARIZE } from "../strategy/summarize.ts";
import { human, reply } from "../testing/builders.ts";
import type { ContextEvent } from "./events.ts";

const fails = () => Promise.reject(new Error("overloaded"));

describe("the breaker", () => {
  const policy: Policy = { ...SMALL_POLICY, progress: { ...SMALL_POLICY.progress, maximumFailures: 2 } };
  const attempt = async ({ append, fit }: SmallSession, first: number) => {
    append(...turns(6, first).filter((message) => !isHuman(message)));
    return fit({ now: { reason: "manual", keep: null } });
  };
  const opened = (events: readonly ContextEvent[]) => events.filter((event) => event.type === "breaker-open");

  const mine = defineStrategy({
    kind: "mine",
    schema: z.strictObject({ kind: z.literal("mine") }),
    needsModel: () => true,
    plan: (_, input) => SUMMARIZE.bind({ kind: "summarize", ...SMALL_POLICY.strategies[0] }).plan(input),
  });
  test.each([
    ["a built-in strategy", policy],
    ["a strategy of one's own", { ...policy, strategies: [{ kind: "mine" }] }],
  ])("opens after the failures of %s that the policy allows, says so once, and the model is not asked again", async (_, by) => {
    const made = smallSession(turns(8), { policy: by, kinds: withKinds({ strategies: [mine] }), answer: fails });
    const outcomes = [await attempt(made, 10), await attempt(made, 20), await attempt(made, 30), await attempt(made, 40)];
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(["compacted", "compacted", "compacted", "compacted"]);
    expect(made.asked).toHaveLength(2);
    expect(opened(made.events)).toEqual([{ type: "breaker-open", failures: 2, why: "summaries failed in a row" }]);
  });
});

describe("between compactions", () => {
  test("a minimum of new material must arrive, although the trigger would fire", async () => {
    const policy: Policy = {
      ...SMALL_POLICY,
      keep: [{ kind: "recent", amount: { tokens: 8100 } }],
      progress: { ...SMALL_POLICY.progress, minimumNewTokens: 1500 },
    };
    const { fit, append, manager } = smallSession(turns(9), { policy });
    expect((await fit()).kind).toBe("compacted");
    expect(manager.predict().expectedTokens).toBeGreaterThan(8000);
    append(reply("b", words(500)));
    expect((await fit()).kind).toBe("unchanged");
    append(reply("c", words(500)), reply("d", words(500)));
    expect((await fit()).kind).toBe("compacted");
  });

  test("an attempt that failed is not repeated until something new arrives", async () => {
    const one = smallSession([human("u", words(8500))]);
    expect((await one.fit()).kind).toBe("failed");
    expect((await one.fit()).kind).toBe("unchanged");
    expect(one.events.filter((event) => event.type === "compaction-failed")).toHaveLength(1);
  });
});
