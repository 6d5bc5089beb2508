// Wires: their rules, and what failures mean
export { anthropicUsage } from "./anthropic/usage.ts";
export { ANTHROPIC_WIRE_RULES } from "./anthropic/wire-rules.ts";
// Models
export { MODEL_CATALOG, type ModelCatalog } from "./catalog/catalog.ts";
export type { FamilyLimits, TokenizerFamily } from "./catalog/model-limits.ts";
export { FAMILY_LIMITS, familyLimitsOf, LIMITS_CHECKED_ON, tokenizerOf } from "./catalog/model-limits.ts";
export { PRICES_AS_OF } from "./catalog/model-prices.ts";
export type { ModelReference } from "./catalog/model-reference.ts";
export { modelFamily, parseModelReference } from "./catalog/model-reference.ts";
export { nearestModels } from "./catalog/nearest-models.ts";
export type { GetJson, ProbedLimits } from "./catalog/probe-server.ts";
export { probeServer } from "./catalog/probe-server.ts";
export type { LimitSource, ModelResolution, ResolvedModel, SourcedTokens } from "./catalog/resolve-model.ts";
export { describePrices, describeWindow, resolveModel } from "./catalog/resolve-model.ts";
// Clients
export type { FailureReason } from "./client/failure.ts";
export { DEFAULT_IDLE_TIMEOUT_MS } from "./client/idle-stream.ts";
export type { Environment } from "./client/key.ts";
export type { ClientOptions } from "./client/model-client.ts";
export type { Random, RetryOptions, Wait } from "./client/retry.ts";
export { DEFAULT_RETRY } from "./client/retry.ts";
// Documents
export type { Inflate } from "./documents/pdf-pages.ts";
export { pdfPageCount } from "./documents/pdf-pages.ts";
export { chatUsage, responsesUsage } from "./openai/usage.ts";
export { OPENAI_CHAT_WIRE_RULES } from "./openai-chat/wire-rules.ts";
export { OPENAI_RESPONSES_WIRE_RULES } from "./openai-responses/wire-rules.ts";
export type { ClassifiedFailure, ProviderErrorClass, ProviderFailure } from "./overflow.ts";
export { classifyProviderError } from "./overflow.ts";
// What is expected of models before they report
export { MODEL_FAMILIES, type ModelFamily } from "./priors/families.ts";
export type { FigureName, MeasuredFigures, WeightsName } from "./priors/figures.ts";
export { MEASURED_FIGURES } from "./priors/measured-figures.ts";
export { familyOf, modelPriors, priorsFrom } from "./priors/model-priors.ts";
export { FIRST_MESSAGE_NOTICE } from "./wire/first-message-notice.ts";
export type { LoadImage } from "./wire/images.ts";
