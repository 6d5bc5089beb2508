export { ARTIFACT_STORE_CONTRACT } from "./artifact-store-contract.ts";
export { closeContract } from "./close-contract.ts";
export { SESSION_STORE_CONTRACT } from "./session-store-contract.ts";
