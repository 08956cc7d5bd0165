// A catalog that lives in the host application: the engine sells from the host's own price table.
//   node examples/catalog-plugin.ts
import { pathToFileURL } from 'node:url';
import { sqlite } from '../adapters/mikro-orm/sqlite.ts';
import {
  type Amount,
  type AnyVersionDefinition,
  Billing,
  type CatalogPlugin,
  formatDecimal,
} from '../adapters/node/billwright.ts';
import { fakeClock } from '../adapters/testing/index.ts';

/** A row of the host's price table; a price is never edited; a new one replaces it from a day on. */
interface PriceRow {
  readonly seats: number;
  readonly from: string;
  readonly monthly: Amount;
}

/** The host's table. Running subscriptions keep the price of the row that they began with. */
class PriceTable {
  readonly #rows: PriceRow[] = [];

  add(row: PriceRow): void {
    this.#rows.push(row);
  }

  /** Changes with every new row; the engine compares it before it asks for the rows again. */
  get stamp(): string {
    return String(this.#rows.length);
  }

  rows(): readonly PriceRow[] {
    return this.#rows;
  }
}

/** One version per day on which a price begins; each holds the prices in force from then on. */
function versionsOf(rows: readonly PriceRow[]): readonly AnyVersionDefinition[] {
  const days = [...new Set(rows.map((row) => row.from))].toSorted();
  return days.map((day) => {
    const inForce = new Map<number, PriceRow>();
    for (const row of rows.toSorted((a, b) => a.from.localeCompare(b.from))) {
      if (row.from <= day) inForce.set(row.seats, row);
    }
    return {
      effectiveDate: day,
      recurringBillingMode: 'IN_ADVANCE',
      currencies: ['EUR'],
      products: { Workspace: { category: 'BASE' } },
      plans: Object.fromEntries([...inForce.values()].map((row) => [`workspace-${row.seats}`, planOf(row)])),
    };
  });
}

function planOf({ seats, monthly }: PriceRow): AnyVersionDefinition['plans'][string] {
  return {
    prettyName: `Workspace, ${seats} seats`,
    product: 'Workspace',
    finalPhase: {
      type: 'EVERGREEN',
      recurring: { billingPeriod: 'MONTHLY', price: { EUR: monthly } },
    },
  };
}

function pluginOver(table: PriceTable): CatalogPlugin {
  return {
    name: 'price-table',
    latestVersion: async () => table.stamp,
    catalog: async () => ({ name: 'Workspaces', versions: versionsOf(table.rows()) }),
  };
}

/** Sells two workspaces from the host's table, the second after a price increase, and returns the billed amounts. */
export async function sellFromTable(): Promise<readonly string[]> {
  const table = new PriceTable();
  table.add({ seats: 5, from: '2024-01-01', monthly: '25.00' });
  const clock = fakeClock('2024-01-10T12:00:00Z');
  const billing = await Billing.open({
    storage: sqlite(':memory:'),
    clock,
    catalogPlugins: [pluginOver(table)],
  });
  try {
    const tenant = await billing.tenants.create(
      { userName: 'host' },
      { apiKey: 'shop', apiSecret: 'secret' },
    );
    const shop = billing.as({ tenant: tenant.id, user: 'host' });
    const told: string[] = [];
    for (const name of ['Ada', 'Bruno']) {
      const account = await shop.createAccount({ name, currency: 'EUR' });
      await shop.createSubscription({ accountId: account.id, planName: 'workspace-5' });
      await billing.settle();
      // No upload: the next call finds the new row.
      if (name === 'Ada') table.add({ seats: 5, from: '2024-02-01', monthly: '30.00' });
      clock.advance({ months: 1 });
      await billing.settle();
      const invoices = await shop.invoices.ofAccount({ accountId: account.id, withItems: true });
      for (const item of invoices.flatMap((invoice) => invoice.items)) {
        told.push(
          `${name}: ${item.prettyPlanName} from ${item.startDate ?? ''}: EUR ${formatDecimal(item.amount)}`,
        );
      }
    }
    return told;
  } finally {
    await billing.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(`${(await sellFromTable()).join('\n')}\n`);
}
