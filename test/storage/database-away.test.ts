import { setImmediate, setTimeout } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { postgresql } from '../../adapters/mikro-orm/postgresql.ts';
import { ErrorCode, type TenantRef } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { expect, expectBelow, isLongRun, type OpenDatabase, onPostgresql } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { account, author, newId, tenant } from '../support/storage/stored-records.ts';
import { migrated } from '../support/storage.ts';
import { proxied, type TcpProxy } from '../support/tcp-proxy.ts';

/** The time after which callers repeat a call (`Retry-After`). */
const RETRY_AFTER_MS = 1_000;

onPostgresql.describe('an unreachable PostgreSQL server', (open) => define(open, true));
// The connection detects an unreachable server, independently of batching.
if (isLongRun)
  onPostgresql.describe('an unreachable PostgreSQL server with unbatched statements', (open) =>
    define(open, false),
  );

function define(open: OpenDatabase, batchesStatements: boolean): void {
  let direct: string;
  let proxy: TcpProxy;
  let storage: Storage<never>;
  let acme: TenantRef;
  beforeEach(async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('no server');
    direct = database.url;
    const through = await proxied(database.url);
    proxy = through.proxy;
    storage = postgresql({ url: through.url, poolSize: 2, batchesStatements });
    await storage.prepare();
    const { id, recordId } = await storage.system.insertTenant(tenant({ apiKey: newId() }), author());
    acme = { id, recordId };
  });
  afterEach(async () => {
    await storage.close();
    await proxy.close();
  });

  /** Returns the time until the call fails because the server is unreachable. */
  async function failedAfterMs(call: () => Promise<unknown>): Promise<number> {
    const startedMs = performance.now();
    expect(await rejection(call())).to.include({
      code: ErrorCode.BUSY,
      message: 'The database cannot be reached or does not respond; send the request again in a moment',
    });
    return performance.now() - startedMs;
  }

  const insert = () =>
    storage.write(acme, author(), (session) => session.accounts.insert([account({ id: newId() })]));

  it('causes an immediate error if it refuses the connection, and no error once it is back', async () => {
    await proxy.refuse();
    for (const call of [() => storage.system.ping(), insert, () => storage.read(acme, (s) => s.revisions())])
      expectBelow(1_000, await failedAfterMs(call), 'milliseconds');
    await proxy.restore();
    await insert();
  });

  it('causes an error within five seconds if it does not respond, and no error once it is back', async () => {
    const listening = storage.queue.onSignal(() => undefined);
    const frozen = Promise.withResolvers<void>();
    const inside = storage.write(acme, author(), async (session) => {
      await session.accounts.insert([account({})]);
      proxy.freeze();
      frozen.resolve();
      return session.accounts.insert([account({})]);
    });
    await frozen.promise;
    const calls = [() => inside, ...Array.from({ length: 5 }, () => insert), () => storage.system.ping()];
    const durations = await Promise.all(calls.map(failedAfterMs));
    expectBelow(5_000, Math.max(...durations), 'milliseconds');
    expectBelow(500, await failedAfterMs(insert), 'milliseconds, known to be away');
    await proxy.restore();
    await setTimeout(RETRY_AFTER_MS);
    await insert();
    listening();
  });

  it('is replaced by the next host in the URL if it does not respond', async () => {
    const { host } = new URL(direct);
    const several = `${direct.replace(`@${host}`, `@127.0.0.1:${proxy.port},${host}`)}?target_session_attrs=read-write`;
    const shared = postgresql({ url: several, poolSize: 2, batchesStatements });
    try {
      const write = () =>
        shared.write(acme, author(), (session) => session.accounts.insert([account({ id: newId() })]));
      await write();
      proxy.freeze();
      expectBelow(5_000, await failedAfterMs(write), 'milliseconds');
      await setTimeout(RETRY_AFTER_MS);
      await write();
    } finally {
      await shared.close();
    }
  });

  it('causes an error that mentions the unknown outcome if the connection breaks during the commit', async () => {
    const made = account({});
    const failed = await rejection(
      storage.write(acme, author(), async (session) => {
        await session.accounts.insert([made]);
        await proxy.refuse();
      }),
    );
    expect(failed)
      .to.include({ code: ErrorCode.BUSY })
      .and.to.have.nested.property('facts.isOutcomeUnknown', true);
    expect(failed.message).to.match(/^The database connection was lost while a change was being stored/);
  });

  it('causes no unhandled rejection that would end the process if a claim of queue entries fails', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const client = new Client({ connectionString: direct });
    await client.connect();
    await client.query('alter table bw_queue_entries rename column claim_id to other_id');
    await client.end();
    const claim = storage.queue.claim({
      node: 'a node',
      claimId: newId(),
      topics: ['due'],
      businessNow: instant(1_000),
      systemNowMs: 1_000,
      leaseEndsAtMs: 2_000,
      limit: 1,
    });
    expect((await rejection(claim)).message).to.include('claim_id');
    await setImmediate();
    process.off('unhandledRejection', note);
    expect(unhandled).to.eql([]);
  });

  it('causes an error that mentions the unknown outcome if part of the database is lost during the commit', async () => {
    const client = new Client({ connectionString: direct });
    await client.connect();
    await client.query(`
      create function lose_worker() returns trigger language plpgsql as $$
        begin raise exception 'connection to the remote node failed' using errcode = '08006'; end $$;
      create constraint trigger lose_worker after insert on bw_accounts
        deferrable initially deferred for each row execute function lose_worker()`);
    await client.end();
    const orm = new MikroORM({ entities: [], discovery: { warnWhenNoEntities: false }, clientUrl: direct });
    try {
      for (const each of [storage, postgresql(orm)])
        expect(
          await rejection(each.write(acme, author(), (session) => session.accounts.insert([account({})]))),
        )
          .to.include({ code: ErrorCode.BUSY })
          .and.to.have.nested.property('facts.isOutcomeUnknown', true);
    } finally {
      await orm.close();
    }
  });

  it('does not prevent the storage from closing', async () => {
    storage.queue.onSignal(() => undefined);
    proxy.freeze();
    const waiting = failedAfterMs(insert);
    const startedMs = performance.now();
    await storage.close();
    await waiting;
    expectBelow(6_000, performance.now() - startedMs, 'milliseconds');
  });

  it('is not reported during a slow statement', async () => {
    const holder = new Client({ connectionString: direct, options: '-c billwright.tenant_record_id=*' });
    await holder.connect();
    const [stored] = await storage.write(acme, author(), (session) => session.accounts.insert([account({})]));
    await holder.query('begin');
    await holder.query('lock table bw_accounts in access exclusive mode');
    const waiting = storage.write(acme, author(), (session) =>
      session.accounts.update([{ ...(stored as NonNullable<typeof stored>), name: 'late' }]),
    );
    await setTimeout(6_000);
    await holder.query('commit');
    await waiting;
    await holder.end();
  });
}
