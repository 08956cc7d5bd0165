import { movedTables } from '../../adapters/mikro-orm/moves/moved-tables.ts';
import { moveTenant } from '../../lib/cells/index.ts';
import { ErrorCode, type TenantRef } from '../../lib/index.ts';
import { MOVE_CLEANUP_MS, MOVE_HOLD_MS, PLACE_LEASE_MS } from '../../lib/values/limits.ts';
import { instant } from '../../lib/values/time/index.ts';
import { fillEveryTable, rowsOfTenant } from '../support/cells/rows-of-tenant.ts';
import { type CellName, openTwoCells, type TwoCells } from '../support/cells/two-cells.ts';
import { type Watch, watchedParts } from '../support/cells/watched-parts.ts';
import { codeOf, eachDatabase, expect, onPostgresql } from '../support/index.ts';
import { freshStorage, rejection } from '../support/storage/opened-storage.ts';
import { account, author, newId } from '../support/storage/stored-records.ts';

onPostgresql.describe('move of tenant rows', (open) => {
  let cells: TwoCells;

  beforeEach(async () => {
    cells = await openTwoCells(open);
  });
  afterEach(() => cells.close());

  const rowsIn = (cell: CellName, tenant: TenantRef = cells.tenant) =>
    rowsOfTenant(cells, cell, tenant.recordId);
  const newAccount = async (cell: CellName, at: TenantRef = cells.tenant) => {
    const [inserted] = await cells.storages[cell].write(at, author(), (session) =>
      session.accounts.insert([account({})]),
    );
    return inserted?.recordId ?? 0;
  };
  const nameOf = async (cell: CellName, recordId: number) =>
    (
      await cells.sql<{ name: string }>(cell, 'select name from bw_accounts where record_id = $1', [recordId])
    )[0]?.name;
  /** Runs the work once, at a moment of the move. */
  const at = (moment: string, work: () => Promise<unknown>): { readonly watch: Watch } => {
    let isDone = false;
    return {
      watch: async (reached) => {
        if (reached !== moment || isDone) return;
        isDone = true;
        await work();
      },
    };
  };

  it('copies every table exactly, and does not affect other tenants (cells §3.1 rule 2)', async () => {
    const others = { west: await cells.newTenant('west'), east: await cells.newTenant('east') };
    await newAccount('west', others.west);
    await newAccount('east', others.east);
    await fillEveryTable(cells, { cell: 'west', count: 4 });
    const before = await rowsIn('west');
    const [westBefore, eastBefore] = [await rowsIn('west', others.west), await rowsIn('east', others.east)];
    expect(Object.keys(before)).to.have.members(movedTables.map(({ name }) => name));
    await cells.move('east');
    expect(await rowsIn('east')).to.eql(before);
    expect(Object.keys(await rowsIn('west'))).to.eql(['bw_tenants']);
    expect(await rowsIn('west', others.west)).to.eql(westBefore);
    expect(await rowsIn('east', others.east)).to.eql(eastBefore);
    expect(await cells.place()).to.equal('east SETTLED');
  });

  it('includes inserts, changes and deletions of rows while it runs (cells §3.1 rule 3)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 3 });
    let before = {};
    const write = async () => {
      await fillEveryTable(cells, { cell: 'west', count: 2, from: 10 });
      for (const { name, tenant, columns } of movedTables.filter((table) => table.name !== 'bw_tenants')) {
        const changed = columns.find(({ type }) => type === 'text' || type === 'decimal') ?? columns[0];
        await cells.sql(
          'west',
          `delete from ${name} where ctid in (select min(ctid) from ${name} where ${tenant} = $1)`,
          [cells.tenant.recordId],
        );
        if (changed?.nullable)
          await cells.sql('west', `update ${name} set ${changed.name} = null where ${tenant} = $1`, [
            cells.tenant.recordId,
          ]);
      }
      before = await rowsIn('west');
    };
    await cells.move('east', at('before west.stop', write));
    expect(await rowsIn('east')).to.eql(before);
  });

  it('copies a unique value that is transferred from one row to another during the move (cells §3.1 rule 3)', async () => {
    const [one, two] = [await newAccount('west'), await newAccount('west')];
    const key = (recordId: number, value: string) =>
      cells.sql('west', 'update bw_accounts set external_key = $2 where record_id = $1', [recordId, value]);
    await key(one, 'shared');
    // The second comparison finds the new owner of the key before the log shows that the first row has lost it.
    await cells.move('east', {
      ...at('before east.raiseRecordIds', async () => {
        await key(one, newId());
        await key(two, 'shared');
      }),
    });
    const [owner] = await cells.sql<{ record_id: string }>(
      'east',
      `select record_id from bw_accounts where external_key = 'shared'`,
    );
    expect(Number(owner?.record_id)).to.equal(two);
  });

  it('rejects writes of the tenant while writes are stopped, and accepts writes of other tenants (cells §3.2 rule 2)', async () => {
    const other = await cells.newTenant('west');
    const moved = await newAccount('west');
    const errors: unknown[] = [];
    await cells.move(
      'east',
      at('before directory.switchMove', async () => {
        for (const cell of ['west', 'east'] as const) errors.push(await rejection(newAccount(cell)));
        await newAccount('west', other);
        // Housekeeping of all tenants skips the rows of this one.
        await cells.sql('west', `update bw_accounts set name = 'lost'`);
        await cells.sql('west', 'delete from bw_accounts where record_id = $1', [moved]);
      }),
    );
    for (const error of errors)
      expect(error).to.deep.include({ code: ErrorCode.BUSY, facts: { isMoving: true } });
    expect(errors).to.have.length(2);
    expect(await nameOf('east', moved)).not.to.equal('lost');
    expect(await rowsIn('west', other)).to.have.property('bw_accounts');
  });

  it('forces a transaction with an older snapshot to be repeated (cells §3.2 rule 1)', async () => {
    const account = await newAccount('west');
    const errors: unknown[] = [];
    await cells.move('east', {
      watch: async (moment) => {
        if (moment === 'before west.takeFence' && (await cells.place()) === 'west MOVING') {
          await cells.sql('west', 'begin isolation level repeatable read');
          await cells.sql('west', 'select 1 from bw_cells');
        }
        if (moment !== 'before east.raiseRecordIds' || errors.length > 0) return;
        const renamed = cells.sql('west', `update bw_accounts set name = 'late' where record_id = $1`, [
          account,
        ]);
        errors.push(await rejection(renamed));
        await cells.sql('west', 'rollback');
      },
    });
    expect(errors).to.have.length(1);
    expect(errors[0]).to.deep.include({ code: '40001' });
  });

  it('rejects rows of the tenant in the cell that the tenant has left, until the tenant returns (cells §3.2 rule 4)', async () => {
    const moved = await newAccount('west');
    await cells.move('east');
    expect(await rejection(newAccount('west'))).to.deep.include({ code: ErrorCode.BUSY });
    await newAccount('east');
    await newAccount('west', await cells.newTenant('west'));
    await cells.move('west');
    await newAccount('west');
    expect(await rejection(newAccount('east'))).to.deep.include({ code: ErrorCode.BUSY });
    expect(await nameOf('west', moved)).to.be.a('string');
  });

  it('creates greater record ids in the target than the tenant already has (cells §3.1 rule 6)', async () => {
    const moved = await newAccount('west');
    await cells.sql('west', `select setval('bw_accounts_record_id_seq', 256 * 1000000)`);
    const last = await newAccount('west');
    await cells.move('east');
    const next = await newAccount('east');
    expect(next).to.be.greaterThan(last);
    expect(last).to.be.greaterThan(moved);
    expect(next % 256).to.equal(1);
  });

  it('is rejected if the directory does not know the target cell yet (cells §3.1 rule 6)', async () => {
    const parts = { ...cells.parts, cells: new Map([...cells.parts.cells, ['north', cells.storages.east]]) };
    const error = await rejection(moveTenant(parts, cells.tenant, { to: 'north' }));
    expect(error).to.deep.include({ code: ErrorCode.BUSY });
    expect(await cells.place()).to.equal('west SETTLED');
  });

  it('runs no due work of the tenant from the start of the hold until the target starts work (cells §3.1 rule 4)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 3 });
    await cells.sql(
      'west',
      `update bw_queue_entries set processing_state = 'AVAILABLE', available_at_ms = null,
      topic = 'due', account_record_id = null, due_order = 1, kind = 'NOTIFICATION'`,
    );
    const claim = (cell: CellName, limit: number) =>
      cells.storages[cell].queue.claim({
        node: 'a node',
        claimId: newId(),
        topics: ['due'],
        businessNow: instant(1_000),
        systemNowMs: 1_000,
        leaseEndsAtMs: 2_000,
        limit,
      });
    const claimed: number[] = [];
    await cells.move('east', {
      watch: async (moment) => {
        if (moment === 'before west.changeFence') claimed.push((await claim('west', 1)).length);
        if (moment === 'after west.changeFence') claimed.push((await claim('west', 9)).length);
        if (moment === 'before directory.switchMove')
          claimed.push((await claim('west', 9)).length, (await claim('east', 9)).length);
      },
    });
    expect(claimed).to.eql([1, 0, 0, 0]);
    // The claim of the source has ended, so the target can process the entry at once.
    expect(await claim('east', 9)).to.have.length(3);
  });

  it('waits until cached places expire, and gives due work and slow reads time to finish (cells §3.1 rules 4 and 7, §3.3 rule 1)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 1 });
    await cells.sql('west', `update bw_queue_entries set processing_state = 'IN_PROCESSING'`);
    const reached: Record<string, number> = {};
    const watch = (moment: string) => {
      reached[moment] ??= cells.parts.systemClock.nowMs();
    };
    await moveTenant(watchedParts(cells.parts, watch), cells.tenant, { to: 'east' });
    const between = (one: string, other: string) => (reached[other] ?? 0) - (reached[one] ?? 0);
    expect(between('after directory.takeMove', 'before west.stop')).to.be.least(PLACE_LEASE_MS);
    expect(between('after west.changeFence', 'before west.stop')).to.be.least(MOVE_HOLD_MS);
    expect(between('before directory.switchMove', 'before east.open')).to.be.below(MOVE_HOLD_MS);
    expect(between('after east.open', 'before west.leave')).to.be.least(MOVE_CLEANUP_MS);
  });

  it('compares any number of selected rows, and returns the digests in their order', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 1 });
    const west = cells.storages.west.moves.of({ tenantRecordId: cells.tenant.recordId, revision: 1 });
    const all = { table: 'bw_accounts', after: null, upTo: null };
    const selections = Array.from({ length: 250 }, (_, place) =>
      place % 2 === 0 ? all : { table: 'bw_accounts', keys: [] },
    );
    const digests = await west.digests(selections);
    expect(digests.map(({ count }) => count)).to.eql(selections.map((each) => (each === all ? 1 : 0)));
  });

  it('copies no rows without the fence or for a tenant that has already arrived (cells §3.2 rule 6)', async () => {
    const revision = 1_000_000;
    const earlier = cells.storages.east.moves.of({ tenantRecordId: cells.tenant.recordId, revision: 1 });
    const later = cells.storages.east.moves.of({ tenantRecordId: cells.tenant.recordId, revision });
    await later.takeFence('GONE');
    await later.raiseFence('ARRIVING');
    const rows = { table: 'bw_accounts', after: null, upTo: null };
    expect(await later.replace(rows, null)).to.equal('REPLACED');
    expect(await codeOf(earlier.replace(rows, null))).to.equal(ErrorCode.BUSY);
    await later.open();
    expect(await codeOf(later.replace(rows, null))).to.equal(ErrorCode.BUSY);
  });

  it('keeps the positions of event sinks, and starts a sink without a position after the moved events (cells §3.1 rule 5)', async () => {
    const { west, east } = cells.storages;
    await west.sinks.register(['archive']);
    await cells.sql('west', `select setval('bw_queue_entries_record_id_seq', 256 * 5000)`);
    await east.sinks.register(['archive', 'new']);
    const positionOf = (cell: CellName, sink: string) =>
      cells.storages[cell].read(cells.tenant, (session) => session.deliveries.lastEventId(sink));
    const before = await positionOf('west', 'archive');
    await cells.move('east');
    expect(await positionOf('east', 'archive')).to.equal(before);
    expect(await positionOf('east', 'new')).to.be.greaterThan(256 * 5000 - 1);
  });

  it('ends in one process when another process takes it over (cells §3.4 rule 3)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 3 });
    const before = await rowsIn('west');
    const outcomes = await Promise.allSettled([
      cells.move(
        'east',
        at('before east.raiseRecordIds', () => cells.move('east')),
      ),
    ]);
    expect(outcomes[0]).to.deep.include({ status: 'rejected' });
    expect(await rowsIn('east')).to.eql(before);
    expect(await cells.place()).to.equal('east SETTLED');
  });

  for (const end of ['finishes', 'undoes'] as const)
    it(`changes no cell if another process ${end} it while this process sets fences (cells §3.4 rule 3)`, async () => {
      await fillEveryTable(cells, { cell: 'west', count: 3 });
      const before = await rowsIn('west');
      const other = () => (end === 'finishes' ? cells.move('east') : cells.undo());
      const [working, left] = end === 'finishes' ? (['east', 'west'] as const) : (['west', 'east'] as const);
      const [outcome] = await Promise.allSettled([cells.move('east', at('after west.raiseFence', other))]);
      expect(outcome).to.deep.include({ status: 'rejected' });
      expect(await rowsIn(working)).to.eql(before);
      expect(await rowsIn(left)).not.to.have.property('bw_accounts');
      expect(await cells.place()).to.equal(`${working} SETTLED`);
      await newAccount(working);
    });

  it('accepts writes in the source if another process takes over just before the switch (cells §3.4 rule 3)', async () => {
    const takeOver = () => cells.parts.directory.cells.takeMove(cells.tenant.recordId);
    const [outcome] = await Promise.allSettled([
      cells.move('east', at('before directory.switchMove', takeOver)),
    ]);
    expect(outcome).to.deep.include({ status: 'rejected' });
    await newAccount('west');
  });

  it('leaves the rows of both fences in place (cells §3.4 rule 3)', async () => {
    await cells.move('east');
    const states = await Promise.all(
      (['west', 'east'] as const).map((cell) => cells.sql(cell, 'select state from bw_tenant_moves')),
    );
    expect(states).to.eql([[{ state: 'GONE' }], [{ state: 'OPEN' }]]);
  });

  it('can be undone before the switch, but can only be finished afterward (cells §3.4 rule 2)', async () => {
    await fillEveryTable(cells, { cell: 'west', count: 3 });
    const before = await rowsIn('west');
    const interrupted = new AbortController();
    const stopped = cells.move('east', {
      signal: interrupted.signal,
      ...at('after west.stop', async () => interrupted.abort()),
    });
    await stopped.then(
      () => expect.fail('the move was not interrupted'),
      () => undefined,
    );
    await newAccount('west');
    await cells.undo();
    expect(await cells.place()).to.equal('west SETTLED');
    expect(Object.keys(await rowsIn('east'))).to.eql(['bw_tenants']);
    expect((await rowsIn('west')).bw_accounts).to.have.length((before.bw_accounts?.length ?? 0) + 1);
    await cells.undo();
    await cells
      .move(
        'east',
        at('after directory.switchMove', async () => {
          expect(await cells.undo()).to.equal(false);
        }),
      )
      .catch(() => undefined);
    expect(await cells.place()).to.equal('east SETTLED');
  });
});

eachDatabase.describe('a database without moves', (open, kind) => {
  if (kind !== 'sqlite') return;
  const opened = freshStorage(kind, open);

  it('throws an error on SQLite, because cells need PostgreSQL databases', () => {
    const { moves } = opened.storage;
    expect(() => moves.of({ tenantRecordId: 1, revision: 1 })).to.throw('Cells need PostgreSQL databases');
  });
});
