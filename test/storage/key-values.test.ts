import type { New, TenantKeyValue, TenantRef } from '../../lib/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { freshStorage, rejection } from '../support/storage/opened-storage.ts';
import { author, newId, now } from '../support/storage/stored-records.ts';

function keyValue(members: Partial<New<TenantKeyValue>>): New<TenantKeyValue> {
  const dates = { createdDate: now, updatedDate: now };
  return { id: newId(), key: 'color', value: 'red', isSingle: false, isActive: true, ...dates, ...members };
}

eachDatabase.describe('tenant key-value pairs', (open, kind) => {
  const opened = freshStorage(kind, open);

  const insert = (...values: readonly New<TenantKeyValue>[]) => opened.writing.keyValues.insert(values);
  const find = (keys: readonly string[], tenant: TenantRef = opened.tenant) =>
    opened.storage.read(tenant, (session) => session.keyValues.find(keys));
  const findByPrefix = (prefix: string, tenant: TenantRef = opened.tenant) =>
    opened.storage.read(tenant, (session) => session.keyValues.findByPrefix(prefix));

  it('keep their exact text and order', async () => {
    const values = [
      keyValue({ value: 'ünï\n😀' }),
      keyValue({ key: 'a%b', isSingle: true }),
      keyValue({ value: '' }),
    ];
    const recordIds = await insert(...values);
    const stored = values.map((value, index) => ({ ...value, recordId: recordIds[index] }));
    expect(await find(['color', 'a%b'])).to.eql(stored);
    expect(await find(['unknown'])).to.eql([]);
    expect(await find([])).to.eql([]);
  });

  it('are found by an exact, case-sensitive prefix', async () => {
    await insert(...['a_1', 'a%1', 'aX1', 'A_1', '😀_1', 'b'].map((key) => keyValue({ key })));
    const keys = async (prefix: string) => (await findByPrefix(prefix)).map(({ key }) => key);
    expect(await keys('a_')).to.eql(['a_1']);
    expect(await keys('a%')).to.eql(['a%1']);
    expect(await keys('😀')).to.eql(['😀_1']);
    expect(await keys('')).to.have.length(6);
  });

  it('have one active value for a single-value key, and any number of active values for other keys', async () => {
    await insert(keyValue({ isSingle: true }));
    const [stored] = await find(['color']);
    const second = await rejection(insert(keyValue({ isSingle: true })));
    expect(second.message).to.match(/unique|duplicate|conflicts with an existing row/i);
    await opened.write(async (session) => {
      await session.keyValues.deactivate(stored ? [stored] : []);
      await session.keyValues.insert([keyValue({ isSingle: true, value: 'blue' })]);
    });
    expect((await find(['color'])).map(({ value }) => value)).to.eql(['blue']);
    expect(await opened.reading.keyValues.valueOf(stored?.recordId ?? 0)).to.equal('red');
  });

  it('are invisible to another tenant', async () => {
    const other = await opened.newTenant();
    const [recordId = 0] = await insert(keyValue({}));
    expect(await find(['color'], other)).to.eql([]);
    expect(await findByPrefix('', other)).to.eql([]);
    await rejection(opened.storage.read(other, (session) => session.keyValues.valueOf(recordId)));
    const stored = await find(['color']);
    await rejection(opened.storage.write(other, author(), (session) => session.keyValues.deactivate(stored)));
    expect(await find(['color'])).to.have.length(1);
  });

  it('are audited as TENANT_KVS without history', async () => {
    await insert(keyValue({}));
    const stored = await find(['color']);
    await opened.writing.keyValues.deactivate(stored);
    const rows = await opened.reading.audit.findHistories(stored.map(({ id }) => id));
    expect(
      rows.map(({ tableName, changeType, snapshot, targetRecordId }) => [
        tableName,
        changeType,
        snapshot,
        targetRecordId === stored[0]?.recordId,
      ]),
    ).to.eql([
      ['TENANT_KVS', 'INSERT', null, true],
      ['TENANT_KVS', 'DELETE', null, true],
    ]);
  });

  it('include the row of the overdue configuration', async () => {
    await opened.write(async (session) => {
      expect((await session.revisions()).overdueConfig).to.equal(null);
      const id = newId();
      const [recordId = 0] = await session.keyValues.insert([keyValue({ id, isSingle: true })]);
      await session.keyValues.setOverdueConfig(recordId);
      expect(await session.revisions()).to.deep.include({
        overdueConfig: { recordId, id },
        configuration: null,
      });
      await session.keyValues.setOverdueConfig(null);
      expect((await session.revisions()).overdueConfig).to.equal(null);
    });
  });

  it('require one read of their revision per session, and another read after the lock is acquired', async () => {
    await opened.write(async (session) => {
      opened.statements();
      const first = await session.revisions();
      await session.catalogs.revision();
      expect(first.configuration).to.equal(null);
      expect(opened.statements()).to.have.length(1);
      const [recordId = 0] = await session.keyValues.insert([keyValue({ isSingle: true })]);
      await session.keyValues.setConfiguration(recordId);
      expect((await session.revisions()).configuration?.recordId).to.equal(recordId);
      opened.statements();
      await session.keyValues.lock();
      await session.revisions();
      expect(opened.statements()).to.have.length(1);
    });
  });
});
