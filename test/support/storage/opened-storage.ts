import { postgresql } from '../../../adapters/mikro-orm/postgresql.ts';
import type { Trace } from '../../../adapters/mikro-orm/sql/runner.ts';
import { sqlite } from '../../../adapters/mikro-orm/sqlite.ts';
import type { Account, Authorship, TenantRef } from '../../../lib/index.ts';
import type { ReadSession, Storage, WriteSession } from '../../../lib/ports/storage/index.ts';
import type { DatabaseKind, OpenDatabase, TestDatabase } from '../databases.ts';
import { migrated } from '../storage.ts';
import { account, author, newId, tenant } from './stored-records.ts';

export interface BoundStatement {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A storage over its own database with one tenant, and its recorded statements. */
export interface OpenedStorage {
  readonly kind: DatabaseKind;
  readonly database: TestDatabase;
  readonly storage: Storage<never>;
  readonly tenant: TenantRef;
  /** Statements since the last call, without transaction control. */
  statements(): readonly string[];
  /** The same statements with bound values. */
  bound(): readonly BoundStatement[];
  write<T>(work: (session: WriteSession) => Promise<T>, authorship?: Authorship): Promise<T>;
  read<T>(work: (session: ReadSession) => Promise<T>): Promise<T>;
  /** Each call runs in its own transaction. */
  readonly writing: WriteSession;
  readonly reading: ReadSession;
  newTenant(): Promise<TenantRef>;
  newAccounts<const Count extends number>(count: Count): Promise<Accounts<Count>>;
}

type Accounts<Count> = Count extends 1
  ? readonly [Account]
  : Count extends 2
    ? readonly [Account, Account]
    : Count extends 3
      ? readonly [Account, Account, Account]
      : readonly [Account, ...Account[]];

/** Opens a storage for all tests of the current block. */
export function sharedStorage(kind: DatabaseKind, open: OpenDatabase): OpenedStorage {
  const opened = unopened();
  before(async () => {
    Object.assign(opened, await openStorage(kind, open));
  });
  after(() => opened.storage.close());
  return opened;
}

/** Opens a storage for each test of the current block. */
export function freshStorage(kind: DatabaseKind, open: OpenDatabase): OpenedStorage {
  const opened = unopened();
  beforeEach(async () => {
    Object.assign(opened, await openStorage(kind, open));
  });
  afterEach(() => opened.storage.close());
  return opened;
}

/** The sessions exist before the storage opens. */
function unopened(): OpenedStorage {
  const opened = {} as OpenedStorage;
  return Object.assign(
    opened,
    callByCall({ read: (work) => opened.read(work), write: (work) => opened.write(work) }),
  );
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
  const read: OpenedStorage['read'] = (work) => storage.read(opened, work);
  return {
    kind,
    database,
    storage,
    tenant: opened,
    statements: () => bound().map(({ text }) => text),
    bound,
    write,
    read,
    ...callByCall({ read, write }),
    newTenant,
    newAccounts: <const Count extends number>(count: Count) => {
      const records = Array.from({ length: count }, () => account({}));
      const inserted: Promise<readonly Account[]> = write((session) => session.accounts.insert(records));
      return inserted as Promise<Accounts<Count>>;
    },
  };
}

/** Sessions that open a transaction for each call of a repository. */
function callByCall({ read, write }: Pick<OpenedStorage, 'read' | 'write'>) {
  const sessionOf = (run: (work: (session: object) => Promise<unknown>) => Promise<unknown>) => {
    const callOf = (area: PropertyKey, method: PropertyKey, args: readonly unknown[]) =>
      run((session) => {
        const repository: object = Reflect.get(session, area);
        return Reflect.apply(Reflect.get(repository, method), repository, args);
      });
    const repositoryOf = (area: PropertyKey) =>
      new Proxy(
        {},
        {
          get:
            (_, method) =>
            (...args: readonly unknown[]) =>
              callOf(area, method, args),
        },
      );
    return new Proxy({}, { get: (_, area) => repositoryOf(area) });
  };
  return { reading: sessionOf(read) as ReadSession, writing: sessionOf(write) as WriteSession };
}

/** Another storage over the same database, like another node. */
export function storageAt(database: TestDatabase, trace?: Trace): Storage<never> {
  const traced = trace ? { trace } : {};
  return database.kind === 'sqlite'
    ? sqlite({ path: database.path, ...traced })
    : postgresql({ ...database, ...traced });
}

/** Returns the error that `promise` rejects with, and fails if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<Error & { readonly code?: unknown }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('Expected a rejection');
}
