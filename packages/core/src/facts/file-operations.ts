import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";
import type { PathAccess } from "../tool.ts";

/** What a session did with each path, least recently touched first. A path that was read and modified counts as modified. */
export function fileOperations(accesses: Iterable<PathAccess>): ReadonlyMap<string, PathAccess["access"]> {
  const files = new Map<string, PathAccess["access"]>();
  for (const { path, access } of accesses) {
    const strongest = files.get(path) === "modify" ? "modify" : access;
    files.delete(path);
    files.set(path, strongest);
  }
  return files;
}

/** The paths that a message's calls touch. */
export function accessesOf(message: Message): readonly PathAccess[] {
  return toolCallsOf(message).flatMap((call) => call.paths);
}
