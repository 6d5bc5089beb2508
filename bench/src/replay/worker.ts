import type { SessionMarks } from "../lineage.ts";
import { createFileReplayer, type FileReplay } from "./file-replayer.ts";
import { type FileTask, type InputFile, marksOfFile } from "./file-task.ts";
import { loadParts } from "./load-parts.ts";

/** The task of a worker of the pool: plain data. The modules are the same for each task of a pool. */
export interface WorkerTask {
  readonly task: FileTask;
  readonly modules: readonly string[];
}

/** Runs one task in a worker of the pool. The file of the last task stays in memory, and the modules' parts. */
export const runTask: (work: WorkerTask) => Promise<FileReplay> = createRunTask();

/** Reads what a file's sessions may share with others. */
export async function readMarks({
  file,
  modules,
}: Pick<WorkerTask, "modules"> & { file: InputFile }): Promise<readonly SessionMarks[]> {
  return marksOfFile(file, (await loadParts(modules)).importers);
}

function createRunTask(): (work: WorkerTask) => Promise<FileReplay> {
  let replayer: Promise<(task: FileTask) => Promise<FileReplay>> | null = null;
  return async ({ task, modules }) => {
    replayer ??= loadParts(modules).then((parts) => createFileReplayer({ parts }));
    return (await replayer)(task);
  };
}
