import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import type { TestDatabase } from './databases.ts';

/** An application with connections of its own to the database of the engine. */
export interface Host {
  readonly storage: Storage<never>;
  /** Runs `work` in a transaction of the host. */
  transaction<T>(work: (em: never) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function hostOf(database: TestDatabase): Host {
  const common = { entities: [], discovery: { warnWhenNoEntities: false } };
  if (database.kind === 'sqlite') {
    const orm = new SqliteOrm({ ...common, dbName: database.path });
    return {
      storage: sqlite(orm) as never,
      transaction: (work) => orm.em.fork().transactional((em) => work(em as never)),
      close: () => orm.close(true),
    };
  }
  const orm = new PostgresqlOrm({ ...common, clientUrl: database.url });
  return {
    storage: postgresql(orm) as never,
    transaction: (work) => orm.em.fork().transactional((em) => work(em as never)),
    close: () => orm.close(true),
  };
}
