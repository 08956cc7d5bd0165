import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { expect } from 'chai';
import { migrations as ofPostgresql } from '../../adapters/mikro-orm/migrations/postgresql/index.ts';
import { migrations as ofSqlite } from '../../adapters/mikro-orm/migrations/sqlite/index.ts';
import { migrate as migratePostgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { schemaOptions } from '../../adapters/mikro-orm/schema.ts';
import { migrate as migrateSqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { writeBasis } from '../../adapters/mikro-orm/tables/item-basis-text.ts';
import type { ItemBasis, Uuid } from '../../lib/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { eachDatabase, reachingEveryTenant, type TestDatabase } from '../support/databases.ts';
import { storageAt } from '../support/storage/opened-storage.ts';
import { newId, now, today } from '../support/storage/stored-records.ts';

const NAME = '20261122160554-item-basis';
const event = { type: 'CREATE' as const, effectiveDate: now, localDate: today };

eachDatabase((_kind, open) => {
  describe('storage: facts behind amounts from when they had a table of their own', () => {
    it('are those of their items after the migration, and go back with it', async () => {
      const database = await open();
      const [first, second, given] = [newId(), newId(), newId()];
      const bases = new Map<Uuid, ItemBasis>([
        [second, { kind: 'FIXED', event, price: decimal('2.50'), quantity: 2 }],
        [first, { kind: 'CREDIT', balance: decimal('12'), credit: decimal('0.01') }],
      ]);
      await filledBefore(database, [first, second, given], bases);

      if (database.kind === 'sqlite') await migrateSqlite(database.path);
      else await migratePostgresql(database.url);
      const storage = storageAt(database);
      try {
        const found = await storage.read({ id: newId(), recordId: 7 }, ({ invoices }) =>
          invoices.findItemBases([first, second, given]),
        );
        expect(found).to.deep.equal(bases);
      } finally {
        await storage.close();
      }

      const orm = upTo(database, migrationsOf(database).length);
      await orm.migrator.down({ migrations: [NAME] });
      const rows = await orm.em
        .getConnection()
        .execute('select tenant_record_id, account_record_id, item_id, basis from bw_invoice_item_bases');
      await orm.close(true);
      expect(
        rows.map((row) => [
          Number(row.tenant_record_id),
          Number(row.account_record_id),
          row.item_id,
          row.basis,
        ]),
      ).to.have.deep.members([...bases].map(([id, basis]) => [7, 11, id, writeBasis(basis)]));
    });
  });
});

/** Items of one account as the version before the migration has stored them. */
async function filledBefore(
  database: TestDatabase,
  items: readonly Uuid[],
  bases: ReadonlyMap<Uuid, ItemBasis>,
): Promise<void> {
  const list = migrationsOf(database);
  const orm = upTo(
    database,
    list.findIndex(({ name }) => name === NAME),
  );
  await orm.migrator.up();
  const connection = orm.em.getConnection();
  for (const id of items) {
    await connection.execute(`
      insert into bw_invoice_items (tenant_record_id, id, invoice_id, account_id, account_record_id, item_type, amount,
        currency, repairable, created_date)
      values (7, '${id}', '${newId()}', '${newId()}', 11, 'FIXED', '5', 'USD', '5', 1)`);
  }
  for (const [id, basis] of bases) {
    await connection.execute(`
      insert into bw_invoice_item_bases (tenant_record_id, account_record_id, item_id, basis)
      values (7, 11, '${id}', '${writeBasis(basis)}')`);
  }
  await orm.close(true);
}

function migrationsOf({ kind }: TestDatabase) {
  return kind === 'sqlite' ? ofSqlite : ofPostgresql;
}

/** The database with the first migrations, so many of them. */
function upTo(database: TestDatabase, count: number) {
  const shared = {
    ...schemaOptions([], migrationsOf(database).slice(0, count)),
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
  };
  return database.kind === 'sqlite'
    ? new SqliteOrm({ ...shared, dbName: database.path })
    : new PostgresqlOrm({
        ...shared,
        clientUrl: database.url,
        driverOptions: { options: reachingEveryTenant(database.url).options },
      });
}
