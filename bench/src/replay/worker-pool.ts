import { option } from "@plimsoll/core/extend";
import { Tinypool } from "tinypool";
import { z } from "zod";
import { BUILT_IN_PARTS } from "../extension.ts";
import { type CorpusReader, createOpener, type FileMarks, type InputFile, marksOf, type Opener } from "../open/corpus.ts";
import { createFileReplayer, type FileReplay, type ReplayerOptions } from "./file-replayer.ts";
import type { FileTask } from "./file-task.ts";

/** Opens and replays files for {@link runBench}, `jobs` tasks at a time. */
export interface WorkerPool extends CorpusReader {
  run(task: FileTask): Promise<FileReplay>;
  close(): Promise<void>;
}

/** A process or thread that opens files and replays them, one task at a time. Files that it opened are open for its next tasks. */
interface FileWorker {
  open(file: InputFile): Promise<FileMarks>;
  run(task: FileTask): Promise<FileReplay>;
}

/** Options of a pool in this process. */
export interface SerialOptions extends Omit<ReplayerOptions, "opener"> {
  /** Opens the files; one of its own if it is left out. */
  readonly opener?: Opener;
}

const SERIAL_OPTIONS = option.schema<SerialOptions>({
  ...option.optional(option.object, "environment", "parts"),
  opener: option.having("open", "counts").optional(),
});

/**
 * Makes a pool that runs tasks in this process, one after the other. It copies results, as between threads, so that none keeps a session's whole text
 * in memory. After `close`, tasks that have not begun reject.
 */
export function createSerialPool(options: SerialOptions = {}): WorkerPool {
  option.check("a pool", SERIAL_OPTIONS, options);
  const { parts = BUILT_IN_PARTS } = options;
  const opener = options.opener ?? createOpener(parts.importers);
  const replay = createFileReplayer({ ...options, opener });
  const own: FileWorker = {
    open: async (file) => marksOf(await opener.open(file)),
    run: async (task) => structuredClone(await replay(task)),
  };
  return scheduled([own], () => Promise.resolve());
}

/** Options of the threads of a pool. */
export interface ThreadOptions {
  /** Addresses of modules whose default exports are extensions: each thread loads them, {@link BenchParts.modules}. */
  readonly modules?: readonly string[];
  readonly execArgv?: readonly string[];
}

const THREAD_OPTIONS = option.schema<ThreadOptions>({
  ...option.optional(z.array(option.text).readonly(), "modules", "execArgv"),
});

/** Makes a pool of `jobs` worker threads, each with the extensions in `modules`. A task that a worker cannot finish rejects. */
export function createThreadPool(jobs: number, options: ThreadOptions = {}): WorkerPool {
  option.check("a pool", THREAD_OPTIONS, options);
  const { modules = [], execArgv = [] } = options;
  // A thread each: a file's tasks go to the thread that has it open.
  const threads = Array.from({ length: jobs }, () => oneThread(execArgv));
  const workers = threads.map(
    (pool): FileWorker => ({
      open: (file) => pool.run({ file, modules }, { name: "openFile" }),
      run: (task) => pool.run({ task, modules }, { name: "runTask" }),
    }),
  );
  return scheduled(workers, async () => void (await Promise.all(threads.map((pool) => pool.destroy()))));
}

function oneThread(execArgv: readonly string[] = []): Tinypool {
  const own = import.meta.url;
  const filename = new URL(`./worker.${own.slice(own.lastIndexOf(".") + 1)}`, own).href;
  return new Tinypool({ filename, minThreads: 1, maxThreads: 1, isolateWorkers: false, execArgv: [...execArgv] });
}

/** True if a worker thread can load these modules: this process may have a loader, such as tsx, that threads lack. */
export async function threadsLoad(modules: readonly string[]): Promise<boolean> {
  if (modules.length === 0) return true;
  const thread = oneThread();
  const loading = thread.run({ modules }, { name: "load" }).then(
    () => true,
    () => false,
  );
  return loading.finally(() => thread.destroy());
}

/** Opening a file takes about as long as so many tasks: an idle worker opens another's file only if more of them wait. Chosen. */
const WORTH_OPENING = 3;

/** Gives each worker one task at a time: of the files that it has open, else of one that no worker has, else of the one with the most waiting tasks. */
function scheduled(workers: readonly FileWorker[], close: () => Promise<void>): WorkerPool {
  const owners = new Map<string, FileWorker>();
  const idle = new Set(workers);
  const waiting: { readonly path: string; begin(worker: FileWorker): Promise<void>; reject(error: Error): void }[] = [];
  let isClosed = false;
  const placeFor = (worker: FileWorker): number => {
    const own = waiting.findIndex(({ path }) => owners.get(path) === worker);
    if (own >= 0) return own;
    const free = waiting.findIndex(({ path }) => !owners.has(path));
    if (free >= 0) return free;
    const counts = new Map<string, number>();
    for (const { path } of waiting) counts.set(path, (counts.get(path) ?? 0) + 1);
    const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
    return most === undefined || most[1] <= WORTH_OPENING ? -1 : waiting.findLastIndex(({ path }) => path === most[0]);
  };
  const next = () => {
    for (const worker of idle) {
      const at = placeFor(worker);
      const task = waiting[at];
      if (task === undefined) continue;
      waiting.splice(at, 1);
      idle.delete(worker);
      if (!owners.has(task.path)) owners.set(task.path, worker);
      void task.begin(worker).finally(() => {
        idle.add(worker);
        next();
      });
    }
  };
  const placed = <Result>(path: string, run: (worker: FileWorker) => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (isClosed) throw new Error("the pool was closed");
      waiting.push({ path, reject, begin: (worker) => run(worker).then(resolve, reject) });
      next();
    });
  return {
    jobs: workers.length,
    open: (file) => placed(file.path, (worker) => worker.open(file)),
    run: (task) => placed(task.file.path, (worker) => worker.run(task)),
    close: async () => {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error("the pool was closed"));
      await close();
    },
  };
}
