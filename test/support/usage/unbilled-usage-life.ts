import { type UnbilledUsage, unbilledUsage } from '../../../lib/usage/unbilled/unbilled-usage.ts';
import { formatDecimal } from '../../../lib/values/money/index.ts';
import { LAST_INSTANT } from '../../../lib/values/time/index.ts';
import { day, text } from '../invoicing/billing-events.ts';
import { BookedUsageLife } from './booked-usage-life.ts';
import { at } from './sections.ts';

/** Tells what of it is on no invoice. */
export class UnbilledUsageLife extends BookedUsageLife {
  /** Each day as `2026-02-20 calls 3 (calls-usage) NOT_YET_DUE`, in order. */
  unbilled(today: string): readonly string[] {
    const { events, zone, config, stored, freed } = this;
    const pieces = this.pieces([...stored, ...freed]);
    const told = { events, zone, config, billed: stored, freed, pieces, today: day(today) };
    const bounds = { start: at('2000-01-01T00:00:00Z'), end: LAST_INSTANT };
    return unbilledUsage({ ...told, ...bounds, currency: 'USD' }).map(lineOf);
  }
}

function lineOf({ unitType, amount, reason, usageName, startDate }: UnbilledUsage): string {
  return `${text(startDate)} ${unitType} ${formatDecimal(amount)} (${usageName}) ${reason}`;
}
