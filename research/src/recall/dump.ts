import { createWriteStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "@plimsoll/bench";
import { recallObservations } from "./observations.ts";

const out = createWriteStream(process.argv[2] ?? "/dev/stdout");
for (const folder of process.argv.slice(3))
  for (const format of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory()))
    for (const name of readdirSync(join(folder, format.name))) {
      try {
        for (const transcript of await importFile(join(folder, format.name, name), name))
          for (const [room, rhythm] of [
            ["64", { betweenTokens: 42_000, recentTokens: 3_500 }],
            ["128", { betweenTokens: 75_000, recentTokens: 7_000 }],
          ] as const) {
            const found = recallObservations(transcript, rhythm);
            for (const { facts, uses, edits, cut, message, unit, needs } of found)
              out.write(
                `${JSON.stringify({ s: transcript.name, f: name, room, cut, uses, edits, message, unit, needs, ...facts, ...(facts.file ?? {}), file: facts.file !== null })}\n`,
              );
            process.stderr.write(`${name} ${room} ${found.length}\n`);
          }
      } catch (error) {
        process.stderr.write(`${name}: ${String(error)}\n`);
      }
    }
