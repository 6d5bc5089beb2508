export { processIo } from "./io.ts";
export { allHelp, main } from "./main.ts";
