import { createFileReplayer, type FileReplay } from "./file-replayer.ts";
import type { FileTask } from "./file-task.ts";
import { loadParts } from "./load-parts.ts";

/** What a worker of the pool is given: plain data. The modules are the same for each task of a pool. */
export interface WorkerTask {
  readonly task: FileTask;
  readonly modules: readonly string[];
}

/** What a worker of the pool runs. The file of the last task stays in memory, and the modules' parts. */
export const runTask: (work: WorkerTask) => Promise<FileReplay> = createRunTask();

function createRunTask(): (work: WorkerTask) => Promise<FileReplay> {
  let replayer: Promise<(task: FileTask) => Promise<FileReplay>> | null = null;
  return async ({ task, modules }) => {
    replayer ??= loadParts(modules).then((parts) => createFileReplayer({ parts }));
    return (await replayer)(task);
  };
}
