import { type ModelCatalog, rememberedPrices } from "@plimsoll/providers";

/** Gives for a catalog one that looks each model up once: a look through the price tables takes longer than a call's other measures. */
export type RememberedCatalogs = (catalog: ModelCatalog) => ModelCatalog;

/** Nothing looked up yet. One catalog gives one that remembers, whoever asks. */
export function rememberedCatalogs(): RememberedCatalogs {
  const known = new WeakMap<ModelCatalog, ModelCatalog>();
  return (catalog) => {
    const before = known.get(catalog);
    if (before !== undefined) return before;
    const remembered = {
      pricesOf: datedPrices(catalog),
      cacheRulesOf: onceEach((modelId) => catalog.cacheRulesOf(modelId)),
      contextWindowOf: onceEach((modelId) => catalog.contextWindowOf(modelId)),
    };
    known.set(catalog, remembered);
    return remembered;
  };
}

function datedPrices(catalog: ModelCatalog): ModelCatalog["pricesOf"] {
  const known = rememberedPrices(catalog.pricesOf);
  return (modelId, atMs = null) => known(modelId, atMs);
}

function onceEach<Found>(find: (modelId: string) => Found): (modelId: string) => Found {
  const known = new Map<string, { readonly found: Found }>();
  return (modelId) => {
    const before = known.get(modelId) ?? { found: find(modelId) };
    known.set(modelId, before);
    return before.found;
  };
}
