/**
 * A replay follows its requests by what changed since the one before. At every so-manieth call it is measured in full, too, and both must be the same. Chosen: under
 * `none`, the fastest policy, it takes less than a twentieth of a replay.
 */
const SAMPLE_CALLS = 64;

/** The first sampled call, so that a session of sixteen calls has one. */
const FIRST_SAMPLED = 15;

/** True for calls that are measured in full as well. */
export function isSampled(call: number): boolean {
  return call % SAMPLE_CALLS === FIRST_SAMPLED;
}

/** What was found by differences, and how it is found in full. Both are plain data. */
export interface TwoForms<Found> {
  readonly fast: Found;
  readonly full: () => Found;
}

/**
 * What was found by differences; at a sampled call the full form is asked as well. Throws a plain `Error` if they differ, since nothing but a fault of the program
 * makes them.
 */
export function confirmed<Found>(what: string, call: number, { fast, full }: TwoForms<Found>): Found {
  if (!isSampled(call)) return fast;
  const [followed, whole] = [JSON.stringify(fast), JSON.stringify(full())];
  if (followed === whole) return fast;
  throw new Error(
    `${what} of call ${call} differs between what was followed (${shown(followed)}) and the full form (${shown(whole)})`,
  );
}

const SHOWN_CHARS = 200;

function shown(json: string): string {
  return json.length > SHOWN_CHARS ? `${json.slice(0, SHOWN_CHARS)}…` : json;
}
