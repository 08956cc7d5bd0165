import { setTimeout } from 'node:timers/promises';
import type { Storage } from '../../lib/ports/storage/index.ts';
import type { TestDatabase } from './databases.ts';
import { proxied } from './tcp-proxy.ts';

/** What a storage sends to PostgreSQL, including the statements that begin and end transactions. */
export interface Traffic {
  readonly statements: number;
  /** Groups of statements that the server answers together. */
  readonly roundTrips: number;
}

export interface CountedDatabase {
  readonly database: TestDatabase;
  /** Returns what the storage sends during the work, including the end of its last transaction. */
  during(storage: Pick<Storage, 'poolUse'>, work: () => Promise<unknown>): Promise<Traffic>;
  close(): Promise<void>;
}

/** Returns a PostgreSQL database behind a proxy that reads the messages of its clients. */
export async function counted(database: TestDatabase): Promise<CountedDatabase> {
  if (database.kind !== 'postgresql') throw new Error('Only the traffic of PostgreSQL can be counted');
  let statements = 0;
  let roundTrips = 0;
  const { proxy, url } = await proxied(database.url, () =>
    messageReader((type) => {
      if (type === EXECUTE || type === QUERY) statements += 1;
      if (type === SYNC || type === QUERY) roundTrips += 1;
    }),
  );
  return {
    database: { ...database, url },
    async during(storage, work) {
      await untilIdle(storage);
      const before = { statements, roundTrips };
      await work();
      await untilIdle(storage);
      return {
        statements: statements - before.statements,
        roundTrips: roundTrips - before.roundTrips,
      };
    },
    close: () => proxy.close(),
  };
}

/** Waits for pending commits, because a read does not wait for its commit. */
async function untilIdle(storage: Pick<Storage, 'poolUse'>): Promise<void> {
  while ((await storage.poolUse())?.inUse !== 0) await setTimeout(1);
}

const EXECUTE = 'E';
const SYNC = 'S';
const QUERY = 'Q';

const LENGTH_BYTES = 4;

/** Calls `onMessage` with the type of each message of a client, except the first one, which has no type. */
function messageReader(onMessage: (type: string) => void): (chunk: Buffer) => void {
  let unread = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + unread.readInt32BE(typeBytes);
      if (unread.length < end) return;
      if (typeBytes > 0) onMessage(unread.toString('latin1', 0, typeBytes));
      typeBytes = 1;
      unread = unread.subarray(end);
    }
  };
}
