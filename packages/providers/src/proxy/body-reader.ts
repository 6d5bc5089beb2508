import { wellFormed } from "@plimsoll/core/extend";
import { type Fields, parseRecord, recordsAt } from "../fields.ts";
import { type ArrayPlaces, arrayPlacesAt, type Place, withElements } from "./array-places.ts";
import { withoutCacheMarks } from "./cache-marks.ts";

/** A request's body that has a history. */
export interface ReadBody {
  /** The body's parameters; its history is empty here. */
  readonly fields: Fields;
  /** The history. An item with the text that it had in an earlier request is the object of that time. */
  readonly all: readonly Fields[];
  /** The body's text with an empty array in place of the history. */
  readonly frameText: string;
  readonly places: ArrayPlaces;
  /** The item as it is logged: well formed, without breakpoints of the prompt cache. It is the object of an earlier request if it says the same. */
  plain(item: Fields): Fields;
}

/** Parses a body, but no item that an earlier body had in its place. `null` for a body without a history, and for text that is no JSON. */
export type BodyReader = (bodyText: string, itemsKey: string) => ReadBody | null;

interface KeptBody extends Pick<ReadBody, "all" | "places"> {
  readonly bodyText: string;
}

/** The newest bodies that are kept to compare with, and their characters; chosen: a busy proxy's conversations, at the memory of its logs. */
const MOST_BODIES = 200;
const MOST_CHARS = 100_000_000;

/** Makes a reader of the bodies of any number of conversations, one after the other. */
export function createBodyReader(): BodyReader {
  let kept: readonly KeptBody[] = [];
  const plains = new WeakMap<Fields, Fields>();
  const plain = (item: Fields) => {
    const known = plains.get(item) ?? wellFormed(withoutCacheMarks(item));
    plains.set(item, known);
    return known;
  };
  const keep = (body: KeptBody, { before, places }: SharedItems) => {
    const isNext = (each: KeptBody) => each === before && 2 * places.length > each.all.length;
    let chars = 0;
    kept = [body, ...kept.filter((each) => !isNext(each))].filter(({ bodyText }, index) => {
      chars += bodyText.length;
      return index < MOST_BODIES && chars <= MOST_CHARS;
    });
  };
  return (bodyText, itemsKey) => {
    let shared: SharedItems = { before: null, places: [] };
    const places = arrayPlacesAt(bodyText, itemsKey, (start) => {
      shared = sharedItems(kept, bodyText, start);
      return shared.places;
    });
    if (places === null) return null;
    const { before } = shared;
    const known = before?.all.slice(0, shared.places.length) ?? [];
    const knownEnd = shared.places.at(-1)?.end;
    const freshText =
      knownEnd === undefined ? bodyText.slice(places.start, places.end) : `[{}${bodyText.slice(knownEnd, places.end)}`;
    const frameText = withElements(bodyText, places, []);
    const fields = parseRecord(frameText);
    const read = parseRecord(`{"fresh":${freshText}}`);
    const fresh = recordsAt(read, "fresh").slice(knownEnd === undefined ? 0 : 1);
    const all = [...known, ...fresh];
    if (fields === null || read === null || all.length === 0 || all.length < places.elements.length) return null;
    for (const [index, now] of fresh.entries()) {
      const was = before?.all[known.length + index];
      if (was === undefined || JSON.stringify(plain(was)) !== JSON.stringify(plain(now))) break;
      plains.set(now, plain(was));
    }
    keep({ bodyText, all, places }, shared);
    return { fields, all, frameText, places, plain };
  };
}

/** The items of a history that an earlier body has at its beginning, character by character the same, and their places. */
interface SharedItems {
  readonly before: KeptBody | null;
  readonly places: readonly Place[];
}

function sharedItems(kept: readonly KeptBody[], bodyText: string, start: number): SharedItems {
  let most: SharedItems = { before: null, places: [] };
  for (const before of kept) {
    const shift = start - before.places.start;
    const places: Place[] = [];
    let from = before.places.start;
    for (const { start, end } of before.places.elements) {
      if (bodyText.slice(from + shift, end + shift) !== before.bodyText.slice(from, end)) break;
      places.push({ start: start + shift, end: end + shift });
      from = end;
    }
    if (places.length > most.places.length) most = { before, places };
  }
  return most;
}
