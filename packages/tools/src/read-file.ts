import { z } from "zod";
import { checked, defineTool, type FolderTool, failure, IN_FOLDER, output } from "./define-tool.ts";
import { onFile, readTextFile } from "./workspace/files.ts";

/** Larger files are read by other means; chosen. */
const MAXIMUM_BYTES = 32 * 1024 * 1024;

/** Lines of a call that asks for no number: about 20,000 tokens of source; chosen. */
const DEFAULT_LINES = 2_000;

/** `read_file`: gives lines of a text file, with their numbers. */
export const readFileTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "read_file",
    description: "Reads a text file. Gives its lines with their numbers. offset and limit choose a part of a large file.",
    category: "file-content",
    isRerunnable: true,
    hint: "use offset and limit to see other lines",
    effect: { kind: "read" },
    input: z.strictObject({
      path: z.string().min(1),
      offset: z.int().min(1).optional().describe("number of the first line, from 1"),
      limit: z.int().min(1).optional().describe("number of lines"),
    }),
    paths: ({ path }) => [{ path, access: "read" }],
    run: async ({ path, offset = 1, limit = DEFAULT_LINES }) => {
      const place = await workspace.place(path);
      const { text, isBinary, totalBytes, isWhole } = await onFile(path, () => readTextFile(place, MAXIMUM_BYTES));
      if (isBinary) return output(`[binary file of ${totalBytes} bytes, not shown]`);
      if (text === "") return output("[empty file]");
      const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
      const shown = lines.slice(offset - 1, offset - 1 + limit);
      if (shown.length === 0) return failure(`${path} has ${lines.length} lines; line ${offset} is not among them.`);
      const last = offset - 1 + shown.length;
      const width = String(last).length;
      const numbered = shown.map((line, index) => `${String(offset + index).padStart(width)}  ${line}`);
      const more =
        last < lines.length || !isWhole
          ? [`[lines ${offset} to ${last} of ${isWhole ? "" : "more than "}${lines.length}]`]
          : [];
      return output([...numbered, ...more].join("\n"));
    },
  }),
);
