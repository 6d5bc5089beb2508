/** Gives the name of a policy as people see it. */
export type PolicyNames = (policy: string) => string;

/** Marks the name of a policy that pays for summaries by a model. */
export const MODEL_MARK = "*";

/** Marks the name of a policy whose summaries a vendor writes. */
export const VENDOR_MARK = "†";
