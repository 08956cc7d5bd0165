/** Prints a line with a figure. */
export function printFigure(name: string, figure: string): void {
  process.stdout.write(`  ${name.padEnd(52)} ${figure}\n`);
}

/** Runs a part of the script and prints its duration. */
export async function part<T>(title: string, work: () => Promise<T>): Promise<T> {
  process.stdout.write(`${title}\n`);
  const { result, ms } = await timed(work);
  printFigure('duration', seconds(ms));
  return result;
}

export async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: performance.now() - start };
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
