import { BUILT_IN_KINDS, policySchema } from "@plimsoll/core/build";
import { z } from "zod";
import type { JsonSchema } from "../yaml/schema-keys.ts";

/** The schema of policies as JSON Schema (draft 2020-12), for editors and for looking up what a map may hold. */
export function policyJsonSchema(): JsonSchema {
  return z.toJSONSchema(policySchema(BUILT_IN_KINDS));
}
