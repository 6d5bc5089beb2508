/** What a stage took once, in units of what it is held against, which ran just before and just after it. */
export interface StageSample {
  readonly stage: string;
  readonly ratio: number;
}

/** Measures stages one by one and hands on what each gives. */
export interface Meter {
  readonly measure: <Value>(stage: string, run: () => Value | Promise<Value>) => Promise<Value>;
  readonly samples: () => readonly StageSample[];
}

/** What goes on around the stages, outside of their time. */
export interface MeterHooks {
  readonly before: (stage: string) => Promise<void>;
  readonly after: (stage: string) => Promise<void>;
}

/** What a meter may be given: hooks, and a clock in milliseconds in place of the processor time of this process. */
export interface MeterOptions {
  readonly hooks?: MeterHooks | undefined;
  readonly clockMs?: () => number;
}

/** The limit runs this long at least, in milliseconds of processor time, so that one tick more or less does not count. Chosen. */
const LEAST_LIMIT_MS = 15;

const NO_HOOKS: MeterHooks = { before: async () => undefined, after: async () => undefined };

/**
 * A meter that holds each stage against the limit, by the processor time of this process: what others on the machine do cancels out as far
 * as it slows both. Nothing is collected by force: that throws away what was compiled for closures of which none lives, and a run never does it.
 */
export async function createMeter(
  limit: () => unknown,
  { hooks = NO_HOOKS, clockMs = processorMs }: MeterOptions = {},
): Promise<Meter> {
  const samples: StageSample[] = [];
  let runs = 1;
  const limitMs = async () => {
    const start = clockMs();
    for (let run = 0; run < runs; run++) await limit();
    return (clockMs() - start) / runs;
  };
  // Twice: the first run is the one that compiles.
  await limitMs();
  runs = Math.max(1, Math.ceil(LEAST_LIMIT_MS / (await limitMs())));
  return {
    measure: async (stage, run) => {
      const before = await limitMs();
      await hooks.before(stage);
      const start = clockMs();
      const value = await run();
      const stageMs = clockMs() - start;
      await hooks.after(stage);
      samples.push({ stage, ratio: (2 * stageMs) / (before + (await limitMs())) });
      return value;
    },
    samples: () => samples,
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
