import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import type { Account, Authorship, Storage, TenantRef, WriteSession } from '../../lib/index.ts';
import type { DatabaseKind, OpenDatabase, TestDatabase } from '../support/databases.ts';
import { migrated } from '../support/storage.ts';
import { account, author, newId, tenant } from './records.ts';

/** A storage over a database of its own with one tenant, and what its statements were. */
export interface OpenedStorage {
  readonly kind: DatabaseKind;
  readonly database: TestDatabase;
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  /** Statements since the last call, without those that begin and end transactions. */
  statements(): readonly string[];
  write<T>(work: (session: WriteSession) => Promise<T>, authorship?: Authorship): Promise<T>;
  newTenant(): Promise<TenantRef>;
  newAccounts(count: number): Promise<readonly Account[]>;
}

export async function openStorage(kind: DatabaseKind, open: OpenDatabase): Promise<OpenedStorage> {
  const database = await open(migrated);
  const traced: string[] = [];
  const storage = storageAt(database, (statement) => traced.push(statement));
  await storage.prepare();
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
    statements: () => traced.splice(0).filter((text) => !/^(begin|commit)$/.test(text)),
    write,
    newTenant,
    newAccounts: (count) =>
      write((session) => session.accounts.insert(Array.from({ length: count }, () => account({})))),
  };
}

/** One more storage over the same database, as another node would open it. */
export function storageAt(database: TestDatabase, trace?: (statement: string) => void): Storage<never> {
  const traced = trace ? { trace } : {};
  return database.kind === 'sqlite'
    ? sqlite({ path: database.path, ...traced })
    : postgresql({ url: database.url, ...traced });
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
