import { Tinypool } from "tinypool";
import { BUILT_IN_PARTS } from "../extension.ts";
import type { SessionMarks } from "../lineage.ts";
import { createFileReplayer, type FileReplay, type ReplayerOptions } from "./file-replayer.ts";
import type { FileTask, InputFile } from "./file-task.ts";
import { marksOfFile } from "./loaded-file.ts";

/** Runs tasks, several at a time. */
export interface WorkerPool {
  /** How many tasks run at a time. */
  readonly jobs: number;
  run(task: FileTask): Promise<FileReplay>;
  /** Returns the marks that a file's sessions may share with others; none of a file that cannot be read, which its replay says. */
  marksOf(file: InputFile): Promise<readonly SessionMarks[]>;
  close(): Promise<void>;
}

/**
 * A pool that has this process alone: tasks run one after the other, and what they come to is copied, as between threads: a piece of a session's text
 * in a result would hold all of the text. Once it is closed the waiting ones reject.
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

/** A pool of `jobs` worker threads. A task that a worker cannot finish rejects. */
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
