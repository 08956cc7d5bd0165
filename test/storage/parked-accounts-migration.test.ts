import { Migrator } from '@mikro-orm/migrations';
import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { expect } from 'chai';
import { migrations as ofPostgresql } from '../../adapters/mikro-orm/migrations/postgresql/index.ts';
import { migrations as ofSqlite } from '../../adapters/mikro-orm/migrations/sqlite/index.ts';
import { migrate as migratePostgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { schemaOptions } from '../../adapters/mikro-orm/schema.ts';
import { migrate as migrateSqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { SystemTag } from '../../lib/index.ts';
import { eachDatabase, type TestDatabase } from '../support/databases.ts';
import { storageAt } from '../support/storage/opened-storage.ts';
import { newId } from '../support/storage/stored-records.ts';

const NAME = '20261121211719-auto-pay-holds';

eachDatabase((kind, open) => {
  describe('storage: accounts that were parked before there was a tag for it', () => {
    it('carry it after the migration, with its audit row; the others do not', async () => {
      const database = await open();
      const [parked, free] = [newId(), newId()];
      const orm = before(database);
      await orm.migrator.up();
      const state = (id: string, recordId: number, isParked: string) =>
        `insert into bw_invoicing_states (tenant_record_id, account_id, account_record_id, account_cba, account_balance, parked, version)
         values (7, '${id}', ${recordId}, '0', '0', ${isParked}, 1)`;
      const [yes, no] = kind === 'sqlite' ? ['1', '0'] : ['true', 'false'];
      await orm.em.getConnection().execute(state(parked, 11, yes));
      await orm.em.getConnection().execute(state(free, 12, no));
      await orm.close(true);

      if (database.kind === 'sqlite') await migrateSqlite(database.path);
      else await migratePostgresql(database.url);
      const storage = storageAt(database);
      try {
        await storage.read({ id: newId(), recordId: 7 }, async (session) => {
          const tags = await session.tags.findByObjects('ACCOUNT', [parked, free], { includeDeleted: true });
          expect(
            tags.map(({ objectId, tagDefinitionId, accountRecordId, isActive }) => [
              objectId,
              tagDefinitionId,
              accountRecordId,
              isActive,
            ]),
          ).to.deep.equal([[parked, SystemTag.PARK, 11, true]]);
          const rows = await session.audit.findHistories(tags.map(({ id }) => id));
          expect(
            rows.map(({ tableName, changeType, targetRecordId, accountRecordId }) => [
              tableName,
              changeType,
              targetRecordId,
              accountRecordId,
            ]),
          ).to.deep.equal([['TAG', 'INSERT', tags[0]?.recordId, 11]]);
          expect(rows[0]?.snapshot).to.deep.equal({
            tagDefinitionId: SystemTag.PARK,
            objectId: parked,
            objectType: 'ACCOUNT',
            isActive: true,
          });
        });
      } finally {
        await storage.close();
      }
    });
  });
});

/** The database with all migrations before that one. */
function before(database: TestDatabase) {
  const list = database.kind === 'sqlite' ? ofSqlite : ofPostgresql;
  const shared = {
    ...schemaOptions(
      [],
      list.slice(
        0,
        list.findIndex(({ name }) => name === NAME),
      ),
    ),
    extensions: [Migrator],
  };
  return database.kind === 'sqlite'
    ? new SqliteOrm({ ...shared, dbName: database.path, discovery: { warnWhenNoEntities: false } })
    : new PostgresqlOrm({ ...shared, clientUrl: database.url, discovery: { warnWhenNoEntities: false } });
}
