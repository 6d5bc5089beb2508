/** Makes a value when it is asked for first. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
