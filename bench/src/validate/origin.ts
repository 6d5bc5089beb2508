/** Where a recorded session is from. Sessions of one repository are not independent of each other. */
export interface Origin {
  readonly repository: string;
  readonly owner: string;
}

/**
 * The origin that a session's name tells: files named `OWNER__REPOSITORY__…` are of that repository and owner, all others of the folder that they
 * lie in, which stands for both.
 */
export function originOf(session: string): Origin {
  const parts = session.split("#")[0]?.split("/") ?? [];
  const [owner, repository, ...rest] = (parts.at(-1) ?? "").split("__");
  if (owner !== undefined && repository !== undefined && rest.length > 0)
    return { repository: `${owner}/${repository}`, owner };
  const folder = parts.slice(0, -1).join("/");
  return { repository: folder, owner: folder };
}
