import { createOpener, type FileMarks, type InputFile, marksOf } from "../open/corpus.ts";
import { createFileReplayer, type FileReplay } from "./file-replayer.ts";
import type { FileTask } from "./file-task.ts";
import { loadParts } from "./load-parts.ts";

/** The task of a worker of the pool: plain data. The modules are the same for each task of a pool. */
export interface WorkerTask {
  readonly task: FileTask;
  readonly modules: readonly string[];
}

/** Runs one task in a worker of the pool. Opened files stay in memory, and the modules' parts. */
export async function runTask({ task, modules }: WorkerTask): Promise<FileReplay> {
  return (await workerOf(modules)).replay(task);
}

/** Loads the modules' parts; rejects if a thread cannot. */
export async function load({ modules }: Pick<WorkerTask, "modules">): Promise<void> {
  await workerOf(modules);
}

/** Opens a file, and reads the marks that its sessions may share with others. */
export async function openFile({
  file,
  modules,
}: Pick<WorkerTask, "modules"> & { readonly file: InputFile }): Promise<FileMarks> {
  return marksOf(await (await workerOf(modules)).opener.open(file));
}

const workerOf = createWorker();

function createWorker() {
  let made: ReturnType<typeof workerWith> | null = null;
  return (modules: readonly string[]) => {
    made ??= workerWith(modules);
    return made;
  };
}

async function workerWith(modules: readonly string[]) {
  const parts = await loadParts(modules);
  const opener = createOpener(parts.importers);
  return { opener, replay: createFileReplayer({ parts, opener }) };
}
