import { expect } from 'chai';
import { SERIES_FROM, seriesOf } from '../../adapters/mikro-orm/audit-series.ts';
import type { Account, AuditRow, ChargedThroughChange, Uuid } from '../../lib/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { type LocalDate, localDate } from '../../lib/values/time/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { rowsOf } from '../support/queue-rows.ts';
import { type OpenedStorage, openStorage, rejection } from '../support/storage/opened-storage.ts';
import { invoiceItem, newId, type now, ownerOf, subscription } from '../support/storage/stored-records.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('series of audited records', () => {
  const of = (recordId: number, accountRecordId = 1) => ({ recordId, accountRecordId });
  const seriesFrom = (records: readonly { recordId: number; accountRecordId: number; value?: string }[]) =>
    seriesOf(records, ({ value = '' }) => value).map((series) => series.map(({ recordId }) => recordId));

  it('are side by side, of one account and alike, whatever their order', () => {
    expect(seriesFrom([])).to.deep.equal([]);
    expect(seriesFrom([of(3), of(1), of(2)])).to.deep.equal([[1, 2, 3]]);
    expect(seriesFrom([of(1), of(3), of(4)])).to.deep.equal([[1], [3, 4]]);
    expect(seriesFrom([of(1), of(2, 2), of(3)])).to.deep.equal([[1], [2], [3]]);
    const alike = [
      { ...of(1), value: 'a' },
      { ...of(2), value: 'b' },
      { ...of(3), value: 'b' },
    ];
    expect(seriesFrom(alike)).to.deep.equal([[1], [2, 3]]);
  });
});

eachDatabase((kind, open) => {
  describe(`storage: audit of many records at once on ${kind}`, () => {
    let opened: OpenedStorage;
    let acme: Account;
    let other: Account;
    before(async () => {
      opened = await openStorage(kind, open);
      const [first, second] = await opened.newAccounts(2);
      if (!first || !second) throw new Error('no account');
      [acme, other] = [first, second];
    });
    after(() => opened.storage.close());

    const histories = (ids: readonly Uuid[]): Promise<readonly AuditRow[]> =>
      opened.storage.read(opened.tenant, ({ audit }) => audit.findHistories(ids));
    const stored = (tableName: string) =>
      rowsOf(
        opened.database,
        `select * from bw_audit_log where table_name = '${tableName}' order by record_id`,
      );
    const exported = async (account: Account, tableName: string): Promise<readonly AuditRow[]> => {
      const found: AuditRow[] = [];
      await opened.storage.read(opened.tenant, async ({ exports }) => {
        for await (const rows of exports.auditOfAccount(account.recordId, tableName)) found.push(...rows);
      });
      return found;
    };

    it('insertions: a series is one row, and reads as one for each record, with the record as it was', async () => {
      const half = SERIES_FROM / 2;
      const ownItem = (index: number) =>
        invoiceItem(ownerOf(acme), { amount: decimal(`${index}.25`), description: `${index}` });
      const changing = (['PARENT_SUMMARY', 'CBA_ADJ', 'CREDIT_ADJ'] as const).map((itemType) =>
        invoiceItem(ownerOf(acme), { itemType }),
      );
      const own = [...many(half).map(ownItem), ...changing, ...many(half).map(ownItem)];
      const foreign = many(3).map(() => invoiceItem(ownerOf(other)));
      const [seventh] = own.slice(7);
      if (!seventh) throw new Error('no item');
      const alone = { ...seventh, id: newId() };
      await opened.write(({ invoices }) => invoices.insertItems([...own, ...foreign]));
      await opened.write(({ invoices }) => invoices.insertItems([alone]));
      // One for each side of those that may yet change, these, the other account's, and the one alone.
      expect(await stored('INVOICE_ITEMS')).to.have.length(7);

      const all = [...own, ...foreign, alone];
      const read = await histories(all.map(({ id }) => id));
      expect(read.map(({ targetId }) => targetId)).to.have.members(all.map(({ id }) => id));
      const of = (id: Uuid) => read.find(({ targetId }) => targetId === id);
      const [inSeries, single] = [of(seventh.id), of(alone.id)];
      expect(inSeries?.snapshot).to.deep.equal(single?.snapshot);
      expect(inSeries).to.include({ changeType: 'INSERT', accountRecordId: acme.recordId });
      expect(inSeries?.targetRecordId).to.equal((of(own[6]?.id ?? seventh.id)?.targetRecordId ?? 0) + 1);
      expect(inSeries).not.to.have.property('lastTargetRecordId');
      expect(read.map(({ recordId }) => recordId)).to.deep.equal(
        read.map(({ recordId }) => recordId).toSorted((one, next) => one - next),
      );

      const entries = await opened.storage.readInOneStatement(opened.tenant, ({ audit }) =>
        audit.findByTargets([seventh.id, foreign[1]?.id ?? seventh.id]),
      );
      expect(entries.map(({ targetId }) => targetId)).to.deep.equal([seventh.id, foreign[1]?.id]);
      const ofAccount = await opened.storage.read(opened.tenant, async ({ exports }) =>
        (await Array.fromAsync(exports.auditEntriesOfAccount(acme.recordId))).flat(),
      );
      const ofItems = ofAccount.filter(({ tableName }) => tableName === 'INVOICE_ITEMS');
      expect(ofItems.map(({ targetId }) => targetId)).to.have.members([...own, alone].map(({ id }) => id));
      expect(await exported(acme, 'INVOICE_ITEMS')).to.have.deep.members(
        read.filter(({ accountRecordId }) => accountRecordId === acme.recordId),
      );
    });

    it('changes: a series keeps what has changed, and reads as each record whole', async () => {
      const own = many(SERIES_FROM).map(() => subscription(ownerOf(acme), { chargedThrough: null }));
      await opened.write(({ subscriptions }) => subscriptions.insertSubscriptions(own));
      const inserted = (await stored('SUBSCRIPTIONS')).length;
      expect(inserted).to.equal(SERIES_FROM);
      const charge = (
        changes: readonly Omit<ChargedThroughChange, 'chargedThrough'>[],
        date: LocalDate,
        dateOfFirst = date,
      ) =>
        opened.write(({ subscriptions }) =>
          subscriptions.setChargedThrough(
            changes.map((each, index) => {
              const day = index === 0 ? dateOfFirst : date;
              return { ...each, chargedThrough: { at: instantOf(day), date: day } };
            }),
          ),
        );
      const [first, second] = [own[0], own[1]];
      if (!first || !second) throw new Error('no subscription');
      const unread = own.map(({ id }) => ({ subscriptionId: id }));
      const storedNow = () =>
        opened.storage.read(opened.tenant, ({ subscriptions }) =>
          subscriptions.findByIds(own.map(({ id }) => id)),
        );
      const chargedNow = async () =>
        new Set((await storedNow()).map(({ chargedThrough }) => chargedThrough?.date));
      const read = (await storedNow()).map((row) => ({ subscriptionId: row.id, row }));
      await charge(unread, localDate(2026, 2, 1));
      await charge([{ subscriptionId: first.id }], localDate(2026, 3, 1));
      await charge(read.toReversed(), localDate(2026, 4, 1));
      expect(await chargedNow()).to.deep.equal(new Set([localDate(2026, 4, 1)]));
      // Another date, and so another series, for the one that is not read.
      await charge([...unread.slice(0, 1), ...read.slice(1)], localDate(2026, 5, 2), localDate(2026, 5, 1));
      expect(await stored('SUBSCRIPTIONS')).to.have.length(inserted + 5);

      const gone = { subscriptionId: second.id, row: { accountRecordId: acme.recordId, recordId: 1e9 } };
      const refused = await rejection(
        charge([...read.slice(0, 1), gone, ...read.slice(2)], localDate(2026, 6, 1)),
      );
      expect(refused.name).to.equal('InvariantError');
      expect(await stored('SUBSCRIPTIONS')).to.have.length(inserted + 5);
      expect(await chargedNow()).to.deep.equal(new Set([localDate(2026, 5, 1), localDate(2026, 5, 2)]));

      const audited = await histories([first.id, second.id]);
      const ofFirst = audited.filter(({ targetId }) => targetId === first.id);
      expect(
        ofFirst.map(({ changeType, snapshot }) => [changeType, snapshot?.chargedThroughDate]),
      ).to.deep.equal([
        ['INSERT', null],
        ['UPDATE', '2026-02-01T00:00:00.000Z'],
        ['UPDATE', '2026-03-01T00:00:00.000Z'],
        ['UPDATE', '2026-04-01T00:00:00.000Z'],
        ['UPDATE', '2026-05-01T00:00:00.000Z'],
      ]);
      const lastOfSecond = audited.findLast(({ targetId }) => targetId === second.id);
      expect(lastOfSecond?.snapshot?.chargedThroughDate).to.equal('2026-05-02T00:00:00.000Z');
      const [before] = ofFirst;
      for (const { snapshot } of ofFirst) {
        expect({ ...snapshot, chargedThroughDate: null }).to.deep.equal(before?.snapshot);
      }
      const listed = await exported(acme, 'SUBSCRIPTIONS');
      expect(listed).to.have.length(4 * SERIES_FROM + 1);
      expect(listed.filter(({ targetId }) => targetId === first.id)).to.deep.equal(ofFirst);
      expect(listed.filter(({ targetId }) => targetId === second.id)).to.deep.equal(
        audited.filter(({ targetId }) => targetId === second.id),
      );
    });

    it('another tenant sees nothing of a series', async () => {
      const tenant = await opened.newTenant();
      const row = (await stored('INVOICE_ITEMS')).find(({ last_target_record_id: last }) => last !== null);
      const id = String(row?.target_id) as Uuid;
      expect(await opened.storage.read(tenant, ({ audit }) => audit.findHistories([id]))).to.deep.equal([]);
      expect(
        await opened.storage.read(tenant, ({ exports }) =>
          Array.fromAsync(exports.auditEntriesOfAccount(acme.recordId)),
        ),
      ).to.deep.equal([]);
    });

    it('the check finds the insertion of each record of a series, and the lack of it', async () => {
      const window = {
        table: 'invoice_items',
        tenantRecordId: opened.tenant.recordId,
        afterRecordId: 0,
        limit: 10_000,
      };
      expect((await opened.storage.checks.checkRecords(window)).unaudited).to.deep.equal([]);
      const row = (await stored('INVOICE_ITEMS')).find(({ last_target_record_id: last }) => last !== null);
      const rest = Number(row?.last_target_record_id) - Number(row?.target_record_id) + 1;
      await rowsOf(opened.database, `delete from bw_audit_log where record_id = ${Number(row?.record_id)}`);
      const { unaudited } = await opened.storage.checks.checkRecords(window);
      expect(unaudited).to.have.length(rest);
      expect(unaudited[0]).to.include({ tableName: 'INVOICE_ITEMS', insertions: 0 });
    });
  });
});

function instantOf(date: LocalDate) {
  return (date * 86_400_000) as typeof now;
}
