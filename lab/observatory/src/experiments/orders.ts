import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ExchangeFacts, MainStep, Probe } from "@plimsoll/providers/simulator";
import { z } from "zod";
import { compactionsIn, SUMMARY } from "../compactions.ts";
import type { ActsBetween } from "../facts.ts";
import { root } from "../namespace.ts";
import { type Lab, SIDE, smallLimits } from "./setting.ts";

const turn = z.number();
const orderSchema = z.object({ text: z.string(), revoke: z.string().nullable(), given: turn, revoked: turn.nullable() });
const thingSchema = z.object({ name: z.string(), started: turn, ended: turn.nullable() });
const sessionSchema = z.object({ prompts: z.array(z.string()), orders: z.array(orderSchema), things: z.array(thingSchema) });

/** A made session of bench: the person's messages, and by their numbers when orders hold and things run. */
type OrderSession = z.infer<typeof sessionSchema>;

/** How the stand-in for a model summarises: it says nothing, or it quotes the person's lines that it is sent, the newest that fit. */
export type SummaryKind = "nothing" | "quotes";

/** The counts of bench's table in the request after the last compaction that was reached. */
export interface OrderCounts {
  readonly cuts: number;
  readonly inForce: number;
  readonly held: number;
  readonly revoked: number;
  /** Revoked orders that are there without the words that took them back. */
  readonly stale: number;
  readonly running: number;
  readonly named: number;
}

/** Compactions that are asked for, and the time after which what was reached is counted. Chosen. */
const CUTS = 50;
const MOST_MS = 1_500_000;

/** Messages in one if a program compacts between steps, calls for each, and text that each call prints: a small window is full after five to ten. Chosen. */
const JOINED = 5;
const CALLS = 5;
const CALL_TOKENS = 7_000;

/** UTF-16 units that a quoting summary has at most: chosen, 2,000 tokens. */
const QUOTED_CHARS = 8_000;

/** Plays a made session with orders, and counts what a program's requests still have of them after fifty compactions. */
export async function ordersAfterCuts(lab: Lab, summary: SummaryKind, between: ActsBetween): Promise<OrderCounts> {
  const made = sessionSchema.parse(JSON.parse(readFileSync(join(root, "lab/observatory/orders/made-3001.json"), "utf8")));
  const count = between === "turns" ? 1 : JOINED;
  const session = joined(made, count);
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  let newest = "";
  const quoting = {
    ...SIDE,
    get summary() {
      return { text: quotedFrom(newest, session.prompts) };
    },
  };
  const { exchanges } = await lab.play(`orders, a summary that ${summary === "quotes" ? "quotes" : "says nothing"}`, {
    scenario: {
      name: "orders",
      tokenFactorRatio,
      main: session.prompts.flatMap((_, at) => turnSteps(session, at, CALLS * count)),
      probes: probesOf(session),
      endAfter: { kind: SUMMARY, times: CUTS, mains: 1 },
      side: summary === "quotes" ? quoting : SIDE,
    },
    limits,
    prompts: session.prompts,
    onBody: (body) => {
      newest = JSON.stringify(body);
    },
    mostMs: MOST_MS,
  });
  return countsOf(exchanges, session);
}

/** The session with so many messages in one: a program that compacts between steps starts less often. */
function joined({ prompts, orders, things }: OrderSession, count: number): OrderSession {
  const turnOf = (at: number | null) => (at === null ? null : Math.floor(at / count));
  return {
    prompts: prompts.flatMap((_, at) => (at % count === 0 ? [prompts.slice(at, at + count).join("\n\n")] : [])),
    orders: orders.map((order) => ({ ...order, given: turnOf(order.given) ?? 0, revoked: turnOf(order.revoked) })),
    things: things.map((thing) => ({ ...thing, started: turnOf(thing.started) ?? 0, ended: turnOf(thing.ended) })),
  };
}

/** The steps of one turn: things that start or end are told with a call. */
function turnSteps({ things }: OrderSession, at: number, calls: number): readonly MainStep[] {
  const told = things.flatMap(({ name, started, ended }) => [
    ...(started === at ? [`I have started ${name} in the background.`] : []),
    ...(ended === at ? [`I have stopped ${name}.`] : []),
  ]);
  const tells = told.map((text): MainStep => ({ call: { outputTokens: 50, text } }));
  return [...tells, { call: { outputTokens: CALL_TOKENS }, repeat: calls }, { say: { text: `Part ${at} is finished.` } }];
}

function probesOf({ orders, things }: OrderSession): readonly Probe[] {
  return [
    ...orders.flatMap(({ text, revoke }, at) => [
      { id: `order ${at}`, text },
      ...(revoke === null ? [] : [{ id: `revoke ${at}`, text: revoke }]),
    ]),
    ...things.map(({ name }, at) => ({ id: `thing ${at}`, text: name })),
  ];
}

/** The person's lines that a request holds, the newest that fit, oldest first. */
function quotedFrom(request: string, prompts: readonly string[]): string {
  const lines = [...new Set(prompts.flatMap((prompt) => prompt.split("\n")))].filter((line) => line.trim() !== "");
  const held = lines.filter((line) => request.includes(JSON.stringify(line).slice(1, -1)));
  let chars = 0;
  const fitting = held.toReversed().filter((line) => {
    chars += line.length + 1;
    return chars <= QUOTED_CHARS;
  });
  return `<state_snapshot>\n${fitting.toReversed().join("\n")}\n</state_snapshot>`;
}

/** Counts over the request after the last compaction, of what was said by then. */
function countsOf(exchanges: readonly ExchangeFacts[], { orders, things }: OrderSession): OrderCounts {
  const found = compactionsIn(exchanges)
    .flatMap(({ after }) => after ?? [])
    .slice(0, CUTS);
  const after = found.at(-1);
  if (after === undefined) throw new Error("orders: it did not compact");
  const said = Math.max(-1, ...exchanges.slice(0, after.index + 1).flatMap(({ person }) => person));
  const isPast = (at: number | null) => at !== null && at <= said;
  const has = (id: string) => after.probes.includes(id);
  const known = orders.map((order, at) => ({ ...order, at })).filter(({ given }) => isPast(given));
  const inForce = known.filter(({ revoked }) => !isPast(revoked));
  const revoked = known.filter((order) => isPast(order.revoked));
  // Things of the newest turn may not have been told yet.
  const running = things
    .map((thing, at) => ({ ...thing, at }))
    .filter(({ started, ended }) => started < said && !isPast(ended));
  return {
    cuts: found.length,
    inForce: inForce.length,
    held: inForce.filter(({ at }) => has(`order ${at}`)).length,
    revoked: revoked.length,
    stale: revoked.filter(({ at }) => has(`order ${at}`) && !has(`revoke ${at}`)).length,
    running: running.length,
    named: running.filter(({ at }) => has(`thing ${at}`)).length,
  };
}
