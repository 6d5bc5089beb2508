import { lstat, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { PathAccess } from "@plimsoll/core";
import type { ToolEffect, ToolOutput } from "@plimsoll/core/extend";
import { isInside } from "@plimsoll/stores";
import { z } from "zod";
import { checked, defineTool, type FolderTool, failure, IN_FOLDER, output } from "./define-tool.ts";
import { atPlace, copyEntry, makeFolder, onFile, readFolder, readTextFile, removeEntry } from "./workspace/files.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** One flat object: providers want an object at the top of a schema, not a choice. */
const inputSchema = z.strictObject({
  op: z.enum(["read", "list", "stat", "mkdir", "remove", "move", "copy"]),
  path: z.string().min(1),
  to: z.string().min(1).optional().describe("where move and copy put it"),
});

type Input = z.infer<typeof inputSchema>;

/** Larger files are read in parts; chosen. */
const MAXIMUM_BYTES = 8 * 1024 * 1024;

/** `fs`: looks at files and folders, and moves, copies and removes them. */
export const fsTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "fs",
    description:
      "Works on files and folders of the workspace. op is read, list, stat, mkdir, remove, move or copy; move and copy take `to`.",
    category: "file-content",
    hint: "use read_file with offset and limit to see the rest",
    input: inputSchema,
    paths: accessesOf,
    effect: (input) => effectOf(input, workspace),
    run: (input) => onFile(input.path, () => perform(input, workspace)),
  }),
);

/** How operations touch their path; others touch no file's content. */
const ACCESS: { readonly [Op in Input["op"]]?: PathAccess["access"] } = {
  read: "read",
  remove: "modify",
  move: "modify",
  copy: "read",
};

function accessesOf({ op, path, to = path }: Input): readonly PathAccess[] {
  const access = ACCESS[op];
  if (access === undefined) return [];
  return [{ path, access }, ...(op === "move" || op === "copy" ? [{ path: to, access: "modify" } as const] : [])];
}

async function effectOf(input: Input, workspace: Workspace): Promise<ToolEffect> {
  const { op, path, to = path } = input;
  const isTransfer = op === "move" || op === "copy";
  // Without a target the call only says so.
  if (op === "read" || op === "list" || op === "stat" || (isTransfer && input.to === undefined)) return { kind: "read" };
  const name = workspace.nameOf(await (op === "remove" || op === "move" ? workspace.entryPlace(path) : workspace.place(path)));
  const unseen = { kind: "write", before: null, after: null } as const;
  if (op === "mkdir") return { ...unseen, what: `make the folder ${name}`, files: [name] };
  if (op === "remove") return { ...unseen, what: `remove ${name} and all that is in it`, files: [name] };
  const target = workspace.nameOf(await workspace.place(to));
  const what = `${op} ${name} to ${target}, replacing the existing target`;
  return { ...unseen, what, files: op === "move" ? [name, target] : [target] };
}

async function perform(input: Input, workspace: Workspace): Promise<ToolOutput> {
  switch (input.op) {
    case "read": {
      const { text, isBinary, isWhole, totalBytes } = await readTextFile(await workspace.place(input.path), MAXIMUM_BYTES);
      if (isBinary) return output(`[binary file of ${totalBytes} bytes, not shown]`);
      return output(isWhole ? text : `${text}\n[the first ${MAXIMUM_BYTES} of ${totalBytes} bytes]`);
    }
    case "list": {
      const entries = await readFolder(await workspace.place(input.path));
      const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
      return output(names.length === 0 ? "[empty folder]" : names.join("\n"));
    }
    case "stat": {
      const stats = await atPlace(await workspace.place(input.path), (place) => lstat(place));
      const kind = stats.isDirectory() ? "folder" : "file";
      return output(`${kind}, ${stats.size} bytes, changed ${stats.mtime.toISOString()}`);
    }
    case "mkdir": {
      const place = await workspace.place(input.path);
      await makeFolder(place);
      return output(`Created ${workspace.nameOf(place)}.`);
    }
    case "remove": {
      // Removing a link removes the link, not its target.
      const place = await workspace.entryPlace(input.path);
      if (place === workspace.root) return failure("The workspace itself is not removed.");
      await removeEntry(place);
      return output(`Removed ${workspace.nameOf(place)}.`);
    }
    case "move":
    case "copy": {
      if (input.to === undefined) return failure(`${input.op} needs \`to\`.`);
      const place = input.op === "move" ? await workspace.entryPlace(input.path) : await workspace.place(input.path);
      if (place === workspace.root) return failure(`The workspace itself is not ${input.op === "move" ? "moved" : "copied"}.`);
      const target = await workspace.place(input.to);
      if (input.op === "copy" && isInside(place, target)) return failure(`${input.path} cannot be copied into itself.`);
      await makeFolder(dirname(target));
      if (input.op === "move") await atPlace(place, (from) => atPlace(target, (to) => rename(from, to)));
      else await copyEntry(place, target);
      return output(`${input.op === "move" ? "Moved" : "Copied"} ${workspace.nameOf(place)} to ${workspace.nameOf(target)}.`);
    }
    default:
      return input.op satisfies never;
  }
}
