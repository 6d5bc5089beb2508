import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { markdownTable } from "@plimsoll/bench/extend";
import { foldFacts, NO_FACTS } from "@plimsoll/core/extend";
import { z } from "zod";
import { grouped, resampled } from "./resample.ts";

const messageSchema = z.object({ session: z.string(), index: z.number(), text: z.string() });
const revokeSchema = z.object({ of: z.number(), revoked: z.string() });
const labelSchema = messageSchema.omit({ text: true }).extend({ orders: z.array(z.string()), revokes: z.array(revokeSchema) });

/** Words of a message that are an order, or that a later message takes back. */
interface Told {
  readonly index: number;
  readonly text: string;
}

/** Words of one conversation that a reader, or the record, takes for orders and for taken back. */
interface Reading {
  readonly orders: readonly Told[];
  readonly revoked: readonly Told[];
}

type Label = z.infer<typeof labelSchema>;
type Readings = ReadonlyMap<string, Reading>;

/** The half of all conversations that one belongs to, by the hash of its name: rules may be made on `learn` alone. */
function halfOf(session: string): "learn" | "report" {
  return (createHash("sha256").update(session).digest()[0] ?? 0) % 2 === 0 ? "learn" : "report";
}

function rowsOf<Row>(path: string, schema: z.ZodType<Row>): readonly Row[] {
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

/** The record after all messages of a conversation, without replies: what a turn made of an order is not seen. */
function readByRecord(messages: readonly z.infer<typeof messageSchema>[]): Reading {
  const { statements } = messages.reduce((facts, { index, text }) => {
    const parts = [{ type: "text", text }] as const;
    const message = { id: String(index), role: "user", origin: "human", atMs: null, parts } as const;
    return foldFacts(facts, { type: "message", message });
  }, NO_FACTS).said;
  const told = statements.map(({ messageId, text, kind, isEnd, standing }) => ({
    index: Number(messageId),
    text,
    kind,
    isEnd,
    standing,
  }));
  return {
    orders: told.filter(({ kind, isEnd }) => kind === "order" && !isEnd),
    revoked: told.filter(({ standing }) => standing !== "in-force"),
  };
}

function readByPerson(labels: readonly Label[]): Reading {
  return {
    orders: labels.flatMap(({ index, orders }) => orders.map((text) => ({ index, text }))),
    revoked: labels.flatMap(({ revokes }) => revokes.map(({ of, revoked }) => ({ index: of, text: revoked }))),
  };
}

/** Two readers mean one sentence if one has the other's words, or most of them. */
function areSame(a: Told, b: Told): boolean {
  if (a.index !== b.index) return false;
  const [short, long] = [wordsOf(a.text), wordsOf(b.text)].sort((x, y) => x.length - y.length);
  const known = new Set(long);
  return (short ?? []).filter((word) => known.has(word)).length >= (short ?? []).length * SAME_WORDS_RATIO;
}

/** Share of the shorter one's words; chosen before a label was read. */
const SAME_WORDS_RATIO = 0.8;

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function bothOf(first: Reading, second: Reading): Reading {
  const both = (kind: keyof Reading) => first[kind].filter((each) => second[kind].some((other) => areSame(each, other)));
  return { orders: both("orders"), revoked: both("revoked") };
}

/** Words of one reading that the other has too, of all that it has; with the interval over conversations. */
function shareIn(some: Readings, others: Readings, kind: keyof Reading): string {
  const counts = [...some].map(([session, reading]) => {
    const known = others.get(session)?.[kind] ?? [];
    return [reading[kind].filter((each) => known.some((other) => areSame(each, other))).length, reading[kind].length] as const;
  });
  const sum = (weights: Float64Array, of: 0 | 1) =>
    counts.reduce((total, count, at) => total + count[of] * (weights[at] ?? 0), 0);
  const { value, interval } = resampled(counts.length, (weights) => sum(weights, 0) / sum(weights, 1));
  const ends = interval === null ? "" : ` [${interval.from.toFixed(2)}, ${interval.through.toFixed(2)}]`;
  const [found, all] = [
    counts.reduce((total, [part]) => total + part, 0),
    counts.reduce((total, [, whole]) => total + whole, 0),
  ];
  return value === null || !Number.isFinite(value) ? `– of ${all}` : `${value.toFixed(2)}${ends}, ${found} of ${all}`;
}

/** The table: how far the record, and one reader by another, find the orders and the withdrawn words that readers marked in recorded messages of one half. */
export function labelsPage(paths: readonly string[], half: "learn" | "report"): string {
  const [messages = "", first = "", second = ""] = paths;
  const isIn = ({ session }: { readonly session: string }) => halfOf(session) === half;
  const read = <Row extends { readonly session: string }>(
    rows: readonly Row[],
    by: (rows: readonly Row[]) => Reading,
  ): Readings => new Map([...grouped(rows.filter(isIn), ({ session }) => session)].map(([session, own]) => [session, by(own)]));
  const record = read(rowsOf(messages, messageSchema), readByRecord);
  const one = read(rowsOf(first, labelSchema), readByPerson);
  const two = read(rowsOf(second, labelSchema), readByPerson);
  const both: Readings = new Map([...one].map(([session, reading]) => [session, bothOf(reading, two.get(session) ?? reading)]));
  const row = (name: string, found: Readings, truth: Readings) => [
    name,
    ...(["orders", "revoked"] as const).flatMap((kind) => [shareIn(found, truth, kind), shareIn(truth, found, kind)]),
  ];
  return markdownTable({
    head: [
      `${half}, ${record.size} conversations`,
      "orders: precision",
      "recall",
      "taken back or doubtful: precision",
      "recall",
    ],
    rows: [
      row("record, by the first", record, one),
      row("record, by the second", record, two),
      row("record, by both", record, both),
      row("second, by the first", two, one),
    ],
  });
}
