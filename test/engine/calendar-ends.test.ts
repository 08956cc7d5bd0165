import { defineCatalog } from '../../adapters/node/billwright.ts';
import { parseLocalDate } from '../../lib/index.ts';
import { anyDatabase, engineBefore, expect } from '../support/index.ts';

const millennium = { unit: 'YEARS', number: 1_000 } as const;
const triennial = { billingPeriod: 'TRIENNIAL', price: { USD: '30.00' } } as const;

/** The longest phases and billing periods that there are. */
const longest = defineCatalog({
  name: 'Long',
  effectiveDate: '0001-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['USD'],
  products: { Oak: { category: 'BASE' } },
  plans: {
    'oak-longest': {
      product: 'Oak',
      initialPhases: [
        { type: 'TRIAL', duration: millennium, fixed: 0 },
        { type: 'DISCOUNT', duration: millennium, recurring: triennial },
      ],
      finalPhase: { type: 'FIXEDTERM', duration: millennium, recurring: triennial },
    },
    'oak-triennial': { product: 'Oak', finalPhase: { type: 'EVERGREEN', recurring: triennial } },
  },
  priceLists: { DEFAULT: ['oak-longest', 'oak-triennial'] },
  rules: {
    changePolicy: [{ policy: 'IMMEDIATE' }],
    cancelPolicy: [{ policy: 'IMMEDIATE' }],
    billingAlignment: [{ alignment: 'SUBSCRIPTION' }],
  },
}).toXml();

for (const { now, zone, first, recent, last } of [
  {
    now: '8999-12-31T23:59:59Z',
    zone: '+14:00',
    first: '8900-01-01',
    recent: '8996-01-01',
    last: '9100-01-01',
  },
  {
    now: '1970-01-02T00:00:00Z',
    zone: '-12:00',
    first: '1870-01-01',
    recent: '1967-01-01',
    last: '2070-01-01',
  },
]) {
  anyDatabase(`billing at the ends of what a clock shows, ${now}`, (open) => {
    const engine = engineBefore(open, {
      now,
      catalog: longest,
      configuration: {
        'org.service.invoice.maxNumberOfMonthsInFuture': 1_200,
        'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1,
      },
    });

    for (const [planName, date, invoices] of [
      ['oak-triennial', recent, 2],
      ['oak-triennial', last, 0],
      ['oak-longest', first, 1],
      ['oak-longest', last, 0],
    ] as const) {
      it(`a run at the ends of the calendar invoices and foresees ${planName} from ${date}`, async () => {
        const { acme, logger } = engine;
        const { id: accountId } = await engine.payingAccount({ currency: 'USD', timeZone: zone });
        const start = { date: parseLocalDate(date) };
        const dates = { entitlementDate: start, billingDate: start };
        const { subscriptionId } = await acme.createSubscription({ accountId, planName }, dates);
        await engine.settle();
        expect(await acme.invoices.ofAccount({ accountId })).to.have.length(invoices);
        const upcoming = await acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' });
        expect(upcoming?.items).to.have.length(1);
        await acme.invoices.dryRun({ accountId, targetDate: parseLocalDate(last) });
        await acme.subscriptions.cancel(subscriptionId, {
          requestedDate: { date: parseLocalDate(last) },
          useRequestedDateForBilling: true,
        });
        await acme.subscriptions.uncancel(subscriptionId);
        expect(logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
      });
    }
  });
}
