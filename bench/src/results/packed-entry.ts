import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { CalibrationRecord } from "../calibrate/calibration-record.ts";
import type { ReplayRow } from "../results.ts";
import { createSharing } from "./equal-parts.ts";

/** An entry of a report whose long lists are deflated JSON, a fifteenth of what they take as objects: plain data, which threads can send. */
export interface PackedEntry<Entry> {
  /** The entry with nothing in its long lists. */
  readonly entry: Entry;
  /** Their names. */
  readonly names: readonly string[];
  readonly packed: Uint8Array;
}

/** The lists of a row that have an entry for each call or compaction, empty. */
export const ROW_LISTS: Pick<ReplayRow, "series" | "compactions" | "cacheMisses" | "composition"> = {
  series: [],
  compactions: [],
  cacheMisses: [],
  composition: { kinds: [], samples: [] },
};

/** The lists of a calibration record that have an entry for each call, empty. */
export const CALIBRATION_LISTS: Pick<CalibrationRecord, "prompts" | "methods"> = { prompts: [], methods: [] };

/** Packs the fields that `empty` has, with what stands in their place. */
export function packEntry<Entry extends object>(entry: Entry, empty: Partial<Entry>): PackedEntry<Entry> {
  const names = Object.keys(empty);
  const lists = Object.fromEntries(Object.entries(entry).filter(([name]) => names.includes(name)));
  const packed = deflateRawSync(JSON.stringify(lists), { level: constants.Z_BEST_SPEED });
  // A copy of its own length: what the platform gives may lie in a longer one.
  return { entry: { ...entry, ...empty }, names, packed: new Uint8Array(packed) };
}

/** Entries whose lists are held unpacked: enough to compare the policies of a session call by call (chosen). */
const HELD_ENTRIES = 8;

type Lists = Readonly<Record<string, unknown>>;

/**
 * Opens packed entries: they are as they were, with their fields in order, but their long lists are unpacked when they are looked at, and those of the
 * entries looked at last alone are held. So a list that is looked at later may be another one with the same content, and a list cannot be set.
 */
export function createEntryOpener<Entry extends object>(): (packed: PackedEntry<Entry>) => Entry {
  const held = new Map<Uint8Array, Lists>();
  const listsOf = (packed: Uint8Array): Lists => {
    const known = held.get(packed);
    if (known !== undefined) return known;
    for (const oldest of held.keys()) if (held.size >= HELD_ENTRIES) held.delete(oldest);
    const lists: Lists = JSON.parse(inflateRawSync(packed).toString("utf8"));
    held.set(packed, lists);
    return lists;
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
  const [own, changed] = [Object.getOwnPropertyDescriptors(entry), Object.getOwnPropertyDescriptors(fields)];
  return Object.create(Object.prototype, { ...own, ...changed });
}
