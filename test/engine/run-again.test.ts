import pg from 'pg';
import { SystemTag } from '../../lib/index.ts';
import { expect, onPostgresql, openEngine, rowsOf, type TestEngine } from '../support/index.ts';

/** A deadlock that the server ends, once, by failing the first insertion into the table. */
async function failOnce(url: string, table: string, condition: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`
      create sequence failures;
      create function fail_once() returns trigger language plpgsql as $$ begin
        if ${condition} and nextval('failures') = 1 then
          raise exception 'deadlock detected' using errcode = '40P01';
        end if;
        return new;
      end $$;
      create trigger fail_once before insert or update on ${table} for each row execute function fail_once();`);
  } finally {
    await client.end();
  }
}

onPostgresql('an invoice run on PostgreSQL that the server ends for a deadlock', (open) => {
  let engine: TestEngine;

  const places = [
    { table: 'bw_coverage', condition: `new.kind = 'RECURRING'` },
    { table: 'bw_counters', condition: `new.name = 'invoice_number'` },
    { table: 'bw_invoice_items', condition: 'true' },
  ];
  for (const { table, condition } of places) {
    it(`an invoice run ended by a deadlock while it writes ${table} begins again and leaves what it should, once`, async () => {
      engine = await openEngine(open, { now: '2024-01-01T08:00:00Z' });
      const { acme, database } = engine;
      if (database.kind !== 'postgresql') throw new Error('wrong kind');
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'solo-now' });
      await engine.settle();
      engine.clock.set('2024-01-10T08:00:00Z');
      await acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      await acme.subscriptions.changePlan(subscriptionId, {
        planName: 'team-now',
        billingPolicy: 'IMMEDIATE',
      });
      await engine.settle();
      await acme.tags.remove({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_INVOICING_OFF]);
      await engine.settle(failOnce(database.url, table, condition));
      const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
      expect(invoices).to.have.lengthOf(2);
      expect(invoices[1]?.items.map(({ itemType }) => itemType)).to.include.members([
        'REPAIR_ADJ',
        'RECURRING',
      ]);
      expect(await acme.invoices.verifyCoverage(accountId)).to.eql([]);
      expect(await rowsOf(database, 'select last_value > 1 as again from failures')).to.eql([
        { again: true },
      ]);
    });
  }
});
