import { Client } from 'pg';
import { BillingError, ErrorCode, type TenantRef } from '../../lib/index.ts';
import { type FillableStorage, fillable } from '../support/full-database.ts';
import { eachDatabase, expect, migrated, onPostgresql, rowsOf, storageOf } from '../support/index.ts';
import { rejection } from '../support/storage/opened-storage.ts';
import { account, author, newId, tenant } from '../support/storage/stored-records.ts';

eachDatabase.describe('a database without free resources', (open) => {
  let full: FillableStorage;
  let acme: TenantRef;
  let database: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    database = await open(migrated);
    full = await fillable(database);
    await full.storage.prepare();
    const { id, recordId } = await full.storage.system.insertTenant(tenant({ apiKey: newId() }), author());
    acme = { id, recordId };
    await full.fill();
  });
  afterEach(async () => {
    await full.storage.close();
    await full.end();
  });

  const many = () => Array.from({ length: 500 }, () => account({}));
  const insert = (count: number) =>
    full.storage.write(acme, author(), (session) => session.accounts.insert(many().slice(0, count)));
  const stored = async (): Promise<number> => {
    const rows = await rowsOf(
      database,
      `select count(*) as n from bw_accounts
         union all select count(*) from bw_audit_log where table_name = 'ACCOUNT'`,
    );
    return rows.reduce((sum, { n }) => sum + Number(n), 0);
  };

  it('rejects writes without storing any part of them, and continues to serve reads', async () => {
    const failed = await rejection(insert(500));
    if (!(failed instanceof BillingError)) throw failed;
    expect(failed.code).to.equal(ErrorCode.NO_ROOM);
    expect(failed.message).to.equal(
      'The database cannot write: its disk is full, it is read-only, or another resource is exhausted. ' +
        'Reads still work; send the request again when the problem is fixed',
    );
    const page = await full.storage.read(acme, (session) => session.accounts.page({ offset: 0, limit: 10 }));
    expect(page.rows).to.eql([]);
    await full.storage.system.ping();
    expect(await stored()).to.equal(0);
  });

  it('accepts writes again as soon as there is space', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await rejection(insert(500))).to.include({ code: ErrorCode.NO_ROOM });
    await full.makeRoom();
    await insert(500);
    expect(await stored()).to.equal(1_000);
  });

  it('runs nothing else in an operation after the failed statement', async () => {
    const failed = await rejection(
      full.storage.write(acme, author(), async (session) => {
        const outcomes = await Promise.allSettled([
          session.accounts.insert(many()),
          session.accounts.insert([account({})]),
        ]);
        expect(outcomes.map(({ status }) => status)).to.eql(['rejected', 'rejected']);
        await session.accounts.insert([account({})]).catch(() => undefined);
      }),
    );
    expect(failed).to.include({ code: ErrorCode.NO_ROOM });
    expect(await stored()).to.equal(0);
  });
});

onPostgresql.describe('a PostgreSQL server without free connections', (open) => {
  it('rejects calls only while no connection is free', async () => {
    const database = await open(migrated);
    if (database.kind !== 'postgresql') throw new Error('no server');
    const owner = new Client(database.url);
    await owner.connect();
    const allow = (connections: number) =>
      owner.query(
        `alter database ${new URL(database.url).pathname.slice(1)} connection limit ${connections}`,
      );
    const storage = storageOf(database);
    try {
      await allow(1);
      expect(await rejection(storage.prepare())).to.include({ code: ErrorCode.NO_ROOM });
      // More than required, because the server counts a rejected connection until its process has ended.
      await allow(10);
      await storage.prepare();
    } finally {
      await storage.close();
      await owner.end();
    }
  });
});
