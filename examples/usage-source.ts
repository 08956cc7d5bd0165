// Usage that the host meters itself: a usage source reads its own log of calls, and invoices charge it.
//   node examples/usage-source.ts
import { pathToFileURL } from 'node:url';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  Billing,
  defineCatalog,
  formatDecimal,
  type RawUsageRecord,
  type UsageRange,
  type UsageSource,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

/** A line of the host's own log. */
export interface LoggedCalls {
  readonly subscriptionId: string;
  readonly at: string;
  readonly calls: number;
  /** Names the batch; invoices that charge it show it. */
  readonly batch: string;
}

/** @param log in the order of time; in a host's own database a query by account and time. */
export function callLogSource(log: readonly LoggedCalls[]): UsageSource {
  async function* recordsIn({ start, end }: UsageRange): AsyncGenerator<RawUsageRecord> {
    for (const { subscriptionId, at, calls, batch } of log) {
      const instant = new Date(at);
      if (instant < start || instant >= end) continue;
      // Amounts are texts or decimals: a number would not always be exact.
      yield { subscriptionId, instant, unitType: 'calls', amount: String(calls), trackingId: batch };
    }
  }
  return {
    name: 'call-log',
    getUsageForAccount: async (range) => recordsIn(range),
    getUsageForSubscription: async (_subscriptionId, range) => recordsIn(range),
  };
}

const catalog = defineCatalog({
  name: 'Relay',
  effectiveDate: '2024-01-01',
  recurringBillingMode: 'IN_ADVANCE',
  currencies: ['EUR'],
  units: { calls: {} },
  products: { Relay: { category: 'BASE' } },
  plans: {
    'relay-metered': {
      product: 'Relay',
      finalPhase: {
        type: 'EVERGREEN',
        usages: {
          'relay-calls': {
            billingMode: 'IN_ARREAR',
            usageType: 'CONSUMABLE',
            billingPeriod: 'MONTHLY',
            tiers: [
              { blocks: [{ unit: 'calls', size: '1000', max: '10', prices: { EUR: '0.50' } }] },
              { blocks: [{ unit: 'calls', size: '1000', prices: { EUR: '0.40' } }] },
            ],
          },
        },
      },
    },
  },
  priceLists: { DEFAULT: ['relay-metered'] },
});

/** A month of calls, some of which the log gets only after they are billed. */
export async function billLoggedCalls(): Promise<readonly string[]> {
  const log: LoggedCalls[] = [];
  const clock = fakeClock('2024-01-01T00:00:00Z');
  const billing = await Billing.open({
    storage: sqlite(':memory:'),
    clock,
    usageSources: [callLogSource(log)],
  });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'relay', apiSecret: 'secret' },
    );
    const relay = billing.as({ tenant: tenant.id, user: 'host' });
    await relay.uploadCatalog(catalog);
    const { id: accountId } = await relay.createAccount({
      name: 'Ada',
      currency: 'EUR',
      billCycleDayLocal: 1,
    });
    const { subscriptionId } = await relay.createSubscription({ accountId, planName: 'relay-metered' });
    log.push({ subscriptionId, at: '2024-01-10T09:00:00Z', calls: 9_500, batch: 'january-1' });
    const told: string[] = [];
    const { rolledUpUnits } = await relay.usage.rollUp(subscriptionId, {
      startDate: '2024-01-01',
      endDate: '2024-02-01',
    });
    told.push(...rolledUpUnits.map(({ unitType, amount }) => `so far ${formatDecimal(amount)} ${unitType}`));
    clock.set('2024-02-01T00:00:00Z');
    await billing.settle();
    log.push({ subscriptionId, at: '2024-01-31T23:00:00Z', calls: 2_500, batch: 'january-2' });
    clock.set('2024-03-01T00:00:00Z');
    await billing.settle();
    for (const { id } of await relay.invoices.ofAccount({ accountId })) {
      const { items, trackingIds } = await relay.getInvoice(id);
      const lines = items.map(({ itemType, amount }) => `${itemType} ${formatDecimal(amount)}`);
      told.push(`${lines.join(', ')} for ${trackingIds.join(', ') || 'nothing'}`);
    }
    return told;
  } finally {
    await billing.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${(await billLoggedCalls()).join('\n')}\n`);
}
