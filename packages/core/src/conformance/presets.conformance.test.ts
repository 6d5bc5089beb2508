import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engineSession, type ScriptedReply, sectionedReply } from "../../testing/engine-session.ts";
import { lettered } from "../../testing/lettered.ts";
import { PlimsollError } from "../error.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import { type Message, textOf } from "../message/message.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import { arbitraryScenario } from "../testing/arbitrary-session.ts";
import { calling, human, result, usageEntry } from "../testing/builders.ts";
import { playSession } from "../testing/play-session.ts";

/** Ten sessions, the same at each run. */
const SCENARIOS = fc.sample(arbitraryScenario(18), { seed: 20_260_105, numRuns: 10 });
const BEHAVIOURS = ["works", "fails", "empty", "garbage", "aborted"] as const;

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))(
  "%s keeps the engine's rules in ten sessions",
  (_, policy) => {
    test.each(BEHAVIOURS)("with a summariser that is: %s", async (behaviour) => {
      const violations = [];
      for (const scenario of SCENARIOS) {
        const played = await playSession({ ...scenario, policy, summarizer: [behaviour], hook: [] });
        violations.push(...played.violations);
      }
      expect(violations).toEqual([]);
    });
  },
);

/** A long session with one reply in every twenty steps that is the person's. */
const LONG = lettered(`${"U".padEnd(41, "CR")}A`.repeat(4), 400);
const GARBAGE = "I think so too! Let me fix that right away.\n\nUser: thanks\n\nAssistant: you are welcome";
const MODELS: readonly (readonly [string, (sections: readonly string[]) => ScriptedReply])[] = [
  ["works", (sections) => sectionedReply(sections)],
  ["fails", () => new Error("overloaded")],
  ["is empty", () => ""],
  ["goes on with the conversation", () => GARBAGE],
  ["gives up by itself", () => new PlimsollError("aborted", "no answer in time")],
];

const ENDS = ["compaction-end", "compaction-failed", "compaction-cancelled", "context-irreducible"];
const isOver = (type: string) => ENDS.includes(type);

describe.each(PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const))(
  "%s over a long session",
  (_, policy) => {
    test.each(MODELS)("with a model that %s: every view can be sent, and every start has its end", async (_name, replyFor) => {
      const windowTokens = 48_000;
      const run = engineSession({ policy, windowTokens, messages: [], replies: [replyFor(policy.summary.sections)] });
      const unsendable: string[] = [];
      const append = async (message: Message) => {
        const isHuman = message.role === "user";
        if (isHuman) await run.fit({ gate: "before-submit", pending: [message] });
        run.append(message);
        if (message.role === "tool-result") await run.fit({ gate: "after-tool-batch" });
        if (message.role === "assistant") return;
        await run.fit({ gate: "before-step" });
        const view = run.manager.view().messages.slice();
        unsendable.push(...checkMessages(view, { ...STRICT_WIRE_RULES, lastMessage: "any" }).map(({ code }) => code));
        const { expectedTokens } = run.manager.predict();
        run.log(usageEntry(`call-${message.id}`, message.id, expectedTokens));
      };
      for (const message of LONG) await append(message);
      const marks = run.events
        .filter(({ type }) => type === "compaction-start" || isOver(type))
        .map(({ type }) => isOver(type));
      expect(unsendable).toEqual([]);
      expect(run.manager.predict().expectedTokens).toBeLessThanOrEqual(windowTokens);
      expect(marks.length).toBeGreaterThan(0);
      expect(marks).toEqual(marks.map((_mark, index) => index % 2 === 1));
    });
  },
);

const CALLS = Array.from({ length: 60 }, (_, index) => `c${index}`);
const UNREAD = CALLS.map((callId, at) => result(`r${at}`, callId, `what call ${at} found `.repeat(110)));

describe.each(PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const))(
  "%s shows some of each result that nobody has read",
  (_, policy) => {
    test.each([
      ["without a report", null],
      ["behind a report", 4000],
      ["behind a report of far more than was expected", 9000],
    ])("%s", async (_name, promptTokens) => {
      const asked = [human("u", "Read all sixty."), calling("a", CALLS)];
      const run = engineSession({ policy, windowTokens: 24_000, maxOutputTokens: 4000, messages: asked });
      run.log(...(promptTokens === null ? [] : [usageEntry("call-a", "a", promptTokens)]));
      run.append(...UNREAD);
      await run.fit();
      const shown = run.manager
        .view()
        .messages.slice()
        .flatMap((message) => (message.role === "tool-result" ? [textOf(message)] : []));
      expect(shown).toHaveLength(60);
      expect(shown.filter((text, at) => !text.startsWith(`what call ${at} found`))).toEqual([]);
      expect(run.manager.predict().expectedTokens).toBeLessThanOrEqual(20_000);
    });
  },
);
