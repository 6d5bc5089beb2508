/** How a simulated provider applies rules that not every model, account or server has. Each that is left out holds as `SWITCHABLE_RULES` says. */
export interface SimulatedRules {
  /** Whether thinking is bound to its prefix: on every model, or on none. */
  readonly thinkingPrefix?: "every-model" | "off";
  /** The treatment of thinking over a changed prefix if the request does not choose. */
  readonly prefixMismatch?: "error" | "drop_block";
  /** When the account was made: only the newest models check older ones, and only if the request asks for it. */
  readonly account?: "since-2026-08-31" | "before-2026-08-31";
  /** Whether a model is kept from reading thinking of models that it cannot read. */
  readonly thinkingModel?: "off";
  /** Whether the Responses API leaves reasoning out if its prefix changed: of every model, or of none. */
  readonly reasoningPrefix?: "every-model" | "off";
  /**
   * How calls are numbered: by the tool's name and the calls before it in the request, as Kimi does, or from nought with each start of the server, or with each
   * reply. An id may then name two calls. Left out, each is given once.
   */
  readonly callIds?: "by-name" | "each-start" | "each-reply";
  /** Whether the Messages API takes the role `system` in the middle: of every model, or of none. */
  readonly systemMessages?: "every-model" | "refused";
  /** Whether the Messages and Responses APIs compact when they are asked to. */
  readonly compactEndpoint?: "off";
  /** Whether summaries that the vendor wrote are taken back; an expired or damaged one is refused. */
  readonly summaries?: "refused";
  /**
   * The treatment of calls of tools that the request does not declare: it is refused if it has such calls, or the reply makes none. Left out, such calls are
   * not checked.
   */
  readonly undeclaredTools?: "refused" | "not-called";
  /** The limits of media and bytes: none, or others than those that the vendor documents, as those of a gateway or an older model. */
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
