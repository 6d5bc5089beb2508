/** Error of the size model on calls that it was not fitted on, in percent of the reported prompt. */
export interface SizeModelError {
  readonly heldOutCalls: number;
  readonly mapePercent: number | null;
  readonly medianPercent: number | null;
  readonly maxPercent: number | null;
}
