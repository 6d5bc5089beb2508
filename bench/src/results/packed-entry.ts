import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { CalibrationRecord } from "../calibrate/calibration-record.ts";
import type { ReplayRow } from "../results.ts";
import { createSharing } from "./shared-parts.ts";

/** An entry of a report whose long lists are deflated JSON, a fifteenth of what they take as objects: plain data, which threads can send. */
export interface PackedEntry<Entry> {
  /** The entry with nothing in its long lists. */
  readonly entry: Entry;
  /** Their names. */
  readonly names: readonly string[];
  readonly packed: Uint8Array;
}

/** What of a row has an entry for each call or compaction, empty. */
export const ROW_LISTS: Pick<ReplayRow, "series" | "compactions" | "cacheMisses" | "composition"> = {
  series: [],
  compactions: [],
  cacheMisses: [],
  composition: { kinds: [], samples: [] },
};

/** What of a calibration record has an entry for each call, empty. */
export const CALIBRATION_LISTS: Pick<CalibrationRecord, "prompts" | "methods"> = { prompts: [], methods: [] };

/** Packs the fields that `empty` has, with what stands in their place. */
export function packEntry<Entry extends object>(entry: Entry, empty: Partial<Entry>): PackedEntry<Entry> {
  const names = Object.keys(empty);
  const lists = Object.fromEntries(Object.entries(entry).filter(([name]) => names.includes(name)));
  const packed = deflateRawSync(JSON.stringify(lists), { level: constants.Z_BEST_SPEED });
  // A copy of its own length: what the platform gives may lie in a longer one.
  return { entry: { ...entry, ...empty }, names, packed: new Uint8Array(packed) };
}

/**
 * Opens packed entries: they are as they were, with their fields in order, but their long lists are unpacked when they are looked at, and those of the
 * last entry alone are held.
 */
export function createEntryOpener<Entry extends object>(): (packed: PackedEntry<Entry>) => Entry {
  let last: { readonly packed: Uint8Array; readonly lists: Readonly<Record<string, unknown>> } | null = null;
  const listsOf = (packed: Uint8Array) => {
    if (last?.packed !== packed) last = { packed, lists: JSON.parse(inflateRawSync(packed).toString("utf8")) };
    return last.lists;
  };
  return ({ entry, names, packed }) => {
    const opened = { ...entry };
    for (const name of names)
      Object.defineProperty(opened, name, { configurable: true, enumerable: true, get: () => listsOf(packed)[name] });
    return opened;
  };
}

/** Opens packed rows; records of figures that are equal among them are one object each. */
export function createRowOpener(): (packed: PackedEntry<ReplayRow>) => ReplayRow {
  const open = createEntryOpener<ReplayRow>();
  const share = createSharing();
  return (packed) => {
    share(packed.entry.metrics);
    return open(packed);
  };
}

/** The entry with other values in some of its fields; long lists stay packed. */
export function withFields<Entry extends object>(entry: Entry, fields: Partial<Entry>): Entry {
  const changed = { ...entry, ...fields };
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(entry)))
    if (property.get !== undefined && !(name in fields)) Object.defineProperty(changed, name, property);
  return changed;
}
