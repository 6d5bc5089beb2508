import { isRecord } from "@plimsoll/core/extend";
import { type Fields, recordAt, stringAt } from "../fields.ts";

const PREFIX = "attachment://";

/** Puts texts that a log holds once, as attachments of the sample, in the places of their names. A text with no attachment stays. */
export type Resolve = (value: unknown) => unknown;

/** The attachments of a sample. Only a text that is a name as a whole is one: what a model says of attachments is its text. */
export function attachmentsOf(sample: Fields): Resolve {
  const attachments = recordAt(sample, "attachments");
  const resolve: Resolve = (value) => {
    if (typeof value === "string") {
      if (!value.startsWith(PREFIX)) return value;
      const name = value.slice(PREFIX.length);
      return attachments !== null && Object.hasOwn(attachments, name) ? (stringAt(attachments, name) ?? value) : value;
    }
    if (Array.isArray(value)) return value.map(resolve);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
  };
  return attachments === null || Object.keys(attachments).length === 0 ? (value) => value : resolve;
}
