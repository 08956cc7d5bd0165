import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { expect, freshDatabase, migrated, openShop, rowsOf, type TestDatabase } from '../support/index.ts';
import { overdueXml } from '../support/overdue/overdue-documents.ts';
import { drained, startNodes, stopNode } from './nodes.ts';

const ACCOUNTS = 200;
const BEGINS = '2024-01-01T00:00:00Z';
/** Due date of the payment retry and of the overdue checks. */
const DUE = '2024-01-09T00:00:00Z';

describe('two nodes with due overdue checks', function () {
  this.timeout(180_000);
  let directory: string;
  let database: TestDatabase & { readonly kind: 'postgresql' };
  let billing: Billing<never>;
  let clock: FakeClock;
  let acme: TenantBilling;
  const withoutCard: Uuid[] = [];
  const withCard: Uuid[] = [];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-overdue-nodes-'));
    const fresh = await freshDatabase('postgresql', migrated);
    if (fresh.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    database = fresh;
    clock = fakeClock(BEGINS);
    // This gateway declines every card. The nodes have one that accepts them.
    const gateway = sandboxGateway({ ledger: fileLedger(join(directory, 'declined')) });
    gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' });
    billing = await Billing.open({ storage: postgresql(database.url), clock, gateways: [gateway] });
    ({ acme } = await openShop(billing));
    await acme.overdue.upload(overdueXml({ states: [{ name: 'OFF', time: 8, disables: true }] }));
    for (let index = 0; index < ACCOUNTS; index += 1) {
      const { id: accountId } = await acme.createAccount({ currency: 'USD' });
      if (index % 2 === 0)
        await acme.addPaymentMethod({ accountId, pluginName: gateway.name, isDefault: true });
      await acme.createSubscription({ accountId, planName: 'sprout-monthly-direct' });
      (index % 2 === 0 ? withCard : withoutCard).push(accountId);
    }
    expect(await billing.settle({ timeoutMs: 60_000 })).to.equal(true);
  });

  after(async () => {
    await billing.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it(`share ${ACCOUNTS} accounts, and check each once after its payment retry (overdue §5.2, §11)`, async () => {
    clock.set(DUE);
    const shared = { database: database.url, ledger: join(directory, 'ledger'), now: DUE };
    const nodes = await startNodes(['north', 'south'].map((name) => ({ ...shared, name })));
    await drained(database.url, clock);
    const reports = await Promise.all(nodes.map(stopNode));
    expect(reports.reduce((total, { paid }) => total + paid, 0)).to.equal(withCard.length);

    const off = await rowsOf(
      database,
      `select blocked_id as account, state_name as name, effective as at from bw_blocking_states
       where service = 'overdue-service' and is_active order by record_id`,
    );
    expect(off.map(({ account }) => String(account)).toSorted()).to.eql(withoutCard.toSorted());
    expect(new Set(off.map(({ name, at }) => `${name} ${Number(at)}`))).to.eql(
      new Set([`OFF ${Date.parse(DUE)}`]),
    );
    const changes = await rowsOf(
      database,
      `select topic, count(*) as number from bw_queue_history
       where topic in ('OVERDUE_CHANGE', 'TAG_CREATION', 'BLOCKING_STATE') group by topic`,
    );
    expect(Object.fromEntries(changes.map(({ topic, number }) => [topic, Number(number)]))).to.eql({
      OVERDUE_CHANGE: withoutCard.length,
      TAG_CREATION: withoutCard.length,
      BLOCKING_STATE: withoutCard.length,
    });
    for (const accountId of withCard) {
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: false });
      expect(invoices.map(({ balance }) => balance.toFixed())).to.eql(['0']);
    }
    const owners = await rowsOf(
      database,
      'select distinct processing_owner as owner from bw_queue_history where processing_owner is not null',
    );
    expect(owners.map(({ owner }) => owner)).to.include.members(['north', 'south']);
    expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
  });
});
