import type { Account, AuditRow, Uuid } from '../../lib/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { type LocalDate, localDate } from '../../lib/values/time/index.ts';
import { eachDatabase, expect, rowsOf } from '../support/index.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import { invoiceItem, newId, type now, ownerOf, subscription } from '../support/storage/stored-records.ts';

const MANY = 600;
const many = (count: number) => Array.from({ length: count }, (_, index) => index);

eachDatabase.describe('audit history of bulk changes', (open, kind) => {
  const opened = sharedStorage(kind, open);
  let acme: Account;
  let other: Account;
  before(async () => {
    const [first, second] = await opened.newAccounts(2);
    [acme, other] = [first, second];
  });

  const histories = (ids: readonly Uuid[]) => opened.reading.audit.findHistories(ids);
  const stored = (tableName: string) =>
    rowsOf(
      opened.database,
      `select * from bw_audit_log where table_name = '${tableName}' order by record_id`,
    );
  const exported = async (account: Account, tableName: string): Promise<readonly AuditRow[]> =>
    opened.read(async ({ exports }) =>
      (await Array.fromAsync(exports.auditOfAccount(account.recordId, tableName))).flat(),
    );

  it('contains one row per inserted record, with the inserted content', async () => {
    const own = many(MANY).map((index) =>
      invoiceItem(ownerOf(acme), { amount: decimal(`${index}.25`), description: `${index}` }),
    );
    const foreign = many(3).map(() => invoiceItem(ownerOf(other)));
    const [seventh] = own.slice(7);
    if (!seventh) throw new Error('no item');
    const alone = { ...seventh, id: newId() };
    opened.statements();
    await opened.writing.invoices.insertItems([...own, ...foreign]);
    expect(opened.statements().filter((text) => text.includes('into bw_audit_log'))).to.have.length(1);
    await opened.writing.invoices.insertItems([alone]);
    const all = [...own, ...foreign, alone];
    expect(await stored('INVOICE_ITEMS')).to.have.length(all.length);

    const read = await histories(all.map(({ id }) => id));
    expect(read.map(({ targetId }) => targetId)).to.have.members(all.map(({ id }) => id));
    const of = (id: Uuid) => read.find(({ targetId }) => targetId === id);
    const [amongMany, single] = [of(seventh.id), of(alone.id)];
    expect(amongMany?.snapshot).to.eql(single?.snapshot);
    expect(amongMany).to.include({ changeType: 'INSERT', accountRecordId: acme.recordId });
    expect(amongMany?.targetRecordId).to.equal((of(own[6]?.id ?? seventh.id)?.targetRecordId ?? 0) + 1);
    expect(read.map(({ recordId }) => recordId)).to.eql(
      read.map(({ recordId }) => recordId).toSorted((one, next) => one - next),
    );

    const entries = await opened.storage.readInOneStatement(opened.tenant, ({ audit }) =>
      audit.findByTargets([seventh.id, foreign[1]?.id ?? seventh.id]),
    );
    expect(entries.map(({ targetId }) => targetId)).to.eql([seventh.id, foreign[1]?.id]);
    expect(entries[0]).not.to.have.property('snapshot');
    const ofAccount = await opened.read(async ({ exports }) =>
      (await Array.fromAsync(exports.auditEntriesOfAccount(acme.recordId))).flat(),
    );
    const ofItems = ofAccount.filter(({ tableName }) => tableName === 'INVOICE_ITEMS');
    expect(ofItems.map(({ targetId }) => targetId)).to.have.members([...own, alone].map(({ id }) => id));
    expect(await exported(acme, 'INVOICE_ITEMS')).to.have.deep.members(
      read.filter(({ accountRecordId }) => accountRecordId === acme.recordId),
    );
  });

  it('contains one row per change in order, even for more changes than fit in one statement', async () => {
    const pages = [5_000, 3_000, 300].map((count) =>
      many(count).map((index) => invoiceItem(ownerOf(acme), { description: `${count}/${index}` })),
    );
    opened.statements();
    await opened.write(async ({ invoices }) => {
      for (const items of pages) await invoices.insertItems(items);
    });
    expect(opened.statements().filter((text) => text.includes('into bw_audit_log'))).to.have.length(3);
    const read = await histories(pages.flat().map(({ id }) => id));
    expect(read.map(({ targetId }) => targetId)).to.eql(pages.flat().map(({ id }) => id));
    expect(read.map(({ snapshot }) => snapshot?.description)).to.eql(
      pages.flat().map(({ description }) => description),
    );
  });

  it('shows an insertion with its original content, even after a manual change in the database', async () => {
    const items = many(MANY).map(() => invoiceItem(ownerOf(acme), { description: 'as it was' }));
    await opened.writing.invoices.insertItems(items);
    const [first, second] = items;
    if (!first || !second) throw new Error('no item');
    await rowsOf(
      opened.database,
      `update bw_invoice_items set description = 'as it is' where id = '${first.id}'`,
    );
    await rowsOf(opened.database, `delete from bw_invoice_items where id = '${second.id}'`);
    const shown = [
      ...(await histories([first.id, second.id])),
      ...(await exported(acme, 'INVOICE_ITEMS')).filter(({ targetId }) =>
        [first.id, second.id].includes(targetId),
      ),
    ];
    expect(shown.map(({ snapshot }) => snapshot?.description)).to.eql(Array(4).fill('as it was'));
  });

  it('contains one row per changed record, with the full record after the change', async () => {
    const own = many(MANY).map(() => subscription(ownerOf(acme), { chargedThrough: null }));
    await opened.writing.subscriptions.insertSubscriptions(own);
    const charge = (ids: readonly Uuid[], date: LocalDate) =>
      opened.writing.subscriptions.setChargedThrough(
        ids.map((subscriptionId) => ({ subscriptionId, chargedThrough: { at: instantOf(date), date } })),
      );
    const ids = own.map(({ id }) => id);
    const [first, second] = ids;
    if (!first || !second) throw new Error('no subscription');
    await charge(ids, localDate(2026, 2, 1));
    await charge([first], localDate(2026, 3, 1));
    await charge(ids.toReversed(), localDate(2026, 4, 1));
    expect(await stored('SUBSCRIPTIONS')).to.have.length(3 * MANY + 1);

    const ofFirst = (await histories([first, second])).filter(({ targetId }) => targetId === first);
    expect(ofFirst.map(({ changeType, snapshot }) => [changeType, snapshot?.chargedThroughDate])).to.eql([
      ['INSERT', null],
      ['UPDATE', '2026-02-01T00:00:00.000Z'],
      ['UPDATE', '2026-03-01T00:00:00.000Z'],
      ['UPDATE', '2026-04-01T00:00:00.000Z'],
    ]);
    const [before] = ofFirst;
    for (const { snapshot } of ofFirst)
      expect({ ...snapshot, chargedThroughDate: null }).to.eql(before?.snapshot);
    const listed = await exported(acme, 'SUBSCRIPTIONS');
    expect(listed).to.have.length(3 * MANY + 1);
    expect(listed.filter(({ targetId }) => targetId === first)).to.eql(ofFirst);
  });

  it('is invisible to another tenant', async () => {
    const tenant = await opened.newTenant();
    const [row] = await stored('INVOICE_ITEMS');
    const id = String(row?.target_id) as Uuid;
    expect(await opened.storage.read(tenant, ({ audit }) => audit.findHistories([id]))).to.eql([]);
    expect(
      await opened.storage.read(tenant, ({ exports }) =>
        Array.fromAsync(exports.auditEntriesOfAccount(acme.recordId)),
      ),
    ).to.eql([]);
  });

  it('allows the integrity check to report each record without an insertion row', async () => {
    const window = {
      table: 'invoice_items',
      tenantRecordId: opened.tenant.recordId,
      afterRecordId: 0,
      limit: 10_000,
    };
    expect((await opened.storage.checks.checkRecords(window)).unaudited).to.eql([]);
    const [row] = await stored('INVOICE_ITEMS');
    await rowsOf(opened.database, `delete from bw_audit_log where record_id = ${Number(row?.record_id)}`);
    const { unaudited } = await opened.storage.checks.checkRecords(window);
    expect(unaudited).to.have.length(1);
    expect(unaudited[0]).to.include({ tableName: 'INVOICE_ITEMS', id: row?.target_id, insertions: 0 });
  });
});

function instantOf(date: LocalDate) {
  return (date * 86_400_000) as typeof now;
}
