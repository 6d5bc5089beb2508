import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";
import type { MeterHooks } from "./meter.ts";

/** What a function took itself, without those that it calls, as a share of all samples. */
export interface SelfTime {
  readonly functionName: string;
  readonly ratio: number;
}

/** Looks at what runs during each stage. */
export interface StageProfiles {
  readonly hooks: MeterHooks;
  /** The functions with the most self time, in all runs of the stage together. */
  readonly top: (stage: string, count: number) => readonly SelfTime[];
}

/** How often the profiler looks, in microseconds: chosen, fine enough for stages of some ten milliseconds. */
const INTERVAL_MICROSECONDS = 200;

/** Not work, or that of the profiler itself, which starts and ends within what it looks at: `dispatch` is the inspector's. */
const NOT_OF_THE_STAGE = new Set(["(idle)", "(root)", "dispatch"]);

/** Profiles every stage that a meter with its hooks measures, which makes all of them slower. */
export async function profileStages(): Promise<StageProfiles> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post("Profiler.enable");
  await inspector.post("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
  const timesOf = new Map<string, Map<string, number>>();
  return {
    hooks: {
      before: async () => inspector.post("Profiler.start"),
      after: async (stage) => {
        const { profile } = await inspector.post("Profiler.stop");
        const times = timesOf.get(stage) ?? new Map<string, number>();
        timesOf.set(stage, times);
        addSelfTimes(profile, times);
      },
    },
    top: (stage, count) => {
      const times = timesOf.get(stage) ?? new Map<string, number>();
      const whole = [...times.values()].reduce((sum, each) => sum + each, 0);
      const sorted = [...times].toSorted(([, one], [, other]) => other - one);
      return sorted.slice(0, count).map(([functionName, time]) => ({ functionName, ratio: time / whole }));
    },
  };
}

function addSelfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile, times: Map<string, number>): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  for (const [index, id] of samples.entries()) {
    const functionName = names.get(id) ?? "";
    if (!NOT_OF_THE_STAGE.has(functionName)) times.set(functionName, (times.get(functionName) ?? 0) + (timeDeltas[index] ?? 0));
  }
}

function nameOf({ functionName, url, lineNumber }: { functionName: string; url: string; lineNumber: number }): string {
  const file = url.slice(url.lastIndexOf("/") + 1);
  if (file === "") return functionName;
  return `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
}
