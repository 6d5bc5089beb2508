export { type CliIo, EXIT_FAILED, EXIT_OK, EXIT_USAGE, type Output, processIo } from "./io.ts";
export { main } from "./main.ts";
