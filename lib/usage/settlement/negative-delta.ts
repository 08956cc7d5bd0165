import { InvariantError } from '../../values/errors/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import { NegativeDelta } from './usage-config.ts';

export interface NegativeDeltaFacts {
  readonly usageName: string;
  readonly interval: UsageInterval;
  readonly negativeDelta: NegativeDelta;
}

/** True if the setting gives back what is billed too much; `delta` is below 0. @throws InvariantError with FAIL. */
export function givesBack(
  delta: Decimal,
  { usageName, interval, negativeDelta }: NegativeDeltaFacts,
): boolean {
  if (negativeDelta !== NegativeDelta.FAIL) return negativeDelta === NegativeDelta.CREDIT;
  const [start, end] = [formatLocalDate(interval.start.date), formatLocalDate(interval.end.date)];
  throw new InvariantError(
    `Usage ${usageName} from ${start} to ${end} comes to ${formatDecimal(delta.abs())} less than is billed; record what is missing, or set invoice.usage.negativeDelta to CREDIT or IGNORE`,
    { usageName, start, end, delta: formatDecimal(delta) },
  );
}
