import { dateText, dayAt, dayOf, startOf } from './calendar.ts';
import { billionths } from './oracle-price.ts';
import { type PlainItem, plainItems } from './plain-items.ts';
import type { OracleEvent, OracleSettings } from './usage-facts.ts';
import { UsageOracle } from './usage-oracle.ts';

export interface OwedInvoice {
  readonly items: readonly PlainItem[];
  readonly trackingIds: readonly string[];
  readonly chargedThrough: string | null;
  readonly nextDate: string | null;
}

/** The usage of one subscription. A run creates an invoice if there is anything to bill. */
export class OracleLife {
  readonly #oracle: UsageOracle;
  #runs = 0;

  constructor(zone: string, settings: Partial<OracleSettings>) {
    this.#oracle = new UsageOracle(zone, settings);
  }

  set events(events: readonly OracleEvent[]) {
    this.#oracle.events = events;
  }

  /** @param what such as `99 sms`. @param when a date for a point of a day, or an instant. */
  record(what: string, when: string, trackingId = when): void {
    const { zone, points } = this.#oracle;
    const [amount = '', unit = ''] = what.split(' ');
    const isOfDay = /^\d{4}-\d{2}-\d{2}$/.test(when);
    const at = isOfDay ? startOf(dayOf(when), zone) : Date.parse(when);
    const day = dayAt(at, zone);
    points.push({ unit, at, day, isOfDay, amount: billionths(amount), trackingId, isVoid: false });
  }

  voidPoints(trackingId: string): void {
    this.#oracle.voidPoints(trackingId);
  }

  bill(targetDate: string): OwedInvoice {
    const owed = this.#oracle.owed(dayOf(targetDate));
    const items = plainItems(owed);
    this.#runs += 1;
    this.#oracle.bill(owed, { run: String(this.#runs), hasInvoice: items.length > 0 });
    return {
      items,
      trackingIds: items.length > 0 ? owed.trackingIds : [],
      chargedThrough: owed.chargedThrough === null ? null : dateText(owed.chargedThrough),
      nextDate: owed.nextDate === null ? null : dateText(owed.nextDate),
    };
  }

  /** Voids the last run. */
  voidLast(): void {
    this.#oracle.voidInvoice(String(Math.max(...this.#oracle.billed.map(({ invoice }) => Number(invoice)))));
  }
}
