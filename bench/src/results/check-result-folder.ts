import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { aboutPart, type PartsThere, partsThere, unwritable } from "./result-folder.ts";
import { type RunDescription, runDifferences } from "./run-identity.ts";

/** Checks that results of the run can be written to the folder. Throws `bad-input` if it cannot be made or written to, or has parts of another run. */
export async function checkResultFolder(folder: string, run: RunDescription): Promise<void> {
  await checkPlace(folder);
  const parts = await partsThere(folder);
  const ofRun = run.shard?.count ?? 1;
  if (parts.count !== 0 && parts.count !== ofRun) {
    throw new PlimsollError(
      "bad-input",
      `${folder}: holds a run in ${parts.count} ${parts.count === 1 ? "part" : "parts"}, and this is one in ${ofRun}; give another folder`,
    );
  }
  await checkSameRun(folder, parts, run);
}

/**
 * Looks at the part that would be replaced, and at the first other one: all others were held against it when they were written, and a thousand parts
 * need not read a thousand files each. A part that cannot be read says nothing, and is there to be run again.
 */
async function checkSameRun(folder: string, { count, there }: PartsThere, run: RunDescription): Promise<void> {
  const own = run.shard?.index ?? 1;
  for (const index of there.toSorted((a, b) => Number(b === own) - Number(a === own))) {
    const about = await aboutPart(folder, { index, count }).catch(() => null);
    if (about === null) continue;
    const differing = runDifferences(run, { shard: { index, count }, about });
    if (differing.length > 0) {
      throw new PlimsollError(
        "bad-input",
        `${folder}: holds ${count === 1 ? "a run" : `part ${index}/${count} of a run`} with other ${differing.join(" and ")}; give another folder, or remove this one`,
      );
    }
    if (index !== own) return;
  }
}

/** Looks at the folder, or at the nearest one above it that is there. Nothing is made, since a run may end before it has results. */
async function checkPlace(folder: string): Promise<void> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await stat(place).catch(() => null);
    if (found === null && place !== dirname(place)) continue;
    if (found?.isDirectory() !== true) {
      const why = place === folder ? "is a file" : `cannot be made, since ${place} is a file`;
      throw new PlimsollError("bad-input", `${folder}: ${why}; give another folder`);
    }
    await access(place, constants.W_OK).catch((cause: unknown) => {
      throw unwritable(folder, cause);
    });
    return;
  }
}
