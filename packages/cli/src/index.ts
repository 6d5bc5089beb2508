export { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./exit-code.ts";
export { type CliIo, type Output, processIo } from "./io.ts";
export { main } from "./main.ts";
