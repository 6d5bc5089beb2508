export { baseUrlVariable, clientFor, HOST_NAMES, KEY_VARIABLES } from "./client-for.ts";
