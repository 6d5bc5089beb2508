#!/usr/bin/env node
import { main, processIo } from "../dist/index.js";

// A reader that has seen enough, such as `head`, closes the pipe: that is no error.
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
process.exitCode = await main(process.argv.slice(2), processIo());
