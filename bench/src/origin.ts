/** Where a recorded session is from. Sessions of one repository are not independent of each other. */
export interface Origin {
  readonly repository: string;
  readonly owner: string;
}

/** Folders that agents make below that of a project: days, a session's own folder, that of its sub-agents. */
const INNER_FOLDER = /^(?:\d+|[0-9a-f-]{32,}|subagents)$/;

/**
 * Reads repository and owner from a session's name, if its file is named `OWNER__REPOSITORY__…`. All others get the project that their log names for both, or the
 * project's folder that they lie in if it names none.
 */
export function originOf(session: string, project?: string): Origin {
  const parts = session.split("#")[0]?.split("/") ?? [];
  const [owner, repository, ...rest] = (parts.at(-1) ?? "").split("__");
  if (owner !== undefined && repository !== undefined && rest.length > 0)
    return { repository: `${owner}/${repository}`, owner };
  if (project !== undefined) return { repository: project, owner: project };
  const folders = parts.slice(0, -1);
  const folder = folders.slice(0, folders.findLastIndex((part) => !INNER_FOLDER.test(part)) + 1).join("/");
  return { repository: folder, owner: folder };
}
