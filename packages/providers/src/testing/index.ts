export type { ArrayContractCase, ArraySubject, ContractTurn } from "./array-compactor-contract.ts";
export { ARRAY_COMPACTOR_CONTRACT } from "./array-compactor-contract.ts";
export { storedZstd, zstdFrame } from "./zstd-frames.ts";
