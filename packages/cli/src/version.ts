import { readFileSync } from "node:fs";
import { isRecord } from "@plimsoll/core/internal";

/** The package's version. The manifest stands above `src` and above `dist`. */
export function plimsollVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : "unknown";
}
