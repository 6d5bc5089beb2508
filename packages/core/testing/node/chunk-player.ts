import { kindsAddedBy } from "../added-kinds.ts";
import { type Chunk, playChunk } from "../play-chunk.ts";

/** A process that plays each chunk that it receives and sends back the result. Its argument names a module that adds kinds. */
const added = kindsAddedBy(process.argv[2]);

process.on("message", async (chunk: Chunk) => {
  process.send?.(await playChunk(chunk, await added));
});
