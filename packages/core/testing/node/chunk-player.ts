import { kindsAddedBy } from "../added-kinds.ts";
import { type Chunk, playChunk } from "../play-chunk.ts";

/** A process that plays each chunk it is sent and sends back what came of it. Its argument names a module that adds kinds. */
const added = kindsAddedBy(process.argv[2]);

process.on("message", async (chunk: Chunk) => {
  process.send?.(await playChunk(chunk, await added));
});
