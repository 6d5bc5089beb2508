import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { canonicalJson, isRecord } from "@plimsoll/core/internal";
import type { Compared } from "./compared.ts";

/** The findings on one likeness in one file, kept so that a comparison that was broken off goes on where it was. */
export interface KeptFindings {
  /** Returns the kept findings; `null` if there are none, or if they are damaged. */
  read(made: unknown): readonly Compared[] | null;
  keep(made: unknown, found: readonly Compared[]): void;
}

/** Findings in a folder, each under a hash of what it was made from: code, policy, program and session. */
export function openFindings(folder: string): KeptFindings {
  const fileOf = (made: unknown) => join(folder, `${createHash("sha256").update(canonicalJson(made)).digest("hex")}.json`);
  return {
    read: (made) => {
      try {
        const value: unknown = JSON.parse(readFileSync(fileOf(made), "utf8"));
        return Array.isArray(value) && value.every(isCompared) ? value : null;
      } catch {
        // Absent or damaged: it is compared again.
        return null;
      }
    },
    keep: (made, found) => {
      mkdirSync(folder, { recursive: true });
      const file = fileOf(made);
      const temporary = `${file}.${process.pid}.tmp`;
      try {
        writeFileSync(temporary, JSON.stringify(found));
        renameSync(temporary, file);
      } catch {
        // A full disk costs the going on, not the comparison.
        rmSync(temporary, { force: true });
      }
    },
  };
}

function isCompared(value: unknown): value is Compared {
  if (!isRecord(value)) return false;
  const { session, call, aspect, kind } = value;
  return (
    typeof session === "string" &&
    typeof call === "number" &&
    typeof aspect === "string" &&
    (kind === null || typeof kind === "string")
  );
}
