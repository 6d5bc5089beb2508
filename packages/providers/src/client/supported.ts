import { PlimsollError } from "@plimsoll/core";
import { stringAt } from "../fields.ts";

/** Versions of a package that were tried: from the lowest on, below a major. `pnpm run peers` plays sessions with both ends. */
interface SupportedVersions {
  readonly from: string;
  readonly belowMajor: number;
}

/** A package whose installed version is checked. */
export type SupportedPackage =
  | "@anthropic-ai/sdk"
  | "@google/genai"
  | "@langchain/core"
  | "@openai/agents-core"
  | "ai"
  | "langchain"
  | "openai";

/** Packages that drop-ins and clients work beside. Any version may be installed; another one is refused where it is used. */
export const SUPPORTED_PACKAGES: Readonly<Record<SupportedPackage, SupportedVersions>> = {
  "@anthropic-ai/sdk": { from: "0.80.0", belowMajor: 2 },
  "@google/genai": { from: "2.0.0", belowMajor: 4 },
  "@langchain/core": { from: "1.0.0", belowMajor: 2 },
  "@openai/agents-core": { from: "0.11.0", belowMajor: 1 },
  ai: { from: "6.0.0", belowMajor: 8 },
  langchain: { from: "1.0.0", belowMajor: 2 },
  openai: { from: "6.0.0", belowMajor: 8 },
};

/** Whether items go to the vendor's own SDK; `unused` where another program sends them. */
export type SdkUse = "used" | "unused";

/**
 * Refuses a package that is installed only in an unsupported version. Where no version can be seen (a browser, a bundle, nothing installed), nothing
 * is refused.
 *
 * @throws PlimsollError `bad-input` with the package, the version found, and those that are supported.
 */
export function refuseUnsupported(name: SupportedPackage, use: SdkUse = "used"): void {
  if (use === "used") refuseVersions(name, installedVersions(name));
}

/** Refuses a package by its found versions, if none of them is supported. */
export function refuseVersions(name: SupportedPackage, found: readonly string[]): void {
  const { from, belowMajor } = SUPPORTED_PACKAGES[name];
  const [version] = found;
  if (version === undefined || found.some((each) => isWithin(each, SUPPORTED_PACKAGES[name]))) return;
  const supported = `>=${from} <${belowMajor}`;
  const remedy = `npm install ${name}@${belowMajor - 1}`;
  throw new PlimsollError("bad-input", `${name} ${version} is not supported, but ${supported} is: ${remedy}`, {
    package: name,
    found: version,
    supported,
  });
}

function isWithin(version: string, { from, belowMajor }: SupportedVersions): boolean {
  const [numbers] = /^\d+\.\d+\.\d+/.exec(version) ?? [];
  // A text without a version is not refused.
  if (numbers === undefined) return true;
  return numbers.localeCompare(from, "en", { numeric: true }) >= 0 && Number.parseInt(numbers, 10) < belowMajor;
}

/** The versions that this file and the program's folder find: a program in a workspace may have another one than the one beside this package. */
function installedVersions(name: string): readonly string[] {
  const modules = globalThis.process?.getBuiltinModule?.("node:module");
  const files = globalThis.process?.getBuiltinModule?.("node:fs");
  if (modules === undefined || files === undefined || !import.meta.url.startsWith("file:")) return [];
  const program = globalThis.process.argv[1];
  const from = [import.meta.url, ...(program === undefined ? [] : [program])];
  return from.flatMap((place) => {
    try {
      const folders = modules.createRequire(place).resolve.paths(name) ?? [];
      const file = folders.map((folder) => `${folder}/${name}/package.json`).find((path) => files.existsSync(path));
      const manifest: unknown = file === undefined ? null : JSON.parse(files.readFileSync(file, "utf8"));
      const version = stringAt(manifest, "version");
      return version === null ? [] : [version];
    } catch {
      // A folder that cannot be read gives no version: the package's own failure, if there is one, says more.
      return [];
    }
  });
}
