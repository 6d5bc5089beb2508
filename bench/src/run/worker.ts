import type { BenchParts } from "../extension.ts";
import type { SessionMarks } from "../lineage.ts";
import { createFileReplayer, type FileReplay } from "./file-replayer.ts";
import type { FileTask, InputFile } from "./file-task.ts";
import { loadParts } from "./load-parts.ts";
import { marksOfFile } from "./loaded-file.ts";

/** What a worker of the pool is given beside its task: plain data. The modules are the same for each task of a pool. */
export interface WorkerModules {
  readonly modules: readonly string[];
}

const partsOf = createPartsOf();

/** What a worker of the pool runs. The file of the last task stays in memory, and the modules' parts. */
export const runTask: (work: WorkerModules & { readonly task: FileTask }) => Promise<FileReplay> = createRunTask();

/** Reads what a file's sessions may share with others. */
export async function readMarks({
  file,
  modules,
}: WorkerModules & { readonly file: InputFile }): Promise<readonly SessionMarks[]> {
  return marksOfFile(file, (await partsOf(modules)).importers);
}

function createRunTask(): typeof runTask {
  let replayer: Promise<(task: FileTask) => Promise<FileReplay>> | null = null;
  return async ({ task, modules }) => {
    replayer ??= partsOf(modules).then((parts) => createFileReplayer({ parts }));
    return (await replayer)(task);
  };
}

function createPartsOf(): (modules: readonly string[]) => Promise<BenchParts> {
  let parts: Promise<BenchParts> | null = null;
  return (modules) => {
    parts ??= loadParts(modules);
    return parts;
  };
}
