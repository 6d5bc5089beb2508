// Models: their limits, their prices, and the figures expected before they report
export { isBoundReasoning } from "./catalog/bound-reasoning.ts";
export { LIMITS_CHECKED_ON, parseModelReference } from "./catalog/model-limits.ts";
export {
  createSpending,
  MODEL_CATALOG,
  type ModelCatalog,
  modelCosts,
  modelCostsFrom,
  PRICES_AS_OF,
  usageUsd,
} from "./catalog/model-prices.ts";
export { probeServer } from "./catalog/probe-server.ts";
export { catalogLimits, describePrices, describeWindow, resolveModel } from "./catalog/resolve-model.ts";
// Context tools in the forms of SDKs
export { toolsFor } from "./context-tools.ts";
// Documents
export { pdfPageCount } from "./documents/pdf-pages.ts";
// Costs: a request's use of a prompt cache, and its price
export type { CacheRules, CacheUse, ModelPrices } from "./economics.ts";
export { cacheUse, outputUsd, promptUsd } from "./economics.ts";
// Outside data: the value of one kind under a key
export { numberAt, recordAt, recordsAt, stringAt } from "./fields.ts";
export { openAiUsage } from "./openai-chat/decode.ts";
// Clients: by the name of their host, their common options, and the meaning of a failure. SDKs are loaded with the first request
export { classifyProviderError } from "./overflow.ts";
export { MEASURED_FIGURES } from "./priors/measured-figures.ts";
export { familyOf, modelPriors, priorsFor, priorsFrom } from "./priors/model-priors.ts";
export { baseUrlVariable, clientFor, HOST_NAMES, KEY_VARIABLES } from "./providers.ts";
// Tokenizers: exact encodings, which are loaded when they are asked for
export { createTokenizerLoader, ENCODING_NAMES } from "./tokenizers/token-counter.ts";
