import type { DayUsage, PointRange } from '../../../lib/usage/collecting/usage-ledger.ts';
import { usageWindow } from '../../../lib/usage/collecting/usage-window.ts';
import { BookedUsageLife } from './booked-usage-life.ts';
import type { LifeInvoice, StoredInterval } from './usage-life.ts';

/** Reads only the past that a run requires, like the engine. */
export class WindowedUsageLife extends BookedUsageLife {
  override bill(targetDate: string): LifeInvoice {
    const invoice = super.bill(targetDate);
    const { events, zone, config, from } = this;
    this.from = usageWindow({ events, zone, config, billed: this.visible(this.stored), from });
    return invoice;
  }

  override voidLast(): void {
    super.voidLast();
    this.from = null;
  }

  protected override visible(
    stored: readonly StoredInterval<readonly PointRange[]>[],
  ): readonly StoredInterval<readonly PointRange[]>[] {
    const { from } = this;
    return from === null ? stored : stored.filter(({ endDate }) => endDate >= from);
  }

  protected override days(): readonly DayUsage[] {
    const { from } = this;
    if (from === null) return super.days();
    const consumed = new Set(
      this.visible(this.stored).flatMap((interval) => interval.consumed.map(({ localDate }) => localDate)),
    );
    return super.days().filter(({ localDate }) => localDate >= from || consumed.has(localDate));
  }
}
