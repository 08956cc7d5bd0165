import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { decimal, type SimplePlan, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { codeOf, expect, freshDatabase, migrated } from '../support/index.ts';

const lamp: SimplePlan = {
  planId: 'lamp-monthly',
  productName: 'Lamp',
  productCategory: 'BASE',
  currency: 'USD',
  amount: decimal('12.50'),
  billingPeriod: 'MONTHLY',
};

describe('tenant catalog on two nodes', () => {
  let nodes: readonly Billing<never>[];
  let north: TenantBilling;
  let south: TenantBilling;
  let tenant: Uuid;
  let url: string;

  before(async () => {
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    url = database.url;
    const clock = fakeClock('2024-01-01T00:00:00Z');
    const open = () => Billing.open<never>({ storage: postgresql(database.url), clock });
    const [first, second] = await Promise.all([open(), open()]);
    nodes = [first, second];
    tenant = (await first.tenants.create({ userName: 'test' }, { apiKey: 'a', apiSecret: 'b' })).id;
    north = first.as({ tenant, user: 'test' });
    south = second.as({ tenant, user: 'test' });
  });

  after(() => Promise.all(nodes.map((node) => node.close())));

  async function plansOf(node: TenantBilling): Promise<readonly string[]> {
    const { versions } = await node.catalogs.current();
    return versions.flatMap((version) => version.plans.map((plan) => plan.name));
  }

  it('reflects each change in the next call on the other node', async () => {
    expect([await plansOf(north), await plansOf(south)]).to.eql([[], []]);
    await north.catalogs.addSimplePlan(lamp);
    expect(await plansOf(south)).to.eql(['lamp-monthly']);
    await south.catalogs.addSimplePlan({ ...lamp, planId: 'lamp-annual', billingPeriod: 'ANNUAL' });
    expect(await plansOf(north)).to.eql(['lamp-annual', 'lamp-monthly']);
    await north.catalogs.delete();
    expect(await plansOf(south)).to.eql([]);
  });

  it('is not deleted while another node creates a subscription to one of its plans', async () => {
    await north.catalogs.addSimplePlan(lamp);
    const account = await north.createAccount({ currency: 'USD' });
    const blocker = new Client({ connectionString: url });
    await blocker.connect();
    try {
      await blocker.query('begin; lock table bw_bundles in exclusive mode');
      // Has read the catalog and waits to store its bundle.
      const creation = north.createSubscription({ accountId: account.id, planName: 'lamp-monthly' });
      await waiting(blocker, 1);
      // An addition does not wait.
      await south.catalogs.addSimplePlan({ ...lamp, planId: 'lamp-now' });
      const deletion = codeOf(south.catalogs.delete());
      await waiting(blocker, 2);
      await blocker.query('commit');
      await creation;
      expect(await deletion).to.equal(2080);
    } finally {
      await blocker.end();
    }
    expect(await plansOf(south)).to.include('lamp-monthly');
  });

  it('is loaded once for concurrent first reads', async () => {
    await north.catalogs.addSimplePlan(lamp);
    const [, second] = nodes as [Billing<never>, Billing<never>];
    const context = await second.context({ tenant, user: 'test' });
    const catalogs = await Promise.all([1, 2, 3, 4].map(() => second.catalogs.current(context)));
    expect(new Set(catalogs).size).to.equal(1);
  });

  it('contains the simultaneous changes of both nodes', async () => {
    await Promise.all([
      north.catalogs.addSimplePlan({ ...lamp, planId: 'from-north' }),
      south.catalogs.addSimplePlan({ ...lamp, planId: 'from-south' }),
    ]);
    expect(await plansOf(north)).to.include.members(['from-north', 'from-south']);
    expect(await plansOf(south)).to.eql(await plansOf(north));
  });
});

async function waiting(client: Client, count: number): Promise<void> {
  for (let polls = 0; polls < 500; polls += 1) {
    const { rows } = await client.query(`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    if (rows.length >= count) return;
    await setTimeout(10);
  }
  throw new Error(`no ${count} statements wait for a lock`);
}
