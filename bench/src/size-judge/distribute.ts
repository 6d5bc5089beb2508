/**
 * `totalTokens` shared out in proportion to the weights, as whole numbers whose sum is exactly the total. Equal shares if
 * all weights are zero.
 */
export function distribute(totalTokens: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares: number[] = [];
  let passed = 0;
  let given = 0;
  for (const weight of weights) {
    passed += sum > 0 ? weight / sum : 1 / weights.length;
    const next = shares.length === weights.length - 1 ? totalTokens : Math.round(totalTokens * Math.min(1, passed));
    shares.push(next - given);
    given = next;
  }
  return shares;
}
