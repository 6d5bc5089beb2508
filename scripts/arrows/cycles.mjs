/**
 * The shortest cycle through each file that can reach itself, every cycle once, in the order of the files given.
 * @param {ReadonlyMap<string, readonly string[]>} targetsOf for each file the files it imports
 * @returns {string[][]} the files of a cycle, the first one repeated at the end
 */
export function findCycles(targetsOf) {
  /** @type {string[][]} */
  const cycles = [];
  const inKnownCycle = new Set();
  for (const start of targetsOf.keys()) {
    if (inKnownCycle.has(start)) continue;
    const cycle = shortestWayBack(start, targetsOf);
    if (cycle === null) continue;
    cycles.push(cycle);
    for (const file of cycle) inKnownCycle.add(file);
  }
  return cycles;
}

/** @param {string} start @param {ReadonlyMap<string, readonly string[]>} targetsOf @returns {string[] | null} */
function shortestWayBack(start, targetsOf) {
  const ways = [[start]];
  const seen = new Set();
  for (const way of ways) {
    for (const target of targetsOf.get(way.at(-1) ?? start) ?? []) {
      if (target === start) return [...way, start];
      if (seen.has(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return null;
}
