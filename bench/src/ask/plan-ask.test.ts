import { NONE_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { beforeAll, describe, expect, test } from "vitest";
import { askedPlan } from "../../testing/asked-session.ts";
import type { AskedContext } from "./ask-report.ts";
import type { AskPlan } from "./plan-ask.ts";

/** Replays take a second, longer if other tests run at the same time. */
const PLAN_MS = 60_000;

/** Six calls under one policy: eighteen requests. */
let planned: AskPlan;
beforeAll(async () => {
  planned = await askedPlan([SVEN_POLICY]);
}, PLAN_MS);

describe("a plan", () => {
  test("has calls of both sessions after their cuts, with three contexts of which the last two are of one size", async () => {
    expect(planned.calls.map(({ session }) => session)).toEqual([...Array(3).fill("a.jsonl"), ...Array(3).fill("b.jsonl")]);
    for (const { call, requests } of planned.calls) {
      expect(call).toBeGreaterThan(0);
      expect(requests.full.promptTokens).toBeGreaterThan(requests.compacted.promptTokens);
    }
    const mean = (context: AskedContext) =>
      planned.calls.reduce((sum, { requests }) => sum + requests[context].promptTokens, 0) / 6;
    expect(mean("tail") / mean("compacted")).toBeCloseTo(1, 1);
  });

  test("offers the tools that the calls show, as the log has no definitions", () => {
    expect(planned.sessions.map(({ toolsFrom }) => toolsFrom)).toEqual(["calls", "calls"]);
    const { context } = planned.calls[0]?.requests.tail.request ?? {};
    expect(context?.tools.map(({ name }) => name)).toEqual(["read"]);
    expect(context?.system).toBe("You are a test.");
  });

  test("asks policies about the same calls, with one request for the full history", { timeout: PLAN_MS }, async () => {
    const both = await askedPlan([SVEN_POLICY, { ...SVEN_POLICY, name: "again" }, NONE_POLICY]);
    const callsOf = (name: string) => both.calls.filter(({ policy }) => policy === name);
    const places = (name: string) => callsOf(name).map(({ session, call }) => `${session} ${call}`);
    expect(places("again")).toEqual(places("sven"));
    expect(places("none")).toEqual([]);
    expect(callsOf("again").map(({ requests }) => requests.full.key)).toEqual(
      callsOf("sven").map(({ requests }) => requests.full.key),
    );
  });
});
