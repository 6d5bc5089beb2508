/** A content of Gemini's wire; only what is read here. */
export interface GeminiContent {
  readonly role: "user" | "model";
  readonly parts: readonly GeminiPart[];
}

export interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: object;
  readonly functionResponse?: { readonly id: string; readonly name: string; readonly response: { readonly output: string } };
}

/** A request that the program sends to its model on its own account. */
export interface GeminiRequest {
  readonly contents: readonly GeminiContent[];
  /** The second request, in which the model checks its summary, is called `…-verify`. */
  readonly promptId: string;
}

/** The outcome of an attempt. */
export interface GeminiCompression {
  readonly newHistory: readonly GeminiContent[] | null;
  readonly info: { readonly compressionStatus: number };
}

/** The program's compression of a chat. */
export interface GeminiCompressionService {
  compress(...args: readonly unknown[]): Promise<GeminiCompression>;
}

/** The part of the published gemini-cli-core that is used. */
export interface GeminiModule {
  readonly ChatCompressionService: new () => GeminiCompressionService;
  readonly CompressionStatus: Readonly<
    Record<"COMPRESSED" | "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT" | "CONTENT_TRUNCATED", number>
  >;
  readonly tokenLimit: (model: string) => number;
  readonly estimateTokenCountSync: (parts: readonly GeminiPart[]) => number;
  readonly coalesceConsecutiveRoles: (
    turns: readonly { readonly id: string; readonly content: GeminiContent }[],
  ) => readonly { readonly content: GeminiContent }[];
}

/** Loads a published gemini-cli-core from the address of its compression. */
export async function loadGemini(address: string): Promise<GeminiModule> {
  const part = (path: string) => new URL(`../${path}`, address).href;
  const service: Pick<GeminiModule, "ChatCompressionService"> = await import(address);
  const turn: Pick<GeminiModule, "CompressionStatus"> = await import(part("core/turn.js"));
  const limits: Pick<GeminiModule, "tokenLimit"> = await import(part("core/tokenLimits.js"));
  const sizes: Pick<GeminiModule, "estimateTokenCountSync"> = await import(part("utils/tokenCalculation.js"));
  const chat: Pick<GeminiModule, "coalesceConsecutiveRoles"> = await import(part("core/geminiChat.js"));
  return { ...service, ...turn, ...limits, ...sizes, coalesceConsecutiveRoles: chat.coalesceConsecutiveRoles };
}
