/**
 * What goes wrong with one request.
 *
 * - `status`: an error status in the vendor's words (429, 500, 529, 502, 503, …), with `retry-after` where it is given
 * - `stream-error`: an error event after the first events of a stream
 * - `cut-stream`: the connection breaks after so many events; of a whole answer, in its middle
 * - `slow-stream`: `pause` is awaited before each event
 * - `silent-truncation`: the oldest messages are left out until the prompt fits, and nothing is said
 * - `empty-reply`: a whole answer without content
 * - `no-usage`: an answer that does not say what it used
 * - `echo`: a proxy that answers 502 with the request's headers and body in its message
 */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "stream-error" }
  | { readonly kind: "cut-stream"; readonly afterEvents: number }
  | { readonly kind: "slow-stream"; readonly pause: (eventIndex: number) => Promise<void> }
  | { readonly kind: "silent-truncation" }
  | { readonly kind: "empty-reply" }
  | { readonly kind: "no-usage" }
  | { readonly kind: "echo" };
