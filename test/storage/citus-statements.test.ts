import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock, sandboxGateway } from '../../adapters/testing/index.ts';
import type { TenantBilling } from '../../lib/index.ts';
import { expect, migrated, onPostgresql, plainHasher, recordingLogger } from '../support/index.ts';
import { openShop } from '../support/shop.ts';
import { withPostgresql } from '../support/storage/statement-plans.ts';

/** Inserts from a common table expression, which need all workers of Citus. Rows that move between tables do not. */
const insertOfExpression = /^\s*with (?!moved as \(delete).*\binsert into/s;

onPostgresql.describe('a database with Citus', (open) => {
  it('receives no statement that requires all Citus workers, and keeps the order of events', async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('no server');
    const url = new URL(database.url);
    // The engine looks for the extension in the first schema of the search path.
    url.searchParams.set('options', '-c search_path=public,pg_catalog');
    await withPostgresql(database.url, (client) =>
      client.query(`create view public.pg_extension as select 'citus' as extname`),
    );
    const statements: string[] = [];
    const clock = fakeClock('2024-01-01');
    const billing = await Billing.open({
      storage: postgresql({ url: url.href, trace: (statement) => void statements.push(statement) }),
      clock,
      hasher: plainHasher(),
      logger: recordingLogger(),
      pushSender: null,
      gateways: [sandboxGateway()],
    });
    try {
      const { acme } = await openShop(billing);
      const events = await billFor(acme, { clock, billing });
      expect(statements.filter((statement) => insertOfExpression.test(statement))).to.eql([]);
      expect(events.slice(0, 3)).to.eql(['ACCOUNT_CREATION', 'ACCOUNT_CHANGE', 'SUBSCRIPTION_CREATION']);
      expect(events.filter((type) => type === 'INVOICE_PAYMENT_SUCCESS')).to.have.length(2);
      expect(await Array.fromAsync(billing.checks.breaches())).to.eql([]);
    } finally {
      await billing.close();
    }
  });
});

/** Bills an account for two months. Returns the types of its events. */
async function billFor(
  acme: TenantBilling,
  { clock, billing }: { readonly clock: ReturnType<typeof fakeClock>; readonly billing: Billing<never> },
) {
  const account = await acme.createAccount({ currency: 'USD' });
  await acme.addPaymentMethod({ accountId: account.id, pluginName: 'sandbox', isDefault: true });
  await acme.createSubscription({ accountId: account.id, planName: 'sprout-monthly-direct' });
  expect(await billing.settle()).to.equal(true);
  clock.advance({ months: 1 });
  expect(await billing.settle()).to.equal(true);
  const { events } = await acme.events.list({ limit: 100 });
  return events.filter(({ accountId }) => accountId === account.id).map(({ eventType }) => eventType);
}
