import { type Figure, Size } from './goal.ts';
import { median, spread } from './statistics.ts';

/**
 * Formats one line: median, spread, runs, share of the ceiling, and comparison with the goal unless the size is small.
 */
export function reportLine(figure: Figure, size: Size): string {
  const middle = median(figure.runs);
  const parts = [
    figure.name.padEnd(58),
    `${format(middle)} ${figure.unit}`.padStart(18),
    runsOf(figure).padEnd(22),
    (hasGoals(size) ? goalOf(figure, middle) : '').padEnd(24),
  ];
  return [...parts, ceilingOf(figure, middle)].join('  ').trimEnd();
}

/** Goals apply to the full sizes. Smaller ones are only compared with their ceilings. */
function hasGoals(size: Size): boolean {
  return size === Size.NORMAL || size === Size.FULL;
}

function runsOf({ runs }: Figure): string {
  if (runs.length === 1) return '(1 run)';
  return `(${runs.length} runs, spread ${(100 * spread(runs)).toFixed(0)} %)`;
}

function goalOf({ goal }: Figure, middle: number): string {
  if (goal === null) return '';
  const reached = 'atLeast' in goal ? middle >= goal.atLeast : middle <= goal.atMost;
  const wanted = 'atLeast' in goal ? `≥ ${format(goal.atLeast)}` : `≤ ${format(goal.atMost)}`;
  return `goal ${wanted}: ${reached ? 'reached' : 'MISSED'}`;
}

function ceilingOf({ ceiling }: Figure, middle: number): string {
  if (!ceiling) return '';
  return `${((100 * middle) / ceiling.value).toFixed(0)} % of ${format(ceiling.value)} (${ceiling.what})`;
}

/** Formats with three significant digits, or all digits before the decimal point. */
export function format(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
