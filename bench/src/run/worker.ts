import type { FileReplay } from "./file-replayer.ts";
import { createFileReplayer } from "./file-replayer.ts";
import type { FileTask } from "./file-task.ts";

/** What a worker of the pool runs. The file of the last task stays in memory, and nothing else. */
export const runTask: (task: FileTask) => Promise<FileReplay> = createFileReplayer();
