import { MoveWatch } from '../../lib/cells/index.ts';
import { ErrorCode } from '../../lib/index.ts';
import { fillEveryTable, rowsOfTenant } from '../support/cells/rows-of-tenant.ts';
import { type CellName, cellNames, openTwoCells, type TwoCells } from '../support/cells/two-cells.ts';
import { expect, isLongRun, onPostgresql, recordingLogger, sampled } from '../support/index.ts';
import { account, author, newId } from '../support/storage/stored-records.ts';
import { DyingProcess } from './dying-process.ts';

/** A commit tests every twentieth moment at which the process can die. */
const EVERY = 20;
/** Of the moments at which the cell may be closed, a commit tries every fourth. */
const CLOSED_EVERY = 4;

/** Calls that a move makes for many rows. Only the first of each kind is interrupted. */
const forRows = /[.](chunks|digests|read|replace|logged|forgetLogged|deleteSome|loggedKeys)$/;

onPostgresql.describe('tenant move whose process dies', (open) => {
  let cells: TwoCells;
  let moments: readonly string[];
  /** External keys of the accounts that the storage has acknowledged. */
  let written: string[];

  before(async function () {
    this.timeout(600_000);
    cells = await openTwoCells(open);
    written = [];
    await fillEveryTable(cells, { cell: 'west', count: 2 });
    const seen: string[] = [];
    await cells.move('east', { watch: (moment) => void seen.push(moment) });
    await cells.move('west');
    moments = seen.filter((moment, index) => !forRows.test(moment) || seen.indexOf(moment) === index);
  });
  after(() => cells.close());

  /** Writes an account in each cell. Returns the cells that accepted it. */
  const write = async (): Promise<readonly CellName[]> => {
    const accepted: CellName[] = [];
    for (const cell of cellNames) {
      const externalKey = newId();
      try {
        await cells.storages[cell].write(cells.tenant, author(), (session) =>
          session.accounts.insert([account({ externalKey })]),
        );
        accepted.push(cell);
        written.push(externalKey);
      } catch (error) {
        expect(error).to.deep.include({ code: ErrorCode.BUSY });
      }
    }
    return accepted;
  };

  /**
   * Runs the work in a process that dies when it reaches the moment for the given time. Returns false if it survives.
   */
  const dieAt = async (
    moment: string,
    time: number,
    work: (watch: (reached: string) => void) => Promise<unknown>,
  ): Promise<boolean> => {
    let met = 0;
    let isDead = false;
    const watch = (reached: string) => {
      if (reached === moment) met += 1;
      if (isDead || met === time) {
        isDead = true;
        throw new Error(DyingProcess.DEATH);
      }
    };
    await work(watch).catch((error: unknown) => {
      if (!String(error).includes(DyingProcess.DEATH)) throw error;
    });
    return isDead;
  };

  /** Expects the tenant's cell to contain each acknowledged account once, and the other cell only its own row. */
  const expectSound = async (cell: CellName) => {
    const other = cell === 'west' ? 'east' : 'west';
    const keys = await cells.sql<{ external_key: string }>(
      cell,
      'select external_key from bw_accounts where tenant_record_id = $1 and external_key = any ($2)',
      [cells.tenant.recordId, written],
    );
    expect(keys.map((row) => row.external_key)).to.have.members(written);
    expect(Object.keys(await rowsOfTenant(cells, other, cells.tenant.recordId))).to.eql(['bw_tenants']);
    expect(await cells.place()).to.equal(`${cell} SETTLED`);
    expect(await write()).to.eql([cell]);
  };

  it(`is continued without lost or duplicate rows (${isLongRun ? 'all' : 'some'} moments, cells §3.4 rule 1)`, async function () {
    this.timeout(isLongRun ? 0 : 600_000);
    let [from, to]: readonly [CellName, CellName] = ['west', 'east'];
    for (const [moment, time] of sampled(killPoints(moments), EVERY)) {
      const here = inDirection(moment, from);
      const died = await dieAt(here, time, (watch) => cells.move(to, { watch }));
      expect(died, `reached ${moment}`).to.equal(true);
      const accepted = await write();
      expect(accepted.length, `cells that accept a write after a death ${moment}`).to.be.at.most(1);
      const before = await rowsOfTenant(cells, accepted[0] ?? from, cells.tenant.recordId);
      await cells.move(to);
      expect(await rowsOfTenant(cells, to, cells.tenant.recordId)).to.eql(before);
      await expectSound(to);
      [from, to] = [to, from];
    }
  });

  it(`closes the cell only briefly (${isLongRun ? 'all' : 'some'} moments, cells §3.4 rule 4)`, async function () {
    this.timeout(isLongRun ? 0 : 600_000);
    let [from] = (await cells.place()).split(' ') as [CellName];
    const [first, last] = [moments.indexOf('before west.changeFence'), moments.indexOf('after east.open')];
    for (const [moment, time] of sampled(killPoints(moments).slice(first, last + 1), CLOSED_EVERY)) {
      const to = from === 'west' ? 'east' : 'west';
      const died = await dieAt(inDirection(moment, from), time, (watch) => cells.move(to, { watch }));
      expect(died, `reached ${moment}`).to.equal(true);
      await cells.sql('west', 'update bw_tenant_places set mover_seen_ms = 0');
      await new MoveWatch({ ...cells.parts, logger: recordingLogger() }).look();
      expect((await write()).length, `cells that accept a write after a death ${moment}`).to.equal(1);
      await cells.move(to);
      await expectSound(to);
      from = to;
    }
  });

  it(`can be undone until the switch (${isLongRun ? 'all' : 'some'} moments, cells §3.4 rule 2)`, async function () {
    this.timeout(isLongRun ? 0 : 600_000);
    const [cell] = (await cells.place()).split(' ') as [CellName];
    const to = cell === 'west' ? 'east' : 'west';
    const last = moments.indexOf('before directory.switchMove');
    for (const [moment, time] of sampled(killPoints(moments.slice(0, last + 1)), EVERY)) {
      const died = await dieAt(inDirection(moment, cell), time, (watch) => cells.move(to, { watch }));
      expect(died, `reached ${moment}`).to.equal(true);
      await cells.undo();
      await expectSound(cell);
    }
  });
});

/** Translates a moment of a move from west to east into this direction. */
function inDirection(moment: string, from: CellName): string {
  if (from === 'west') return moment;
  return moment.replace(/west|east/, (cell) => (cell === 'west' ? 'east' : 'west'));
}

/** Returns moments, each with the time at which it is reached. */
function killPoints(moments: readonly string[]): readonly (readonly [moment: string, time: number])[] {
  const points = moments.map((moment, index): readonly [string, number] => [
    moment,
    moments.slice(0, index + 1).filter((each) => each === moment).length,
  ]);
  return points;
}
