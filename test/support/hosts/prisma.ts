import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PostgresqlHost } from '../../../adapters/mikro-orm/postgresql.ts';
import type { SqliteHost } from '../../../adapters/mikro-orm/sqlite.ts';
import type { DatabaseKind } from '../databases.ts';
import type { HostLibrary } from './host-library.ts';

/** The parts of Prisma's client that are used. */
interface PrismaClient {
  $transaction<T>(work: (tx: PrismaTx) => Promise<T>, limits: { readonly timeout: number }): Promise<T>;
  $disconnect(): Promise<void>;
}

type PrismaTx = (SqliteHost | PostgresqlHost) & {
  $queryRawUnsafe(text: string): Promise<readonly object[]>;
  $executeRawUnsafe(text: string): Promise<number>;
};

interface Adapters {
  PrismaBetterSqlite3: new (options: { readonly url: string }) => object;
  PrismaPg: new (options: { readonly connectionString: string }) => object;
}

const packages = { sqlite: 'adapter-better-sqlite3', postgresql: 'adapter-pg' } as const;

/**
 * Prisma's client of a kind of database, if there is one. It is generated and takes 300 MB, so it is made by the test that
 * looks at it (`test/package/prisma.check.ts`), in a directory of which it tells here.
 */
export async function prismaOn(kind: DatabaseKind): Promise<Record<string, (place: string) => HostLibrary>> {
  const directory = process.env.BILLWRIGHT_TEST_PRISMA;
  if (directory === undefined) return {};
  const load = (...path: readonly string[]) => import(pathToFileURL(join(directory, ...path)).href);
  const { PrismaClient } = (await load(kind, 'client', 'client.ts')) as {
    readonly PrismaClient: new (options: { readonly adapter: object }) => PrismaClient;
  };
  const adapters: Adapters = await load('node_modules', '@prisma', packages[kind], 'dist', 'index.mjs');
  const adapterTo = (place: string): object =>
    kind === 'sqlite'
      ? new adapters.PrismaBetterSqlite3({ url: place })
      : new adapters.PrismaPg({ connectionString: place });
  return { Prisma: (place) => overPrisma(new PrismaClient({ adapter: adapterTo(place) })) };
}

function overPrisma(client: PrismaClient): HostLibrary {
  return {
    outside: [[client, 'prisma.$transaction(']],
    transaction: (work) =>
      client.$transaction(
        (tx) =>
          work(tx, (text) =>
            text.startsWith('select') ? tx.$queryRawUnsafe(text) : tx.$executeRawUnsafe(text),
          ),
        { timeout: 60_000 },
      ),
    close: () => client.$disconnect(),
  };
}
