/** Longer strings (encoded data, minified code) are no references: nobody recalls them by name. Chosen. */
export const MAXIMUM_REFERENCE_CHARS = 200;

/** What a reference is. */
export type ReferenceKind = "path" | "identifier" | "number" | "hash" | "url" | "flag" | "quoted-error";

/** A string that names something in particular, so that using it again takes having read it. */
export interface Reference {
  readonly kind: ReferenceKind;
  readonly text: string;
}
