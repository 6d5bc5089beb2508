import type { Message, SessionEntry } from "@plimsoll/core";
import { assistant, callPart, human, logOf, reply, result, usageEntry } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { prepareSession } from "../open/prepared-session.ts";
import { changesBetween, controlsOf, messagesAt } from "./controls.ts";
import { prepareNeeds } from "./needs.ts";
import { cutsOf, type FollowedCall, type KeptPlaces, tailControl } from "./tail-and-oracle.ts";

const STEPS = 40;

/** A step that reads a file; every fourth names a line of the file that was read ten steps before. */
function step(place: number): readonly Message[] {
  const call = callPart(`c${place}`, "tool", { argumentsJson: `{"n":${place}}` });
  const said = place >= 10 && place % 4 === 0 ? `as line_${place - 10}_x says` : "on";
  const body = Array.from({ length: 20 }, (_, line) => `line_${place}_x part ${line} of a reading with words`).join("\n");
  return [assistant(`a${place}`, [{ type: "text", text: said }, call]), result(`r${place}`, `c${place}`, body)];
}

const MESSAGES = [
  human("u", "first wish, word for word"),
  ...Array.from({ length: STEPS }, (_, place) => step(place)).flat(),
  reply("end", "done"),
];

function sessionOf(messages: readonly Message[]) {
  const entries: SessionEntry[] = logOf(messages).flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? [usageEntry(`q-${entry.message.id}`, null, 0), entry]
      : [entry],
  );
  return prepareSession({ name: "s", file: "s", format: "agent", entries, parentName: null, hasUsage: false, notes: [] });
}

const session = sessionOf(MESSAGES);
const needs = prepareNeeds(session.entries, { references: session.references, messageTokens: session.sizeJudge.messageTokens });
const history = session.history();
const ordinals = MESSAGES.flatMap((message, place) => (message.role === "assistant" ? [place] : []));

/** Calls as a policy would make them that cuts at every tenth call to `keptTokens`. */
function followed(keptTokens: number): readonly FollowedCall[] {
  const calls = ordinals.map((ordinal, call) => ({
    call,
    ordinal,
    promptTokens: 0,
    nonMessageTokens: 0,
    compactions: call > 0 && call % 10 === 0 ? 1 : 0,
  }));
  const contexts = tailControl(calls, history, cutsOf(history.messages)).contexts(keptTokens);
  return calls.map((call, place) => ({ ...call, promptTokens: contexts[place]?.promptTokens ?? 0 }));
}

describe("the tail", () => {
  test("has the mean prompt of the policy that it follows", () => {
    const calls = followed(900);
    const goal = calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / calls.length;
    const { tail } = controlsOf(needs, session.history(), calls);
    expect(tail.meanPromptTokens / goal).toBeCloseTo(1, 2);
  });

  test("sends whole steps, and the last human message before them", () => {
    const contexts = tailControl(followed(900), history, cutsOf(history.messages)).contexts(900);
    const { kept = { human: null, from: 0, through: 0 } } = contexts[25] ?? {};
    const [first, ...rest] = messagesAt(history.messages, kept);
    expect(first?.id).toBe("u");
    expect(rest[0]?.role).toBe("assistant");
    expect(rest.at(-1)?.role).toBe("tool-result");
  });

  test("is followed by what leaves it and what enters it", () => {
    const inContext = new Set<Message>();
    let before: KeptPlaces = { human: null, from: 0, through: 0 };
    for (const { kept } of [
      ...tailControl(followed(900), history, cutsOf(history.messages)).contexts(900),
      ...tailControl(followed(300), history, cutsOf(history.messages)).contexts(300),
    ]) {
      const { removed, added } = changesBetween(history.messages, before, kept);
      before = kept;
      for (const message of removed) expect(inContext.delete(message)).toBe(true);
      for (const message of added) inContext.add(message);
      expect(inContext).toEqual(new Set(messagesAt(history.messages, kept)));
    }
  });

  test("never cuts into the step that is open", () => {
    const place = MESSAGES.findIndex(({ id }) => id === "r7") + 1;
    expect(MESSAGES[cutsOf(history.messages).keeping(place, 0, history.sizes())]?.id).toBe("a7");
  });

  test("holds everything if nothing is ever cut", () => {
    const calls = followed(0).map((call) => ({ ...call, compactions: 0 }));
    const { all } = controlsOf(needs, session.history(), calls).tail.result("passages");
    expect(all.held).toBe(all.uses);
    expect(all.uses).toBeGreaterThan(5);
  });
});

describe("the oracle", () => {
  test("holds what the tail of the same size has lost", () => {
    const { tail, oracle } = controlsOf(needs, session.history(), followed(900));
    expect(tail.result("passages").all.held).toBeLessThan(tail.result("passages").all.uses);
    expect(oracle.result("passages").all.held).toBe(oracle.result("passages").all.uses);
  });

  test("is not larger than the policy", () => {
    const calls = followed(900);
    const goal = calls.reduce((sum, { promptTokens }) => sum + promptTokens, 0) / calls.length;
    expect(controlsOf(needs, session.history(), calls).oracle.meanPromptTokens).toBeLessThanOrEqual(goal);
  });
});
