import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, fileLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import type { TenantBilling, Uuid } from '../../lib/index.ts';
import { expect, freshDatabase, migrated, openShop } from '../support/index.ts';
import { drained, signUpMany, startNodes, stopNode } from './nodes.ts';

/** More than the workers of one node claim at once. */
const ACCOUNTS = 500;
/** Slow enough for the other node to get its share. */
const PURCHASE_MS = '40';
const BEGINS = '2024-01-01T00:00:00Z';
const NEXT_PERIOD = '2024-02-01T00:00:00Z';

describe('two nodes on one PostgreSQL database', () => {
  let directory: string;
  let url: string;
  let billing: Billing<never>;
  let clock: FakeClock;
  let acme: TenantBilling;
  let accountIds: readonly Uuid[];

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-nodes-'));
    const database = await freshDatabase('postgresql', migrated);
    if (database.kind !== 'postgresql') throw new Error('this test needs PostgreSQL');
    url = database.url;
    clock = fakeClock(BEGINS);
    const gateways = [sandboxGateway({ ledger: fileLedger(join(directory, 'ledger')) })];
    billing = await Billing.open({ storage: postgresql(url), clock, gateways });
    ({ acme } = await openShop(billing));
    accountIds = await signUpMany(acme, ACCOUNTS);
    await billing.settle();
  });

  after(async () => {
    await billing.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it(`share ${ACCOUNTS} due accounts, and bill and charge each once`, async () => {
    clock.set(NEXT_PERIOD);
    const ledger = join(directory, 'ledger');
    const shared = { database: url, ledger, now: NEXT_PERIOD, 'purchase-ms': PURCHASE_MS };
    const nodes = await startNodes(['north', 'south'].map((name) => ({ ...shared, name })));
    await drained(url, clock);
    const reports = await Promise.all(nodes.map(stopNode));
    expect(reports.reduce((total, { paid }) => total + paid, 0)).to.equal(ACCOUNTS);
    for (const { paid } of reports) expect(paid).to.be.greaterThan(0);
    for (const accountId of accountIds) {
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true, includeVoided: true });
      expect(invoices.map((invoice) => invoice.items.length)).to.eql([1, 1]);
      expect(invoices.map((invoice) => invoice.balance.toFixed())).to.eql(['0', '0']);
      const payments = await acme.payments.ofAccount(accountId);
      expect(payments.map((payment) => payment.transactions.length)).to.eql([1, 1]);
    }
  });
});
