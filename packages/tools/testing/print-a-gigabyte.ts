import { statSync } from "node:fs";
import { createFileArtifactStore } from "@plimsoll/stores";
import { runProcess } from "../src/process/run-process.ts";

/**
 * A process of its own for the memory test: runs a program that prints so many bytes, its output on artifacts in a folder. Prints the kept part of it
 * and the most memory that the process held. Arguments: folder, bytes.
 */
const [folder = "", bytes = "0"] = process.argv.slice(2);
let peakBytes = 0;
const SAMPLE_MS = 10;
const sampling = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, SAMPLE_MS);
const { text, totalBytes, handle, isStoredWhole, end } = await runProcess({
  command: "sh",
  args: ["-c", `head -c ${bytes} /dev/zero | tr '\\000' a`],
  cwd: folder,
  env: process.env,
  timeoutMs: 600_000,
  signal: new AbortController().signal,
  artifacts: createFileArtifactStore(folder),
});
clearInterval(sampling);
const storedBytes = statSync(`${folder}/${(handle ?? "").slice("artifact:".length)}.txt`).size;
console.log(JSON.stringify({ end, totalBytes, shownChars: text.length, storedBytes, isStoredWhole, peakBytes }));
