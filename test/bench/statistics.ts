/** Middle of the values; of an even number the lower of the two, so that it is a value that was measured. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that at least `share` per cent of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((first, second) => first - second);
  const place = Math.max(0, Math.ceil((share / 100) * sorted.length) - 1);
  const value = sorted[place];
  if (value === undefined) throw new Error('There is no percentile of no values');
  return value;
}

/** Distance from the lowest to the highest value, as a share of the median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}
