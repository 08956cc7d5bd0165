import { postgresql } from '../../../adapters/mikro-orm/postgresql.ts';
import type { Trace } from '../../../adapters/mikro-orm/sql/runner.ts';
import { sqlite } from '../../../adapters/mikro-orm/sqlite.ts';
import type { Account, Authorship, TenantRef } from '../../../lib/index.ts';
import type { Storage, WriteSession } from '../../../lib/ports/storage/index.ts';
import type { DatabaseKind, OpenDatabase, TestDatabase } from '../databases.ts';
import { migrated } from '../storage.ts';
import { account, author, newId, tenant } from './stored-records.ts';

export interface BoundStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A storage over a database of its own with one tenant, and what its statements were. */
export interface OpenedStorage {
  readonly kind: DatabaseKind;
  readonly database: TestDatabase;
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  /** Statements since the last call, without those that begin and end transactions. */
  statements(): readonly string[];
  /** The same with what they bound. */
  bound(): readonly BoundStatement[];
  write<T>(work: (session: WriteSession) => Promise<T>, authorship?: Authorship): Promise<T>;
  newTenant(): Promise<TenantRef>;
  newAccounts(count: number): Promise<readonly Account[]>;
}

export async function openStorage(kind: DatabaseKind, open: OpenDatabase): Promise<OpenedStorage> {
  const database = await open(migrated);
  const traced: BoundStatement[] = [];
  const storage = storageAt(database, (text, parameters) => traced.push({ text, parameters }));
  await storage.prepare();
  const bound = () =>
    traced.splice(0).filter(({ text }) => !/^(begin|commit|delete from bw_counters.*null)$/.test(text));
  const newTenant = async (): Promise<TenantRef> => {
    const { id, recordId } = await storage.system.insertTenant(tenant({ apiKey: newId() }), author());
    return { id, recordId };
  };
  const opened = await newTenant();
  const write: OpenedStorage['write'] = (work, authorship = author()) =>
    storage.write(opened, authorship, work);
  return {
    kind,
    database,
    storage,
    tenant: opened,
    statements: () => bound().map(({ text }) => text),
    bound,
    write,
    newTenant,
    newAccounts: (count) =>
      write((session) => session.accounts.insert(Array.from({ length: count }, () => account({})))),
  };
}

/** One more storage over the same database, as another node would open it. */
export function storageAt(database: TestDatabase, trace?: Trace): Storage<never> {
  const traced = trace ? { trace } : {};
  return database.kind === 'sqlite'
    ? sqlite({ path: database.path, ...traced })
    : postgresql({ ...database, ...traced });
}

/** The error that `promise` rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { readonly code?: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('Expected a rejection');
}
