import { lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { checked, defineTool, type FolderTool, IN_FOLDER, output } from "./define-tool.ts";
import { makeFolder, onFile, readTextFile, replaceFile } from "./workspace/files.ts";

/** For larger files the replaced text is not shown; chosen. */
const MAXIMUM_SHOWN_BYTES = 1024 * 1024;

/** `write_file`: creates a file or replaces all of it. */
export const writeFileTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "write_file",
    description: "Writes a file, with the folders above it. What was in it is replaced. To change a part use edit_file.",
    category: "generic",
    hint: "use read_file to see the file",
    input: z.strictObject({ path: z.string().min(1), content: z.string() }),
    paths: ({ path }) => [{ path, access: "modify" }],
    effect: async ({ path, content }) => {
      const place = await workspace.place(path);
      const name = workspace.nameOf(place);
      if ((await lstat(place).catch(() => null)) === null)
        return { kind: "write", what: `create ${name}`, files: [name], before: null, after: content };
      const old = await onFile(path, () => readTextFile(place, MAXIMUM_SHOWN_BYTES));
      const isShown = !old.isBinary && old.isWhole;
      const what = `replace ${name}${isShown ? "" : `, ${old.totalBytes} bytes that are not shown`}`;
      return { kind: "write", what, files: [name], before: isShown ? old.text : null, after: content };
    },
    run: async ({ path, content }) => {
      const place = await workspace.place(path);
      await onFile(path, async () => {
        await makeFolder(dirname(place));
        await replaceFile(place, content);
      });
      return output(`Wrote ${Buffer.byteLength(content)} bytes to ${workspace.nameOf(place)}.`);
    },
  }),
);
