import { type Account, type AuditRow, formatDecimal, type Uuid } from '../../lib/index.ts';
import type { WriteSession } from '../../lib/ports/storage/index.ts';
import { Decimal, decimal } from '../../lib/values/money/index.ts';
import { localDate } from '../../lib/values/time/index.ts';
import { auditedResources } from '../support/audited-resources.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import {
  account,
  attempt,
  author,
  blockingState,
  bundle,
  catalogVersion,
  coverageRow,
  customField,
  hugeAmount,
  invoice,
  invoiceItem,
  invoicePayment,
  lifecycleEvent,
  newId,
  now,
  ownerOf,
  payment,
  paymentMethod,
  subscription,
  tag,
  tagDefinition,
  today,
  transaction,
} from '../support/storage/stored-records.ts';

type Owner = ReturnType<typeof ownerOf>;

/** The history columns of each resource, as in the table of accounts §14.1. */
const specified: ReadonlyMap<string, readonly string[]> = new Map(
  auditedResources.map(({ tableName, columns, columnsOnlyInD }) => [
    tableName,
    [...columns, ...columnsOnlyInD].toSorted(),
  ]),
);

const kinds: Readonly<
  Record<
    string,
    readonly [
      make: (owner: Owner) => { readonly id: Uuid },
      insert: (session: WriteSession, row: never) => Promise<unknown>,
    ]
  >
> = {
  BLOCKING_STATES: [blockingState, (session, row) => session.subscriptions.insertBlockingStates([row])],
  BUNDLES: [bundle, (session, row) => session.subscriptions.insertBundles([row])],
  SUBSCRIPTIONS: [subscription, (session, row) => session.subscriptions.insertSubscriptions([row])],
  SUBSCRIPTION_EVENTS: [lifecycleEvent, (session, row) => session.subscriptions.insertEvents([row])],
  INVOICES: [invoice, (session, row) => session.invoices.insertInvoices([row])],
  INVOICE_ITEMS: [invoiceItem, (session, row) => session.invoices.insertItems([row])],
  INVOICE_PAYMENTS: [invoicePayment, (session, row) => session.payments.insertInvoicePayments([row])],
  PAYMENTS: [payment, (session, row) => session.payments.insertPayments([row])],
  PAYMENT_TRANSACTIONS: [transaction, (session, row) => session.payments.insertTransactions([row])],
  PAYMENT_ATTEMPTS: [attempt, (session, row) => session.payments.insertAttempts([row])],
  PAYMENT_METHODS: [paymentMethod, (session, row) => session.payments.insertMethods([row])],
  TAG: [tag, (session, row) => session.tags.insert([row])],
  CUSTOM_FIELD: [customField, (session, row) => session.customFields.insert([row])],
};

eachDatabase.describe('audit history', (open, kind) => {
  const opened = sharedStorage(kind, open);
  const { reading, writing } = opened;
  let acme: Account;
  let owner: Owner;
  before(async () => {
    const [stored] = await opened.newAccounts(1);
    acme = stored;
    owner = ownerOf(stored);
  });

  const auditOf = (...ids: readonly Uuid[]): Promise<readonly AuditRow[]> => reading.audit.findHistories(ids);

  for (const [tableName, [make, insert]] of Object.entries(kinds))
    it(`contains one row per insert into ${tableName}, with the specified history columns`, async () => {
      const record = make(owner);
      const authorship = author();
      await opened.write((session) => insert(session, record as never), authorship);
      const rows = await auditOf(record.id);
      expect(rows).to.have.length(1);
      const [row] = rows;
      expect(row).to.deep.include({
        tableName,
        targetId: record.id,
        accountRecordId: owner.accountRecordId,
        changeType: 'INSERT',
        changeDate: authorship.createdDate,
        changedBy: authorship.userName,
        reasonCode: authorship.reasonCode,
        comments: authorship.comments,
        userToken: authorship.userTokenOf(owner.accountRecordId),
      });
      expect(row?.targetRecordId).to.be.a('number').greaterThan(0);
      expect(Object.keys(row?.snapshot ?? {}).toSorted()).to.eql(specified.get(tableName));
    });

  it('contains one row per insert and update of an ACCOUNT, with the state of the account after each change', async () => {
    const stored = await writing.accounts.insert([account({ name: 'before' })]);
    const [given] = stored;
    if (!given) throw new Error('no account');
    await writing.accounts.update([{ ...given, name: 'after' }]);
    const rows = await auditOf(given.id);
    expect(rows.map(({ changeType, snapshot }) => [changeType, snapshot?.name])).to.eql([
      ['INSERT', 'before'],
      ['UPDATE', 'after'],
    ]);
    expect(rows.map((row) => [row.targetRecordId, row.accountRecordId])).to.eql([
      [given.recordId, given.recordId],
      [given.recordId, given.recordId],
    ]);
    expect(Object.keys(rows[0]?.snapshot ?? {}).toSorted()).to.eql(specified.get('ACCOUNT'));
    expect(rows[0]?.recordId).to.be.lessThan(rows[1]?.recordId ?? 0);
  });

  it('shows instants and dates in wire form and amounts to the last digit', async () => {
    const item = invoiceItem(owner, { startDate: today, rate: decimal('29.95'), quantity: null });
    await writing.invoices.insertItems([item]);
    const [row] = await auditOf(item.id);
    const { snapshot } = row ?? {};
    expect(snapshot).to.deep.include({
      startDate: '2026-02-01',
      catalogEffectiveDate: '2026-01-31T23:30:00.000Z',
    });
    const amounts = [snapshot?.amount, snapshot?.rate].map((value) =>
      value instanceof Decimal ? formatDecimal(value) : value,
    );
    expect(amounts).to.eql([formatDecimal(hugeAmount), '29.95']);
    expect(snapshot?.quantity).to.equal(null);
  });

  it('contains one row per updated record with the new content, and no row for unchanged records', async () => {
    const given = subscription(owner, { chargedThrough: null });
    const paid = payment(owner);
    const settled = transaction(owner);
    const [tried, row] = [attempt(owner), invoicePayment(owner)];
    await opened.write(async (session) => {
      await session.subscriptions.insertSubscriptions([given]);
      await session.payments.insertPayments([paid]);
      await session.payments.insertTransactions([settled]);
      await session.payments.insertAttempts([tried]);
      await session.payments.insertInvoicePayments([row]);
    });
    const date = localDate(2026, 3, 1);
    await opened.write(async (session) => {
      const { payments } = session;
      const found = {
        payment: await payments.findByIds([paid.id]),
        transaction: await payments.findTransactionsByIds([settled.id]),
        attempt: await payments.findAttemptsByIds([tried.id]),
        row: await payments.findInvoicePaymentsByInvoices([row.invoiceId]),
      };
      await session.subscriptions.setChargedThrough([
        { subscriptionId: given.id, chargedThrough: { at: now, date } },
        { subscriptionId: newId(), chargedThrough: { at: now, date } },
      ]);
      await payments.updatePayments(found.payment.map((each) => ({ ...each, stateName: 'changed' })));
      await payments.updateAttempts(
        found.attempt.map((each) => ({ ...each, stateName: 'SUCCESS' as const })),
      );
      await payments.updateInvoicePayments(
        found.row.map((each) => ({ ...each, status: 'PENDING' as const })),
      );
      await payments.updateTransactions(
        found.transaction.map((each) => ({
          transaction: { ...each, status: 'SUCCESS' as const },
          expected: 'UNKNOWN' as const,
        })),
      );
      await payments.updateTransactions(
        found.transaction.map((each) => ({
          transaction: { ...each, status: 'PENDING' as const },
          expected: 'PAYMENT_FAILURE' as const,
        })),
      );
    });
    const rows = await auditOf(given.id, paid.id, settled.id, tried.id, row.id);
    const updates = rows.filter(({ changeType }) => changeType === 'UPDATE');
    expect(
      updates.map(({ tableName, snapshot }) => [tableName, Object.values(snapshot ?? {})]),
    ).to.have.length(5);
    const shown = (tableName: string) => updates.find((each) => each.tableName === tableName)?.snapshot;
    expect(shown('SUBSCRIPTIONS')?.chargedThroughDate).to.equal('2026-01-31T23:30:00.000Z');
    expect(shown('PAYMENTS')?.stateName).to.equal('changed');
    expect(shown('PAYMENT_TRANSACTIONS')?.transactionStatus).to.equal('SUCCESS');
    expect(shown('PAYMENT_ATTEMPTS')?.stateName).to.equal('SUCCESS');
    expect(shown('INVOICE_PAYMENTS')?.status).to.equal('PENDING');
  });

  it('does not assign TAG_DEFINITIONS to an account, and shows a deleted definition as inactive', async () => {
    const definition = tagDefinition();
    await writing.tags.insertDefinitions([definition]);
    await opened.write(async (session) =>
      session.tags.deactivateDefinitions(await session.tags.lockDefinitions([definition.id])),
    );
    const rows = await auditOf(definition.id);
    expect(
      rows.map(({ tableName, changeType, accountRecordId }) => [tableName, changeType, accountRecordId]),
    ).to.eql([
      ['TAG_DEFINITIONS', 'INSERT', null],
      ['TAG_DEFINITIONS', 'DELETE', null],
    ]);
    expect(rows.map(({ snapshot }) => snapshot?.isActive)).to.eql([true, false]);
    expect(rows[0]?.snapshot?.applicableObjectTypes).to.equal('ACCOUNT,BUNDLE');
    expect(Object.keys(rows[0]?.snapshot ?? {}).toSorted()).to.eql(specified.get('TAG_DEFINITIONS'));
  });

  it('contains one row per change of tags and custom fields in write order, and no row for an already active tag', async () => {
    const [given, custom] = [tag(owner), customField(owner)];
    await opened.write(async (session) => {
      expect(await session.tags.insert([given])).to.have.length(1);
      expect(await session.tags.insert([{ ...given, id: newId() }])).to.eql([]);
      await session.customFields.insert([custom]);
    });
    await opened.write(async (session) => {
      const fields = await session.customFields.findByIds([custom.id]);
      await session.customFields.updateValues(fields.map((each) => ({ ...each, value: 'new' })));
      await session.customFields.deactivate(await session.customFields.findByIds([custom.id]));
      const tags = await session.tags.findByObjects('ACCOUNT', [acme.id], { includeDeleted: false });
      await session.tags.deactivate(tags.filter(({ id }) => id === given.id));
    });
    const rows = await auditOf(given.id, custom.id);
    expect(
      rows.map(({ tableName, changeType, snapshot }) => [
        tableName,
        changeType,
        snapshot?.isActive,
        snapshot?.fieldValue,
      ]),
    ).to.eql([
      ['TAG', 'INSERT', true, undefined],
      ['CUSTOM_FIELD', 'INSERT', true, custom.value],
      ['CUSTOM_FIELD', 'UPDATE', true, 'new'],
      ['CUSTOM_FIELD', 'DELETE', false, 'new'],
      ['TAG', 'DELETE', false, undefined],
    ]);
    const { snapshot: _snapshot, ...first } = rows[0] ?? {};
    const ofAccount = await opened.read(async ({ exports }) =>
      (await Array.fromAsync(exports.auditEntriesOfAccount(acme.recordId))).flat(),
    );
    expect(ofAccount).to.deep.include(first).and.to.have.length.greaterThan(rows.length);
  });

  it('contains rows without history for catalog versions and tenants', async () => {
    const version = catalogVersion({});
    await writing.catalogs.insert([version]);
    const rows = await auditOf(version.id, opened.tenant.id);
    expect(
      rows.map(({ tableName, accountRecordId, snapshot }) => [tableName, accountRecordId, snapshot]),
    ).to.eql([
      ['TENANT', null, null],
      ['TENANT_KVS', null, null],
    ]);
  });

  it('contains no rows for stored aggregates, coverage, cursors, states and queue entries', async () => {
    const given = invoice(owner);
    const item = invoiceItem(owner, { invoiceId: given.id });
    await opened.write(async ({ invoices }) => {
      await invoices.insertInvoices([given]);
      await invoices.insertItems([item]);
    });
    const before = await auditOf(given.id, item.id, acme.id);
    await opened.write(async (session) => {
      const { invoices } = session;
      await invoices.setAmounts([
        {
          invoiceId: given.id,
          amount: hugeAmount,
          creditAdj: hugeAmount,
          refundAdj: hugeAmount,
          rawBalance: hugeAmount,
        },
      ]);
      await invoices.setRepairable([{ id: item.id, repairable: decimal('0') }]);
      await invoices.insertCoverage([coverageRow({ itemId: item.id })], () => acme.recordId);
      session.publish([{ type: 'ACCOUNT_CHANGE', accountRecordId: acme.recordId, payload: {} }]);
    });
    expect(await auditOf(given.id, item.id, acme.id)).to.eql(before);
  });

  it('stores the token of the originating call for each account of a batch', async () => {
    const accounts = await opened.newAccounts(2);
    const tokens = new Map(accounts.map(({ recordId }) => [recordId, newId()]));
    const bundles = accounts.map((each) => bundle(ownerOf(each)));
    const userTokenOf = (recordId: number | null) => tokens.get(recordId ?? 0) ?? newId();
    await opened.write((session) => session.subscriptions.insertBundles(bundles), author({ userTokenOf }));
    const rows = await auditOf(...bundles.map(({ id }) => id));
    expect(rows.map(({ userToken }) => userToken)).to.eql([...tokens.values()]);
  });
});
