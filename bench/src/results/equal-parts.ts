/**
 * Lets values that are equal within and among what it is given be one object each: of the 150 records of a row's figures four are new (measured over 1,865
 * rows). It changes what it is given, which is data of the caller's own, as a thread sends it.
 */
export function createSharing(): (value: unknown) => void {
  const parts: Parts = { byContent: new Map(), numberOf: new Map() };
  return (value) => {
    if (typeof value === "object" && value !== null) shareWithin(value, parts);
  };
}

interface Parts {
  readonly byContent: Map<string, object>;
  readonly numberOf: Map<object, number>;
}

/** Puts the shared parts in the places of those that are equal to them, and returns what the value holds then. */
function shareWithin(value: object, parts: Parts): readonly unknown[] {
  const content: unknown[] = [Array.isArray(value)];
  for (const [name, within] of Object.entries(value)) {
    const shared = typeof within === "object" && within !== null ? partFor(within, parts) : within;
    // Not an assignment: a field may be called `__proto__`.
    if (shared !== within)
      Object.defineProperty(value, name, { value: shared, configurable: true, enumerable: true, writable: true });
    content.push(name, told(shared, parts));
  }
  return content;
}

function partFor(value: object, parts: Parts): object {
  const content = JSON.stringify(shareWithin(value, parts));
  const known = parts.byContent.get(content);
  if (known !== undefined) return known;
  parts.byContent.set(content, value);
  parts.numberOf.set(value, parts.numberOf.size);
  return value;
}

/** Writes a value so that it can be told from others, as JSON: a shared part by its number, which no number of its own is told as. */
function told(value: unknown, { numberOf }: Parts): unknown {
  if (typeof value === "object" && value !== null) return { part: numberOf.get(value) };
  if (typeof value === "number") return [Object.is(value, -0) ? "-0" : String(value)];
  return value === undefined ? [] : value;
}
