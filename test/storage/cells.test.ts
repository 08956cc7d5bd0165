import { ErrorCode, type TenantRef } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { CELL_NUMBERS } from '../../lib/values/limits.ts';
import { eachDatabase, expect, migrated, onPostgresql } from '../support/index.ts';
import { freshStorage, rejection, storageAt } from '../support/storage/opened-storage.ts';
import { account, author, newId, tenant } from '../support/storage/stored-records.ts';

const owner = { userName: 'operator', reasonCode: null, comments: null };

onPostgresql.describe('cell directory', (open) => {
  let directory: Storage<never>;
  let other: Storage<never>;

  beforeEach(async () => {
    [directory, other] = [storageAt(await open(migrated)), storageAt(await open(migrated))];
  });
  afterEach(() => Promise.all([directory.close(), other.close()]));

  const register = (name: string, cell: Storage<never>) =>
    directory.cells.register({ name, adopt: (numbering) => cell.cells.adopt(numbering) });
  const newAccount = async (storage: Storage<never>, at: TenantRef) => {
    const [inserted] = await storage.write(at, author(owner), (session) =>
      session.accounts.insert([account({})]),
    );
    return inserted?.recordId ?? 0;
  };
  const newTenant = (cell: string) => directory.cells.insertTenant(tenant({ apiKey: newId() }), cell);
  const placeOf = async ({ recordId }: TenantRef) =>
    (await directory.cells.places({ recordIds: [recordId] }))[0];

  it('numbers each cell once, in registration order', async () => {
    expect(await directory.cells.list()).to.eql([]);
    const before = await directory.cells.revision();
    const west = await register('west', directory);
    const [east, again] = await Promise.all([register('east', other), register('east', other)]);
    expect(again).to.eql(east);
    expect([west.number, east.number]).to.eql([0, 1]);
    expect(await directory.cells.list()).to.eql([west, east]);
    expect(await directory.cells.revision()).to.be.greaterThan(before);
    expect(await other.cells.number()).to.equal(1);
    expect(await other.cells.contents()).to.eql({ hasTenantData: false, lastTenant: null });
  });

  it('gives each cell separate record ids, and gives later cells greater ids than the first cell', async () => {
    const known = await directory.system.insertTenant(tenant({ apiKey: newId() }), author(owner));
    const first = await newAccount(directory, known);
    await register('west', directory);
    const { recordIdFloor } = await register('east', other);
    const moved = await newTenant('east');
    await other.cells.receiveTenant(moved, author(owner));
    const [west, east] = [await newAccount(directory, known), await newAccount(other, moved)];
    expect(west % CELL_NUMBERS).to.equal(0);
    expect(east % CELL_NUMBERS).to.equal(1);
    expect(west).to.be.greaterThan(first);
    expect(east).to.be.greaterThan(recordIdFloor);
    expect(await newAccount(other, moved)).to.equal(east + CELL_NUMBERS);
    // A repeated adoption never reuses a record id.
    await other.cells.adopt({ number: 1, above: 0 });
    expect(await newAccount(other, moved)).to.be.greaterThan(east + CELL_NUMBERS);
  });

  it('assigns existing tenants to the first cell and new tenants to the given cell', async () => {
    const known = await directory.system.insertTenant(tenant({ apiKey: newId() }), author(owner));
    await register('west', directory);
    await register('east', other);
    const added = await newTenant('east');
    const settled = { otherCell: null, state: 'SETTLED', revision: 0, isInterrupted: false };
    const [old, young] = await directory.cells.places({ ids: [known.id, added.id, newId()] });
    expect(old).to.eql({ tenant: { id: known.id, recordId: known.recordId }, cell: 'west', ...settled });
    expect(young).to.deep.include({ cell: 'east', state: 'NEW' });
    await directory.cells.settle(added.recordId);
    expect(await placeOf(added)).to.deep.include({ cell: 'east', ...settled });
    expect([...(await directory.cells.countTenants())]).to.have.deep.members([
      ['west', 1],
      ['east', 1],
    ]);
  });

  it('inserts a tenant into its cell once, with the record id from the directory and one audit row', async () => {
    await register('west', directory);
    await register('east', other);
    for (const [name, cell] of [
      ['west', directory],
      ['east', other],
    ] as const) {
      const added = await newTenant(name);
      await Promise.all([1, 2].map(() => cell.cells.receiveTenant(added, author(owner))));
      expect(await cell.system.findTenantsByIds([added.id])).to.eql([added]);
      const audit = await cell.read(added, (session) => session.audit.findByTargets([added.id]));
      expect(audit.map(({ changedBy, changeType }) => [changedBy, changeType])).to.eql([
        ['operator', 'INSERT'],
      ]);
    }
    const error = await rejection(
      directory.cells.insertTenant(
        tenant({ apiKey: (await directory.system.pageTenants(all, one)).rows[0]?.apiKey ?? '' }),
        'west',
      ),
    );
    expect(error.code).to.equal(ErrorCode.TENANT_ALREADY_EXISTS);
  });

  it("changes a tenant's location step by step, and increments the revision with each change", async () => {
    const known = await directory.system.insertTenant(tenant({ apiKey: newId() }), author(owner));
    await register('west', directory);
    await register('east', other);
    const { recordId } = known;
    const { cells } = directory;
    expect(await cells.beginMove(recordId, 'west')).to.equal(false);
    const move = async () => ({ tenantRecordId: recordId, revision: (await cells.takeMove(recordId)) ?? 0 });
    expect(await cells.takeMove(recordId)).to.equal(null);
    const seen = await cells.revision();
    expect(await cells.beginMove(recordId, 'east')).to.equal(true);
    expect(await cells.beginMove(recordId, 'east')).to.equal(false);
    const [moving] = await cells.places({ changedAfter: seen });
    expect(moving).to.deep.include({ cell: 'west', otherCell: 'east', state: 'MOVING' });
    expect(await cells.undoMove(await move())).to.equal(true);
    expect(await placeOf(known)).to.deep.include({ cell: 'west', otherCell: 'east', state: 'CLEANING' });
    expect(await cells.endMove(await move())).to.equal(true);
    expect(await placeOf(known)).to.deep.include({ cell: 'west', otherCell: null, state: 'SETTLED' });
    expect(await cells.beginMove(recordId, 'east')).to.equal(true);
    const lost = await move();
    const taken = await move();
    expect(await cells.switchMove(lost)).to.equal(false);
    expect(await cells.switchMove(taken)).to.equal(true);
    expect(await placeOf(known)).to.deep.include({ cell: 'east', otherCell: 'west', state: 'CLEANING' });
    expect(await cells.undoMove(await move())).to.equal(false);
    expect(await cells.endMove(await move())).to.equal(true);
    expect(await placeOf(known)).to.deep.include({ cell: 'east', otherCell: null, state: 'SETTLED' });
    expect(await cells.places({ changedAfter: await cells.revision() })).to.eql([]);
  });

  it('reports whether a database already contains tenant data', async () => {
    const { id, recordId } = await directory.system.insertTenant(tenant({ apiKey: newId() }), author(owner));
    expect(await directory.cells.number()).to.equal(null);
    expect(await directory.cells.contents()).to.eql({ hasTenantData: true, lastTenant: { id, recordId } });
    expect(await directory.cells.countAccounts()).to.equal(0);
    await newAccount(directory, { id, recordId });
    expect(await directory.cells.countAccounts()).to.equal(1);
  });
});

const all = { ids: null, apiKeyPrefix: '' };
const one = { offset: 0, limit: 1 };

eachDatabase.describe('cell directory without cells', (open, kind) => {
  const opened = freshStorage(kind, open);

  it('reports no cells and no revision by default', async () => {
    expect(await opened.storage.cells.list()).to.eql([]);
    expect(await opened.storage.cells.revision()).to.equal(0);
  });

  if (kind === 'sqlite') {
    it('rejects a SQLite database as a cell', async () => {
      const { cells } = opened.storage;
      const adopt = () => Promise.resolve(0);
      for (const refused of [cells.register({ name: 'west', adopt }), cells.adopt({ number: 0, above: 0 })]) {
        expect(await rejection(refused)).to.deep.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
      }
    });
  }
});
