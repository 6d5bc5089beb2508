import { existsSync, readFileSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

/** How long a process did nothing but one thing: what a person, a timer or another session waits for at most. */
export interface Blocks {
  /** The longest turns of the event loop, longest first. */
  readonly longest: readonly Turn[];
  /** Processor time of the turn that took most of it, in milliseconds: what other processes do is not in it, the collector's threads are. */
  readonly mostProcessorMs: number;
  readonly turns: number;
  /** Processor time of the whole work, in milliseconds. */
  readonly processorMs: number;
}

/** A turn of the event loop, in milliseconds. */
export interface Turn {
  /** Its time, without what the thread waited for a processor that others had, where the platform tells that (Linux). */
  readonly ms: number;
  /** How much of that was the collector at most: its pauses by the clock. */
  readonly collectedMs: number;
}

/** A stretch of time by the clock of `performance.now()`, in milliseconds. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** A turn as it was measured: how long it took by the clock, and for how much of that the thread had no processor. */
export interface MeasuredTurn extends Stretch {
  readonly waitedMs: number;
}

/** Turns that are shown. */
const SHOWN = 5;

/** Runs the work and measures the turns of the event loop that it takes. */
export async function blocksOf(work: () => Promise<unknown>): Promise<Blocks> {
  const turns: (MeasuredTurn & { readonly processorMs: number })[] = [];
  const pauses = watchCollector();
  let at = reading();
  const begun = at.processorMs;
  const end = () => {
    const now = reading();
    turns.push({
      startMs: at.ms,
      endMs: now.ms,
      waitedMs: now.waitedMs - at.waitedMs,
      processorMs: now.processorMs - at.processorMs,
    });
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
    longest: longestTurns(turns, await pauses()).slice(0, SHOWN),
    mostProcessorMs: turns.reduce((most, { processorMs }) => Math.max(most, processorMs), 0),
    turns: turns.length,
    processorMs: at.processorMs - begun,
  };
}

/** The turns, longest first, each with what the pauses of the collector take of it. */
export function longestTurns(turns: readonly MeasuredTurn[], pauses: readonly Stretch[]): readonly Turn[] {
  return turns
    .map((turn) => {
      const ms = Math.max(0, turn.endMs - turn.startMs - turn.waitedMs);
      return {
        ms,
        collectedMs: Math.min(
          ms,
          pauses.reduce((sum, each) => sum + sharedMs(turn, each), 0),
        ),
      };
    })
    .toSorted((a, b) => b.ms - a.ms);
}

function sharedMs(a: Stretch, b: Stretch): number {
  return Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs));
}

/** Notes the pauses of the collector from now on, until it is asked for them. Steps of marking between them are not told by the platform. */
function watchCollector(): () => Promise<readonly Stretch[]> {
  const pauses: Stretch[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) pauses.push({ startMs: startTime, endMs: startTime + duration });
  });
  observer.observe({ entryTypes: ["gc"] });
  return async () => {
    // They are told a turn later.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    observer.disconnect();
    return pauses;
  };
}

/** Processor time of the work, in milliseconds, without a look at the turns: between them, while a disk is waited for, the look itself would take it all. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = reading();
  await work();
  return reading().processorMs - before.processorMs;
}

function reading(): { readonly ms: number; readonly processorMs: number; readonly waitedMs: number } {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), processorMs: (user + system) / 1000, waitedMs: waitedMs() };
}

/** Linux tells of the first thread of a process how long it ran, and how long it waited for a processor, in nanoseconds (proc(5)). */
const SCHEDULED = "/proc/self/schedstat";
const tellsWaits = existsSync(SCHEDULED);

function waitedMs(): number {
  return tellsWaits ? Number(readFileSync(SCHEDULED, "utf8").split(" ")[1]) / 1e6 : 0;
}
