import type { AcceptanceCase } from "./case.ts";
import { DOCTOR_CASES } from "./doctor-cases.ts";
import { HOOK_CASES } from "./hook-cases.ts";
import { LIBRARY_CASES } from "./library-cases.ts";
import { PLUGIN_CASES } from "./plugin-cases.ts";
import { PROXY_CASES } from "./proxy-cases.ts";

/** All rows of the acceptance page, in its order. */
export const ACCEPTANCE_CASES: readonly AcceptanceCase[] = [
  ...LIBRARY_CASES,
  ...PLUGIN_CASES,
  ...HOOK_CASES,
  ...PROXY_CASES,
  ...DOCTOR_CASES,
];
