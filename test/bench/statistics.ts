/** Returns the median; for an even count, the lower of the two middle values, which was actually measured. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Returns the smallest value that is at least as large as `share` percent of the values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((first, second) => first - second);
  const place = Math.max(0, Math.ceil((share / 100) * sorted.length) - 1);
  const value = sorted[place];
  if (value === undefined) throw new Error('There is no percentile of no values');
  return value;
}

/** Returns the range of the values relative to their median. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle;
}
