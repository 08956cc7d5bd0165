import { MikroORM as PostgresqlOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing, type BillingOptions } from '../../adapters/node/billwright.ts';
import type { TenantBilling } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { endWith, type TestDatabase } from './databases.ts';
import type { TestEngine } from './engine.ts';

/** A host application with its own connections to the engine's database; closes with the database. */
export interface Host {
  readonly storage: Storage<never>;
  transaction<T>(work: (em: never) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function hostOf(database: TestDatabase): Host {
  const common = { entities: [], discovery: { warnWhenNoEntities: false } };
  if (database.kind === 'sqlite') {
    const orm = new SqliteOrm({ ...common, dbName: database.path });
    const transaction: Host['transaction'] = (work) => orm.em.fork().transactional((em) => work(em as never));
    return { storage: sqlite(orm) as never, transaction, close: closeOnce(database, orm) };
  }
  const orm = new PostgresqlOrm({ ...common, clientUrl: database.url });
  const transaction: Host['transaction'] = (work) => orm.em.fork().transactional((em) => work(em as never));
  return { storage: postgresql(orm) as never, transaction, close: closeOnce(database, orm) };
}

function closeOnce(database: TestDatabase, orm: { close(force: true): Promise<unknown> }) {
  let closed: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    closed ??= orm.close(true);
    await closed;
  };
  endWith(database, close);
  return close;
}

type Caller = Partial<Parameters<Billing<never>['as']>[0]>;

export interface HostedEngine {
  readonly acme: TenantBilling;
  /** Runs `work` in a host transaction with the tenant's operations. */
  inside<T>(work: (acme: TenantBilling) => Promise<T>, caller?: Caller): Promise<T>;
}

export async function hostedEngine(
  { database, clock, tenant }: TestEngine,
  options: Partial<BillingOptions<never>> = {},
): Promise<HostedEngine> {
  const host = hostOf(database);
  const billing = await Billing.open<never>({ ...options, storage: host.storage, clock });
  endWith(database, () => billing.close());
  const as = (caller: Caller = {}) =>
    // By id: looking up the key would need SQLite's only connection, which the host holds.
    billing.as({ tenant: tenant.id, user: 'host', ...caller });
  return { acme: as(), inside: (work, caller) => host.transaction((em) => work(as(caller).within(em))) };
}
