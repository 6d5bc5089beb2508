import { createDigest, createSession, decodeLog, encodeLog, type SessionEntry } from "@plimsoll/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { linesOf, openVendorDoor, VENDOR_DOORS } from "../testing/vendor-doors.ts";
import { validateMessagesRequest, validateResponsesRequest } from "../testing/vendor-rules.ts";
import { isBoundReasoning } from "./catalog/bound-reasoning.ts";
import { vendorBlockOf } from "./fields.ts";

type Options = NonNullable<Parameters<typeof openVendorDoor>[2]>;

const open: typeof openVendorDoor = async (...how) => {
  const opened = await openVendorDoor(...how);
  onTestFinished(opened.close);
  return opened;
};

const faulty = (fault: ReturnType<NonNullable<Options["faults"]>>): Options => ({
  faults: ({ asks }) => (asks === "summary" ? fault : null),
});
const FAILURES: readonly (readonly [string, number, Options])[] = [
  ["is not asked", 0, { asks: "nobody" }],
  ["is late", 1, { asks: "a late one" }],
  ["refuses", 1, { rules: { compactEndpoint: "off" } }],
  ["is overloaded (529)", 1, faulty({ kind: "status", status: 529 })],
  ["is overloaded (503)", 1, faulty({ kind: "status", status: 503 })],
  ["has no tokens left (429)", 1, faulty({ kind: "status", status: 429, retryAfterSeconds: 60 })],
  ["answers with nothing", 1, faulty({ kind: "empty-reply" })],
  ["is cut off", 1, faulty({ kind: "cut-stream", afterEvents: 0 })],
];
/** Replies that only Messages have: its summary is a reply. */
const MESSAGES_FAILURES: typeof FAILURES = [
  ["is stopped by the length", 1, { summary: { parts: [{ type: "text", text: "so" }], stop: "length" } }],
  ["calls a tool", 1, { summary: { parts: [{ type: "tool-call", toolName: "read_file", argumentsJson: "{}" }] } }],
];

const KEY = "sk-planted-0123456789abcdef";

const CALLS = [
  ["pin", { text: `The key is ${KEY}.` }],
  ["recall", { words: `${KEY} of a file` }],
  ["recall", { handle: KEY }],
  ["remaining", {}],
  ["compact", { focus: `Go on with ${KEY}.` }],
] as const;

const openedAgain = (entries: readonly SessionEntry[]) =>
  createSession({
    ...{ policy: "plimsoll-vendor", summarizer: createDigest(), isBoundReasoning },
    entries: decodeLog(encodeLog(entries), "log").entries,
  });

test("a call that wrote no summary counts with its own usage", async () => {
  const { until, cuts, entries } = await open("session", "anthropic", MESSAGES_FAILURES[0]?.[2]);
  await until(1);
  const paid = cuts().flatMap(({ record }) => record.steps.flatMap(({ usage }) => usage ?? []));
  expect(paid).toMatchObject([{ input: { totalTokens: expect.any(Number) } }]);
  expect(openedAgain(await entries()).totals().requests).toBe(
    (await entries()).filter(({ type }) => type === "usage").length + 1,
  );
});

describe.each(VENDOR_DOORS)("%s on the wire %s", (door, wire, other) => {
  test.each([
    [200, 230, 90, 130],
    [60, 1_200, 27, 39],
  ])(
    "%i steps with results of %i lines, an undo at %i and a switch of model at %i: no thinking is lost, nothing is refused",
    async (...[steps, lines, undoAt, switchAt]) => {
      const given = { offers: "context tools", textOf: linesOf(lines) } as const;
      const { step, undo, switchTo, outcome, cuts, bodies } = await open(door, wire, given);
      const before = new Map([[undoAt, undo] as const, [switchAt, () => switchTo(other)] as const]);
      for (let index = 0; index < steps; index++) {
        await before.get(index)?.();
        await step(index);
      }
      const { asked, toolLists, refused, dropped, lost } = outcome();
      expect(cuts().length).toBeGreaterThanOrEqual(6);
      expect(asked).toBe(cuts().length);
      expect(new Set(cuts().map(({ edits: [first] }) => first?.kind === "replace-spans" && first.by))).toEqual(
        new Set(["vendor"]),
      );
      expect({ refused, dropped, lost, toolLists }).toEqual({ refused: 0, dropped: 0, lost: 0, toolLists: 1 });
      const judge = wire === "anthropic" ? validateMessagesRequest : validateResponsesRequest;
      expect(bodies.flatMap((body) => judge(body))).toEqual([]);
    },
  );

  test("context tools that are declared and never called break the cache only at cuts", async () => {
    const { step, outcome, cuts } = await open(door, wire, { offers: "context tools", textOf: linesOf(230) });
    for (let index = 0; index < 100; index++) await step(index);
    expect(cuts().length).toBeGreaterThanOrEqual(3);
    expect(outcome().breaks).toBe(cuts().length);
  });

  test.each([...FAILURES, ...(wire === "anthropic" ? MESSAGES_FAILURES : [])])(
    "a digest is written at once, and the vendor asked once a session, if it %s",
    async (_, asked, options) => {
      const { until, outcome } = await open(door, wire, options);
      await until(2);
      expect(outcome()).toMatchObject({ writers: ["digest", "digest"], asked });
    },
  );

  test.each(["refused", "expired"] as const)("a block that is %s leaves once, and the digest is sent", async (summaries) => {
    const rules: { summaries?: typeof summaries } = {};
    const { until, outcome } = await open(door, wire, { rules });
    const index = await until(1);
    rules.summaries = summaries;
    await until(2, index);
    expect(outcome()).toMatchObject({ writers: ["vendor", "digest"], refused: 1 });
  });

  test("a block is not sent to another model", async () => {
    const { until, switchTo, step, bodies, outcome } = await open(door, wire);
    const index = await until(1);
    await switchTo(other);
    const before = bodies.length;
    for (const later of [1, 2, 3]) await step(index + later);
    expect(bodies.slice(before).filter((body) => JSON.stringify(body).includes('"type":"compaction"'))).toEqual([]);
    expect(outcome().refused).toBe(0);
  });

  test("the vendor's usage counts, the log is the same when it is opened again, and an undo takes the block out", async () => {
    const { until, cuts, entries } = await open(door, wire);
    await until(1);
    const [edit] = cuts()[0]?.edits ?? [];
    const paidTokens = edit?.kind === "replace-spans" ? (edit.usage?.input.totalTokens ?? 0) : 0;
    expect(paidTokens).toBeGreaterThan(20_000);
    const reopened = openedAgain(await entries());
    expect(reopened.totals().inputTokens).toBeGreaterThan(paidTokens);
    expect(openedAgain(reopened.entries()).context()).toEqual(reopened.context());
    const blocks = () => reopened.context().messages.filter((message) => vendorBlockOf(message) !== undefined).length;
    expect(blocks()).toBe(1);
    await reopened.undo();
    expect(blocks()).toBe(0);
  });

  test("a planted key is in no request, no summary's request, no log, no event, no report and no answer of a tool", async () => {
    const redact = (text: string) => text.split(KEY).join("[key]");
    const textOf = (index: number) => `${index}: KEY=${KEY} of a file\n`.repeat(160);
    const given = { offers: "context tools", redact, textOf } as const;
    const { step, tools, told, bodies, summaries, cuts } = await open(door, wire, given);
    const answers: unknown[] = [];
    for (let index = 0; index < 60; index++) {
      await step(index);
      for (const [name, args] of index % 10 === 5 ? CALLS : []) answers.push(await tools.execute(name, args));
    }
    expect(cuts().length).toBeGreaterThan(1);
    const all = JSON.stringify([await told(), bodies, summaries, answers]);
    expect(all).toContain("The key is [key]");
    expect(all).not.toContain("sk-planted");
  });
});
