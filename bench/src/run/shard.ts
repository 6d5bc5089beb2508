/** One of `count` parts of a run; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** The files of a part: every `count`th, so that parts take about as long as each other. */
export function filesOfShard<File>(files: readonly File[], shard: Shard | null): readonly File[] {
  return shard === null ? files : files.filter((_, place) => place % shard.count === shard.index - 1);
}
