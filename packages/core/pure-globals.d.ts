// The globals beyond ECMAScript 2023 and its well-formed strings that the pure rows of core may use. tsconfig.pure.json knows no others.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class TextEncoder {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly read: number };
}

declare class TextDecoder {
  constructor(encoding: "utf-8", options: { readonly ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

// For the default of a port, port-door.ts, and the rest between two steps, engine/chain.ts.
declare function setTimeout(call: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

// The platform's own hash, text.ts; a browser has no `process`.
declare var process:
  | { getBuiltinModule?(id: "node:crypto"): { hash?(algorithm: "sha256", text: string, form: "hex"): string } | undefined }
  | undefined;
