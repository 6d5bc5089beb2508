#!/usr/bin/env node
// Written for any Node that knows modules: on an older one it prints a line and stops before code that the old one cannot read.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`plimsoll: needs Node 20.19 or newer; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // A command ends before code that is optimised early, or with many functions inlined, pays. Threads that collect together took 4% of a bench's time.
  const flags = "--interrupt-budget=270000 --max-inlined-bytecode-size-cumulative=100 --no-parallel-scavenge";
  if (major < 22) (await import("node:v8")).setFlagsFromString(flags);
  const { main, processIo } = await import("../dist/plimsoll.js");
  // A reader that has seen enough, such as `head`, closes the pipe: that is no error.
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.exitCode = await main(process.argv.slice(2), processIo());
}
