import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { ReplayRow } from "../results.ts";
import { createEntryOpener, packEntry, ROW_LISTS, withFields } from "./packed-entry.ts";

const { rows } = exampleReport({ sessions: ["a.jsonl", "b.jsonl"], calls: 6 });

/** As between threads. */
const packedRows = rows.map((row) => structuredClone(packEntry(row, ROW_LISTS)));
const open = createEntryOpener<ReplayRow>();
const opened = packedRows.map(open);
const many = packedRows.slice(0, 1).flatMap((packed) => Array.from({ length: 8 }, () => open(structuredClone(packed))));

describe("a packed entry", () => {
  test("is as it was, to the order of its fields", () => {
    expect(opened.map((row) => JSON.stringify(row))).toEqual(rows.map((row) => JSON.stringify(row)));
    expect(opened[1]?.series).toEqual(rows[1]?.series);
    expect(structuredClone(opened[0])).toEqual(rows[0]);
  });

  test("holds none of its long lists", () => {
    const packed = packEntry({ name: "a", list: Array.from({ length: 10_000 }, (_, place) => place % 7) }, { list: [] });
    expect(packed.entry).toEqual({ name: "a", list: [] });
    expect(packed.packed.buffer.byteLength).toBeLessThan(500);
  });

  test("is unpacked once while it is among those that were looked at last", () => {
    const [first, second] = opened;
    const series = first?.series;
    expect(second?.series).toEqual(rows[1]?.series);
    expect(first?.series).toBe(series);
    expect(first?.compactions).toEqual(rows[0]?.compactions);
    for (const row of many) expect(row.series).toEqual(rows[0]?.series);
    expect(first?.series).not.toBe(series);
    expect(first?.series).toEqual(series);
  });

  test("stays packed when it is given another name", () => {
    const [first] = opened;
    if (first === undefined) throw new Error("no row");
    const renamed = withFields(first, { policy: "other" });
    expect(JSON.stringify(renamed)).toBe(JSON.stringify({ ...rows[0], policy: "other" }));
    expect(Object.getOwnPropertyDescriptor(renamed, "series")?.get).toBeDefined();
    expect(withFields(first, { series: [] }).series).toEqual([]);
    expect(first.policy).toBe(rows[0]?.policy);
  });

  test("is not unpacked to be given another name", () => {
    const unread = Object.defineProperty({ policy: "a", series: [0] }, "series", {
      enumerable: true,
      get: () => {
        throw new Error("looked at");
      },
    });
    expect(withFields(unread, { policy: "b" }).policy).toBe("b");
  });
});
