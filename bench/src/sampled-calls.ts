/**
 * True for calls that are measured in full as well: the 8th, the 32nd, the 128th and so on. A replay follows its requests by what changed since the one before,
 * and both must be the same. Each comes after four times as many calls as the one before it, so that
 * all of them together read less than half as much again as the last one: work stays linear in the session. Chosen: `none`, the fastest policy, takes a twentieth more.
 */
export function isSampled(call: number): boolean {
  let sampled = FIRST_SAMPLED;
  while (sampled < call + 1) sampled *= SAMPLES_APART;
  return sampled === call + 1;
}

const FIRST_SAMPLED = 8;
const SAMPLES_APART = 4;

/** A value found by differences, and the function that finds it in full. Both are plain data. */
export interface TwoForms<Found> {
  readonly fast: Found;
  readonly full: () => Found;
}

/**
 * Confirms a value found by differences; at a sampled call the full form is asked as well. Throws a plain `Error` if they differ, since nothing but a
 * fault of the program makes them.
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
