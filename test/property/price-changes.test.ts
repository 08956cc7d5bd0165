import { type CatalogVersion, createCatalog } from '../../lib/catalog/index.ts';
import { firstChangedDate } from '../../lib/invoicing/evaluation/last-evaluation.ts';
import type { BillingEvent } from '../../lib/records/billing-event.ts';
import { billingEvents } from '../../lib/subscriptions/billing-stream/billing-event-stream.ts';
import { addDays, formatLocalDate, localDate, maxDate, parseLocalDate } from '../../lib/values/time/index.ts';
import { plan, version } from '../support/catalogs/catalog-document.ts';
import { SubscriptionLedger } from '../support/invoicing/subscription-ledger.ts';
import { expect, fc, forAll, type LocalDate } from '../support/property.ts';
import { account, at, created, type Life } from '../support/subscriptions/example.ts';

const firstDay = localDate(2024, 1, 1);
const startDay = localDate(2024, 2, 10);
const lastDay = localDate(2024, 12, 31);

interface Change {
  /** Days since the first version. */
  readonly effective: number;
  readonly price: number;
  /** Days from there to the date for existing subscriptions; null = no such date. */
  readonly existing: number | null;
  /** Days since the start of the subscription. */
  readonly upload: number;
}

const changes = fc.uniqueArray(
  fc.record({
    effective: fc.integer({ min: 1, max: 300 }),
    price: fc.integer({ min: 0, max: 4 }).map((step) => 10 + 10 * step),
    existing: fc.option(fc.integer({ min: 0, max: 60 })),
    upload: fc.integer({ min: 0, max: 250 }),
  }),
  { selector: ({ effective }) => effective, minLength: 1, maxLength: 4 },
);

function versionOf({ effective, price, existing }: Omit<Change, 'upload'>): CatalogVersion {
  const date = addDays(firstDay, effective);
  const more =
    existing === null
      ? ''
      : `<effectiveDateForExistingSubscriptions>${formatLocalDate(addDays(date, existing))}</effectiveDateForExistingSubscriptions>`;
  return version({
    effectiveDate: formatLocalDate(date),
    plans: plan('p-m', 'P', { price: `${price}.00`, more }),
  });
}

const first = versionOf({ effective: 0, price: 10, existing: null });

function eventsOf(
  life: Life,
  versions: readonly CatalogVersion[],
  isAligned: boolean,
): readonly BillingEvent[] {
  const histories = [life];
  const plans = createCatalog(versions);
  return billingEvents({ account: life.account, histories, plans, alignPriceChanges: isAligned }).events;
}

/** Runs the ledger at each of its due dates and at the given dates, up to a day. */
function runUpTo(ledger: SubscriptionLedger, day: LocalDate, dates: LocalDate[]): void {
  for (;;) {
    const due = ledger.nextDueDate === null ? undefined : parseLocalDate(ledger.nextDueDate);
    const next = [...dates, ...(due === undefined ? [] : [due])]
      .filter((date) => date <= day)
      .sort((a, b) => a - b)[0];
    if (next === undefined) return;
    ledger.run(next);
    dates.splice(0, dates.length, ...dates.filter((date) => date > next));
  }
}

function rates(ledger: SubscriptionLedger): readonly string[] {
  return ledger.rows
    .flatMap(({ startDate, endDate, rate }) =>
      Array.from(
        { length: (endDate ?? startDate) - startDate },
        (_, index) => `${formatLocalDate(addDays(startDate, index))} ${rate}`,
      ),
    )
    .sort();
}

describe('price changes uploaded during a subscription', () => {
  it('result in the same charge for each day as if all versions had existed from the beginning', () =>
    forAll(
      [changes, fc.boolean(), fc.integer({ min: 1, max: 31 })],
      (given, isAligned, billCycleDayLocal) => {
        const owner = account({ billCycleDayLocal, referenceTime: '2024-01-01T00:00:00Z' });
        const now = at(`${formatLocalDate(startDay)}T00:00:00Z`);
        const life = created({
          account: owner,
          catalog: createCatalog([first]),
          request: { planName: 'p-m' },
          now,
        });

        let versions = [first];
        let events = eventsOf(life, versions, isAligned);
        const { id: subscriptionId } = life.subscription;
        const grown = new SubscriptionLedger({ subscriptionId }).change(events);
        grown.run(startDay);
        const dates: LocalDate[] = [];
        for (const change of given.toSorted((one, other) => one.upload - other.upload)) {
          const today = addDays(startDay, change.upload);
          runUpTo(grown, today, dates);
          versions = [...versions, versionOf(change)];
          const changed = eventsOf(life, versions, isAligned);
          const date = firstChangedDate(events, changed);
          events = changed;
          if (date === null) grown.change(changed);
          else {
            grown.change(changed, date);
            dates.push(maxDate(date, today));
          }
        }
        runUpTo(grown, lastDay, dates);
        grown.run(lastDay);

        const whole = new SubscriptionLedger({ subscriptionId }).change(eventsOf(life, versions, isAligned));
        whole.run(startDay);
        runUpTo(whole, lastDay, []);
        whole.run(lastDay);
        expect(rates(grown)).to.eql(rates(whole));
      },
    ));
});
