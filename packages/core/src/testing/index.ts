export { assistant, calling, human, logOf, reply, result, sessionStart, usageEntry } from "./builders.ts";
