/** How a simulated provider applies rules that not every model, account or server has. By default each holds as `SWITCHABLE_RULES` says. */
export interface SimulatedRules {
  /** Whether thinking is bound to its prefix: on every model, or on none. */
  readonly thinkingPrefix?: "every-model" | "off";
  /** The treatment of thinking over a changed prefix if the request does not choose. */
  readonly prefixMismatch?: "error" | "drop_block";
  /** The account's age: only the newest models check older accounts, and only if the request asks for it. */
  readonly account?: "since-2026-08-31" | "before-2026-08-31";
  /** Whether the server drops thinking that the model cannot read, from other models. */
  readonly thinkingModel?: "off";
  /** Whether the Responses API drops reasoning after a changed prefix: of every model, or of none. */
  readonly reasoningPrefix?: "every-model" | "off";
  /**
   * How calls are numbered: by the tool's name and the calls before it in the request, as Kimi does, or from 0 with each start of the server, or with each reply. An id
   * may then name two calls. By default every id is new.
   */
  readonly callIds?: "by-name" | "each-start" | "each-reply";
  /** Whether the Messages API takes the role `system` in the middle: for every model, or for none. */
  readonly systemMessages?: "every-model" | "refused";
  /** Whether the Messages and Responses APIs compact on request. */
  readonly compactEndpoint?: "off";
  /** Whether the API accepts the vendor's own summaries; it refuses expired or damaged ones. */
  readonly summaries?: "refused" | "expired";
  /**
   * The treatment of calls of undeclared tools: the API refuses a request that has such calls, or the reply makes none. By default nothing checks such calls.
   */
  readonly undeclaredTools?: "refused" | "not-called";
  /** The limits of media and bytes: none, or other limits than the vendor documents, such as a gateway's or an older model's. */
  readonly media?: "off" | SimulatedMediaLimits;
}

/** Limits of media in one request; a limit left out is not checked. */
export interface SimulatedMediaLimits {
  /** Of the whole body. */
  readonly bodyBytes?: number;
  /** Images and documents together, as Anthropic counts. */
  readonly images?: number;
  /** Pages of documents and images together, as Anthropic counts. */
  readonly pages?: number;
  /** Characters of one image's base64. */
  readonly imageBytes?: number;
  /** Pixels of a side, and of a side in a request of more than twenty images. */
  readonly sidePx?: number;
  readonly manySidePx?: number;
  /** How many documents. */
  readonly documents?: number;
  /** Of the files of all documents. */
  readonly documentBytes?: number;
  /** Whether refusals name the limit; left out, they do. */
  readonly words?: "named" | "unnamed";
}
