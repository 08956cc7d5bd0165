import { postgresqlDialect } from '../../adapters/mikro-orm/postgresql/dialect.ts';
import { migrate, postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { render } from '../../adapters/mikro-orm/sql/sql.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { expect, onPostgresql, openEngine, type TestDatabase, type TestEngine } from '../support/index.ts';
import { shopTemplate } from '../support/shop.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { withPostgresql } from '../support/storage/statement-plans.ts';
import { author } from '../support/storage/stored-records.ts';

const meadow = new URL('../../examples/catalogs/meadow.xml', import.meta.url);

onPostgresql.describe('engines in several schemas of one PostgreSQL database', (open) => {
  let whole: string;
  /** Returns a database whose search path begins with this schema. */
  const inSchema = (path: string): TestDatabase & { kind: 'postgresql' } => {
    const url = new URL(whole);
    url.searchParams.set('options', `-c search_path=${path}`);
    return { kind: 'postgresql', url: url.href };
  };
  const west = () => inSchema('west,public');
  const east = () => inSchema('"East-Side",public');

  before(async () => {
    const database = await open();
    if (database.kind !== 'postgresql') throw new Error('wrong kind');
    whole = database.url;
  });

  it('are rejected if they have no tables of their own, even if a later schema in the search path has tables', async () => {
    expect(await migrate(whole)).to.have.length(1);
    const storage = postgresql(west().url);
    const refused = await rejection(storage.prepare());
    await storage.close();
    expect(refused.message).to.contain('lacks 1 migration').and.to.contain('billwright migrate');
  });

  it('can be migrated side by side, and create the first schema in their search path', async () => {
    const migrated = await Promise.all([west(), east()].map(({ url }) => migrate(url)));
    expect(migrated.map(({ length }) => length)).to.eql([1, 1]);
    expect(await Promise.all([west(), east()].map(({ url }) => migrate(url)))).to.eql([[], []]);
    const tables = await withPostgresql(whole, (client) =>
      client.query(`
        select nspname as name, count(*)::int as tables, bool_or(relname = 'bw_migrations') as migrations,
          (select indexdef like '%public.gin_trgm_ops%' or indexdef like '%(folded_text gin_trgm_ops)%' from pg_indexes
            where schemaname = nspname and indexname = 'bw_accounts_text_index') as search
        from pg_class join pg_namespace n on n.oid = relnamespace
        where relkind in ('r', 'p') and relname like 'bw\\_%' group by nspname order by nspname collate "C"`),
    );
    const [first] = tables.rows;
    expect(first.tables).to.be.greaterThan(30);
    expect(tables.rows).to.eql(['East-Side', 'public', 'west'].map((name) => ({ ...first, name })));
  });

  describe('running side by side', () => {
    const engines: TestEngine[] = [];
    before(async () => {
      for (const database of [west(), east()]) {
        await shopTemplate(meadow).prepare(database);
        engines.push(
          await openEngine(async () => database, { now: '2024-03-01T00:00:00Z', catalog: meadow }),
        );
      }
    });
    after(async () => {
      for (const engine of engines) await engine.close();
    });
    const [one, other] = [() => engines[0] as TestEngine, () => engines[1] as TestEngine];

    it('bill their tenants up to a paid renewal, without seeing each other’s data', async () => {
      const totals = await Promise.all(
        engines.map(async (engine, index) => {
          const account = await engine.payingAccount({
            currency: 'USD',
            externalKey: 'same',
            name: `Quagga ${index}`,
          });
          await engine.subscribe({ accountId: account.id, planName: 'sprout-monthly-direct' });
          await engine.runTo('2024-04-02T00:00:00Z');
          const invoices = await engine.invoicesOf(account.id);
          const { rows, total } = await engine.acme.accounts.search('quagga', { offset: 0, limit: 10 });
          return {
            paid: invoices.map(({ balance }) => Number(balance)),
            found: rows.map(({ name }) => name),
            total,
            breaches: await engine.breaches(),
          };
        }),
      );
      expect(totals).to.eql(
        [0, 1].map((index) => ({ paid: [0, 0], found: [`Quagga ${index}`], total: 1, breaches: [] })),
      );
    });

    it('wake only nodes of their own schema', async () => {
      const nodes = [west(), west(), east()].map(({ url }) => postgresql(url));
      for (const node of nodes) await node.prepare();
      const [writing, near, far] = nodes as [Storage<never>, Storage<never>, Storage<never>];
      const heard: string[] = [];
      const stops = [
        near.queue.onSignal(() => heard.push('near')),
        far.queue.onSignal(() => heard.push('far')),
      ];
      const publish = () =>
        writing.write(one().tenant, author(), async (session) =>
          session.publish([{ type: 'ACCOUNT_CHANGE', accountRecordId: 1, payload: {} }]),
        );
      while (heard.length === 0) await publish();
      expect(new Set(heard)).to.eql(new Set(['near']));
      for (const stop of stops) stop();
      for (const node of nodes) await node.close();
    });

    it('do not wait for each other’s claims, published events and node names', async () => {
      const { storage, tenant } = other();
      const publish = (within: Storage<never>) =>
        within.write(tenant, author(), async (session) =>
          session.publish([{ type: 'ACCOUNT_CHANGE', accountRecordId: 1, payload: {} }]),
        );
      const hosted = postgresql(west().url);
      await hosted.prepare();
      const { claimLock, writer } = postgresqlDialect;
      if (claimLock === null) throw new Error('no lock');
      await withPostgresql(west().url, async (client) => {
        await client.query('begin');
        await client.query(render(claimLock, writer).text);
        await publish(hosted.within(client) as Storage<never>);
        const before = await storage.events.horizon(tenant.recordId);
        await publish(storage);
        expect(await storage.events.horizon(tenant.recordId)).to.be.greaterThan(before);
        expect(await storage.events.horizon(null)).to.be.greaterThan(before);
        await other().settle();
        await client.query('rollback');
      });
      expect(await hosted.nodes.hold('the same')).to.equal('HELD');
      expect(await storage.nodes.hold('the same')).to.equal('HELD');
      await hosted.close();
    });

    it('keep their data separate even with the same tenant number and access to all tenants', async () => {
      expect(one().tenant.recordId).to.equal(other().tenant.recordId);
      const seen = await withPostgresql(west().url, async (client) => {
        await client.query("set billwright.tenant_record_id = '*'");
        return client.query('select name from bw_accounts');
      });
      expect(seen.rows.map((row) => row.name)).to.eql(['Quagga 0']);
    });
  });
});
