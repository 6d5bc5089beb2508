export { baseUrlVariable, clientFor, HOST_NAMES } from "./client-for.ts";
