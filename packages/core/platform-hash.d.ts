// For hash.ts alone: the hash of Node, if this is Node. The pure rows of core and the pages of reports, which read their types, know nothing else of it.
declare var process:
  | {
      getBuiltinModule?(id: "node:crypto"): { hash?(algorithm: "sha256", text: string, encoding: "hex"): string } | undefined;
    }
  | undefined;
