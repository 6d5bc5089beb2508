/** How long a process did nothing but one thing: what a person, a timer or another session waits for at most. */
export interface Blocks {
  /** Times of the longest turns of the event loop, longest first, in milliseconds. */
  readonly longestMs: readonly number[];
  /** Processor time of the turn that took most of it, in milliseconds: what other processes do is not in it, the collector's threads are. */
  readonly mostProcessorMs: number;
  readonly turns: number;
  /** Processor time of the whole work, in milliseconds. */
  readonly processorMs: number;
}

/** Blocks that are shown. */
const SHOWN = 5;

/** Runs the work and measures the turns of the event loop that it takes. */
export async function blocksOf(work: () => Promise<unknown>): Promise<Blocks> {
  const turns: { readonly ms: number; readonly processorMs: number }[] = [];
  let at = reading();
  const begun = at.processorMs;
  const end = () => {
    const now = reading();
    turns.push({ ms: now.ms - at.ms, processorMs: now.processorMs - at.processorMs });
    at = now;
  };
  let isOver = false;
  const turn = () => {
    end();
    if (!isOver) setImmediate(turn);
  };
  await new Promise((resolve) => setImmediate(resolve));
  at = reading();
  setImmediate(turn);
  await work();
  end();
  isOver = true;
  return {
    longestMs: turns
      .map(({ ms }) => ms)
      .toSorted((a, b) => b - a)
      .slice(0, SHOWN),
    mostProcessorMs: turns.reduce((most, { processorMs }) => Math.max(most, processorMs), 0),
    turns: turns.length,
    processorMs: at.processorMs - begun,
  };
}

/** Processor time of the work, in milliseconds, without a look at the turns: between them, while a disk is waited for, the look itself would take it all. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = reading();
  await work();
  return reading().processorMs - before.processorMs;
}

function reading(): { readonly ms: number; readonly processorMs: number } {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), processorMs: (user + system) / 1000 };
}
