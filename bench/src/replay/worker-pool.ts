import { Tinypool } from "tinypool";
import { BUILT_IN_PARTS } from "../extension.ts";
import type { SessionMarks } from "../lineage.ts";
import { createFileReplayer, type FileReplay, type ReplayerOptions } from "./file-replayer.ts";
import { type FileTask, type InputFile, marksOfFile } from "./file-task.ts";

/** Replays files for {@link runBench}, `jobs` tasks at a time. */
export interface WorkerPool {
  /** How many tasks run at a time. */
  readonly jobs: number;
  run(task: FileTask): Promise<FileReplay>;
  /** Reads the hashes by which sessions that share history are found; none for a file that cannot be read. */
  marksOf(file: InputFile): Promise<readonly SessionMarks[]>;
  close(): Promise<void>;
}

/**
 * Makes a pool that runs tasks in this process, one after the other. It copies results, as between threads, so that none keeps a session's whole text
 * in memory. After `close`, tasks that have not begun reject.
 */
export function createSerialPool(options: ReplayerOptions = {}): WorkerPool {
  const replay = createFileReplayer(options);
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const start = (task: FileTask) => {
    if (isClosed) throw new Error("the pool was closed");
    return replay(task);
  };
  return {
    jobs: 1,
    run: (task) => {
      const replayed = last.then(() => start(task)).then((replay) => structuredClone(replay));
      last = replayed.catch(() => undefined);
      return replayed;
    },
    marksOf: (file) => marksOfFile(file, (options.parts ?? BUILT_IN_PARTS).importers),
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
}

/** Options of the threads of a pool. */
export interface ThreadOptions {
  /** Addresses of modules whose default exports are extensions: each thread loads them, {@link BenchParts.modules}. */
  readonly modules?: readonly string[];
  /** Node's options. */
  readonly execArgv?: readonly string[];
}

/** Makes a pool of `jobs` worker threads, each of which loads the extensions in `modules`. A task that a worker cannot finish rejects. */
export function createThreadPool(jobs: number, { modules = [], execArgv = [] }: ThreadOptions = {}): WorkerPool {
  const own = import.meta.url;
  const filename = new URL(`./worker.${own.slice(own.lastIndexOf(".") + 1)}`, own).href;
  const pool = new Tinypool({
    filename,
    name: "runTask",
    minThreads: jobs,
    maxThreads: jobs,
    isolateWorkers: false,
    execArgv: [...execArgv],
  });
  return {
    jobs,
    run: (task) => pool.run({ task, modules }),
    marksOf: (file) => pool.run({ file, modules }, { name: "readMarks" }),
    close: () => pool.destroy(),
  };
}
