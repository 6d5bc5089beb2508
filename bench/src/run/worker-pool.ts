import { Tinypool } from "tinypool";
import type { FileReplay, FileTask } from "./file-task.ts";
import { createFileReplayer } from "./file-task.ts";

/** Runs tasks, several at a time. */
export interface WorkerPool {
  run(task: FileTask): Promise<FileReplay>;
  close(): Promise<void>;
}

/** A pool that has this process alone: tasks run one after the other. */
export function createSerialPool(): WorkerPool {
  const replay = createFileReplayer();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (task) => {
      const replayed = last.then(() => replay(task));
      last = replayed;
      return replayed;
    },
    close: async () => {},
  };
}

/** A pool of `jobs` worker threads. A task that a worker cannot finish rejects. `execArgv` are node's options for them. */
export function createThreadPool(jobs: number, execArgv: readonly string[] = []): WorkerPool {
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
    run: (task) => pool.run(task),
    close: () => pool.destroy(),
  };
}
