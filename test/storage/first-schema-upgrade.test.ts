import { readFile } from 'node:fs/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { expect } from 'chai';
import { migrations as ofPostgresql } from '../../adapters/mikro-orm/migrations/postgresql/index.ts';
import { migrations as ofSqlite } from '../../adapters/mikro-orm/migrations/sqlite/index.ts';
import { migrate as migratePostgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { schemaOptions } from '../../adapters/mikro-orm/schema.ts';
import { migrate as migrateSqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { type FakeClock, fakeClock, memoryLedger, sandboxGateway } from '../../adapters/testing/index.ts';
import { decimal, formatDecimal, formatInstant, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { itemLines } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { fixture } from '../support/files.ts';
import { storageAt } from '../support/storage/opened-storage.ts';

const rows = fixture('databases/first-schema.sql');
const tenant = '01a2001a-f42b-753f-b699-03fe43c46429' as Uuid;

eachDatabase((_kind, open) => {
  describe('storage: a database of the first schema', () => {
    let billing: Billing<never>;
    let acme: TenantBilling;
    let clock: FakeClock;

    beforeEach(async () => {
      const database = await open();
      await fill(database);
      const list = database.kind === 'sqlite' ? ofSqlite : ofPostgresql;
      const done = await (database.kind === 'sqlite'
        ? migrateSqlite(database.path)
        : migratePostgresql(database.url));
      expect(done).to.deep.equal(list.slice(1).map(({ name }) => name));
      clock = fakeClock('2024-05-20T12:00:00Z');
      const gateways = [sandboxGateway({ ledger: memoryLedger() })];
      billing = await Billing.open({ storage: storageAt(database), clock, gateways });
      acme = billing.as({ tenant, user: 'test' });
    });
    afterEach(() => billing.close());

    async function runTo(date: string): Promise<void> {
      clock.set(date);
      expect(await billing.settle({ timeoutMs: 10_000 })).to.equal(true);
    }

    /** Items of the account's invoices after those it has in the file. */
    async function itemsAfter(externalKey: string, count: number): Promise<readonly string[]> {
      const { id } = await acme.accounts.getByKey(externalKey);
      const invoices = await acme.invoices.ofAccount({ accountId: id, withItems: true });
      return invoices
        .slice(count)
        .map((invoice) => `${itemLines(invoice)} owed ${formatDecimal(invoice.balance)}`);
    }

    it('shows its catalog as it was uploaded', async () => {
      const { versions } = await acme.catalogs.current();
      expect(
        versions.map(({ effectiveDate, plans }) => [
          formatInstant(effectiveDate).slice(0, 10),
          ...plans.map(
            ({ name, finalPhase }) => `${name} ${finalPhase.recurring?.price?.prices[0]?.amount?.text}`,
          ),
        ]),
      ).to.deep.equal([
        ['2024-01-01', 'heat-annual 366.00', 'heat-monthly 40.00', 'heat-trial 20.00'],
        ['2024-04-01', 'heat-annual 366.00', 'heat-monthly 52.00', 'heat-trial 20.00'],
      ]);
      expect(await acme.catalogs.sources()).to.have.length(2);
    });

    it('goes on billing: each subscription at its price, no day twice, paid where there is a payment method', async () => {
      await runTo('2024-07-20T12:00:00Z');
      expect(await itemsAfter('ada', 3)).to.deep.equal([
        'RECURRING 2024-06-15..2024-07-15 40 owed 0',
        'RECURRING 2024-07-15..2024-08-15 40 owed 0',
      ]);
      expect(await itemsAfter('bruno', 3)).to.deep.equal([
        'RECURRING 2024-06-14..2024-07-14 20 owed 20',
        'RECURRING 2024-07-14..2024-08-14 20 owed 20',
      ]);
      expect(await itemsAfter('chiyo', 1)).to.deep.equal([]);
      const { id } = await acme.accounts.getByKey('ada');
      expect(await codeOf(acme.generateInvoice({ accountId: id }))).to.equal(4007);
      expect(await itemsAfter('ada', 5)).to.deep.equal([]);
    });

    it('takes a further version, whose price comes to existing subscriptions', async () => {
      const version = { effectiveDate: '2024-08-01', price: '62.00', forExisting: '2024-09-01' };
      await runTo('2024-07-20T12:00:00Z');
      await acme.uploadCatalog(pricedCatalog(version));
      await runTo('2024-09-16T12:00:00Z');
      expect(await itemsAfter('ada', 5)).to.deep.equal([
        'RECURRING 2024-08-15..2024-09-01 21.94 owed 0',
        'RECURRING 2024-09-01..2024-09-15 28 owed 0',
        'RECURRING 2024-09-15..2024-10-15 62 owed 0',
      ]);
      expect(await itemsAfter('chiyo', 1)).to.deep.equal([]);
    });

    it('keeps its rules: a simple plan goes into the version in force, a catalog in use is not deleted', async () => {
      await acme.catalogs.addSimplePlan({
        planId: 'lamp-monthly',
        productName: 'Lamp',
        productCategory: 'BASE',
        currency: 'USD',
        amount: decimal('12.50'),
        billingPeriod: 'MONTHLY',
      });
      const { versions } = await acme.catalogs.current();
      expect(versions.map((version) => version.planNamed('lamp-monthly') !== undefined)).to.deep.equal([
        false,
        true,
      ]);
      expect(await codeOf(acme.catalogs.delete())).to.equal(2080);
      await runTo('2024-06-20T12:00:00Z');
      expect(await itemsAfter('ada', 3)).to.deep.equal(['RECURRING 2024-06-15..2024-07-15 40 owed 0']);
    });
  });
});

/** The first schema with the rows of the file. */
async function fill(database: TestDatabase): Promise<void> {
  const list = database.kind === 'sqlite' ? ofSqlite : ofPostgresql;
  const shared = {
    ...schemaOptions([], list.slice(0, 1)),
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
  };
  const orm =
    database.kind === 'sqlite'
      ? new SqliteOrm({ ...shared, dbName: database.path })
      : new PostgresqlOrm({ ...shared, clientUrl: database.url });
  await orm.migrator.up();
  const connection = orm.em.getConnection();
  // A statement may hold line breaks: documents are values of it.
  const statements = (await readFile(rows, 'utf8')).split(/^(?=insert into bw_)/m).slice(1);
  for (const statement of statements) await connection.execute(statement.trim());
  if (database.kind === 'postgresql') {
    const tables = new Set(statements.map((statement) => statement.split(' ')[2]));
    for (const table of tables) {
      await connection.execute(
        `select setval(pg_get_serial_sequence('${table}', 'record_id'), (select max(record_id) from ${table}))`,
      );
    }
  }
  await orm.close(true);
}
