/** A window to replay in: working room above each session's own overhead, or each session's real window. */
export type WindowRequest = { readonly kind: "working-room"; readonly tokens: number } | { readonly kind: "real" };

/** A window as it was for one session: working room above the session's overhead, or a model's real window. */
export type WindowSpec =
  | { readonly kind: "working-room"; readonly tokens: number }
  | { readonly kind: "real"; readonly tokens: number };
