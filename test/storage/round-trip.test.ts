import type { Account, Bundle, Page, StoredCursor, Uuid } from '../../lib/index.ts';
import { ErrorCode } from '../../lib/index.ts';
import type { ReadSession, WriteSession } from '../../lib/ports/storage/index.ts';
import type { CatalogComposition, NewCatalogPart, PaymentTransaction } from '../../lib/records/index.ts';
import {
  CatalogPartKind,
  invoiceFields,
  invoiceItemFields,
  lifecycleEventFields,
  paymentAttemptFields,
  paymentTransactionFields,
} from '../../lib/records/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { instant, localDate } from '../../lib/values/time/index.ts';
import { eachDatabaseAndOneByOne, expect } from '../support/index.ts';
import { event } from '../support/invoicing/billing-events.ts';
import { emptyFields } from '../support/storage/filled-record.ts';
import { rejection, sharedStorage } from '../support/storage/opened-storage.ts';
import {
  account,
  attempt,
  author,
  autoPayHold,
  bareAccount,
  blockingState,
  bundle,
  catalogPart,
  catalogVersion,
  coverageRow,
  cursor,
  customField,
  hugeAmount,
  invoice,
  invoiceItem,
  invoicePayment,
  invoiceRefund,
  lifecycleEvent,
  newId,
  now,
  oddText,
  overridePlan,
  ownerOf,
  payment,
  paymentMethod,
  subscription,
  tag,
  tagDefinition,
  tenant,
  today,
  transaction,
} from '../support/storage/stored-records.ts';

type Owner = ReturnType<typeof ownerOf>;

interface Identified {
  readonly id: Uuid;
}

/**
 * How to create two records of a kind, the second with null in every nullable field, to store them and to find them.
 */
interface Kind {
  make(owner: Owner): readonly Identified[];
  insert(session: WriteSession, records: readonly never[]): Promise<unknown>;
  find(session: ReadSession, ids: readonly Uuid[]): Promise<readonly Identified[]>;
}

const monthly = event('CREATE', '2026-01-01', { price: '30.00', fixed: '5.00', catalogDate: '2025-06-01' });
const kinds: Readonly<Record<string, Kind>> = {
  'tag definition': {
    make: () => [tagDefinition(), tagDefinition({ isActive: false, applicableObjectTypes: ['TAG'] })],
    insert: (session, records) => session.tags.insertDefinitions(records),
    find: (session, ids) => session.tags.findDefinitionsByIds(ids),
  },
  tag: {
    make: (owner) => [tag(owner), tag(owner, { isActive: false })],
    insert: (session, records) => session.tags.insert(records),
    find: async (session, ids) => {
      const search = (id: Uuid) =>
        session.tags.search({ id, text: '\n', definitionIds: [] }, { offset: 0, limit: 9 });
      const active = (await Promise.all(ids.map(search))).flatMap(({ rows }) => rows);
      const all = await session.tags.findByObjects(
        'ACCOUNT',
        active.map(({ objectId }) => objectId),
        { includeDeleted: true },
      );
      return all.filter(({ id }) => ids.includes(id));
    },
  },
  'auto pay hold': {
    make: (owner) => [autoPayHold(owner), autoPayHold(owner)],
    insert: (session, records) => session.payments.insertHolds(records),
    find: async (session, ids) => {
      const { rows } = await session.accounts.page({ offset: 0, limit: 100 });
      const holds = await session.payments.findHoldsByAccounts(rows.map(({ id }) => id));
      return holds.filter(({ id }) => ids.includes(id));
    },
  },
  'custom field': {
    make: (owner) => [customField(owner), customField(owner, { name: 'second' })],
    insert: (session, records) => session.customFields.insert(records),
    find: (session, ids) => session.customFields.findByIds(ids),
  },
  bundle: {
    make: (owner) => [bundle(owner), bundle(owner, { externalKey: oddText })],
    insert: (session, records) => session.subscriptions.insertBundles(records),
    find: (session, ids) => session.subscriptions.findBundlesByIds(ids),
  },
  subscription: {
    make: (owner) => [subscription(owner), subscription(owner, { chargedThrough: null, migrated: false })],
    insert: (session, records) => session.subscriptions.insertSubscriptions(records),
    find: (session, ids) => session.subscriptions.findByIds(ids),
  },
  'lifecycle event': {
    make: (owner) => [
      lifecycleEvent(owner),
      lifecycleEvent(owner, { ...emptyFields(lifecycleEventFields), isActive: false }),
    ],
    insert: (session, records) => session.subscriptions.insertEvents(records),
    find: (session, ids) => session.subscriptions.findEventsByIds(ids),
  },
  invoice: {
    make: (owner) => [
      invoice(owner),
      invoice(owner, {
        ...emptyFields(invoiceFields),
        isMigration: false,
        isWrittenOff: true,
        isParentInvoice: false,
        amount: decimal('-0.1'),
        rawBalance: decimal('-99999999999999999999999999999.999999999'),
      }),
    ],
    insert: (session, records) => session.invoices.insertInvoices(records),
    find: (session, ids) => session.invoices.findByIds(ids),
  },
  'invoice item': {
    make: (owner) => [
      invoiceItem(owner),
      invoiceItem(owner, {
        ...emptyFields(invoiceItemFields),
        endDate: localDate(1999, 12, 31),
        repairable: decimal('0'),
      }),
    ],
    insert: (session, records) => session.invoices.insertItems(records),
    find: (session, ids) => session.invoices.findItemsByIds(ids),
  },
  'payment method': {
    make: (owner) => [paymentMethod(owner), paymentMethod(owner, { isActive: false, externalKey: oddText })],
    insert: (session, records) => session.payments.insertMethods(records),
    find: (session, ids) => session.payments.findMethodsByIds(ids),
  },
  payment: {
    make: (owner) => [payment(owner), payment(owner, { stateName: null, lastSuccessStateName: null })],
    insert: (session, records) => session.payments.insertPayments(records),
    find: (session, ids) => session.payments.findByIds(ids),
  },
  'payment transaction': {
    make: (owner) => [transaction(owner), transaction(owner, { ...emptyFields(paymentTransactionFields) })],
    insert: (session, records) => session.payments.insertTransactions(records),
    find: (session, ids) => session.payments.findTransactionsByIds(ids),
  },
  'payment attempt': {
    make: (owner) => [
      attempt(owner),
      attempt(owner, { ...emptyFields(paymentAttemptFields), pluginNames: [], isApiPayment: false }),
    ],
    insert: (session, records) => session.payments.insertAttempts(records),
    find: (session, ids) => session.payments.findAttemptsByIds(ids),
  },
};

eachDatabaseAndOneByOne.describe('record storage', (open, kind) => {
  const opened = sharedStorage(kind, open);
  const { reading, writing } = opened;
  let owner: Owner;
  before(async () => {
    const [stored] = await opened.newAccounts(1);
    owner = ownerOf(stored);
  });

  const read = <T>(work: (session: ReadSession) => Promise<T>) => opened.read(work);

  for (const [name, { make, insert, find }] of Object.entries(kinds))
    it(`preserves every field of each ${name}, full and empty, in insertion order`, async () => {
      const records = make(owner);
      await opened.write((session) => insert(session, records as readonly never[]));
      const found = await read((session) =>
        find(
          session,
          records.map(({ id }) => id),
        ),
      );
      expect(withoutRecordIds(found)).to.eql(records);
      const recordIds = found.map((record) => Reflect.get(record, 'recordId'));
      expect(recordIds).to.eql(recordIds.toSorted((a, b) => a - b));
    });

  it('preserves every field of an account, and finds the account by id, record id and key', async () => {
    const given = [account({}), account({ ...bareAccount, externalKey: oddText })];
    const stored = await writing.accounts.insert(given);
    expect(withoutRecordIds(stored)).to.eql(given);
    const ids = stored.map(({ id }) => id);
    expect(await reading.accounts.findByIds(ids)).to.eql(stored);
    expect(await reading.accounts.findByRecordIds(stored.map(({ recordId }) => recordId))).to.eql(stored);
    expect(await reading.accounts.findByKeys(stored.map(({ externalKey }) => externalKey))).to.eql(stored);

    const swapped = stored.map((record, index) => ({
      ...account(index === 0 ? bareAccount : {}),
      recordId: record.recordId,
      id: record.id,
      createdDate: record.createdDate,
    }));
    await writing.accounts.update(swapped);
    expect(await reading.accounts.findByIds(ids)).to.eql(swapped);
  });

  it('returns active blocking states with every field, ordered by effective instant and sequence', async () => {
    const blockedId = newId();
    const later = { at: (now + 1) as typeof now, date: today };
    const states = [
      blockingState(owner, { blockedId, effective: later, sequence: 1 }),
      blockingState(owner, { blockedId, sequence: 2, causedBy: null, isBlockEntitlement: true }),
      blockingState(owner, { blockedId, sequence: 1, isBlockChange: false, isBlockBilling: false }),
      blockingState(owner, { blockedId, isActive: false }),
    ];
    await writing.subscriptions.insertBlockingStates(states);
    const found = await reading.subscriptions.findBlockingStates([blockedId]);
    expect(withoutRecordIds(found)).to.eql([states[2], states[1], states[0]]);
  });

  it('returns the active blocking states of accounts and their objects, except service starts and cancellations', async () => {
    const stored = await opened.newAccounts(2);
    const [first, second] = stored.map(ownerOf);
    if (!first || !second) throw new Error('no accounts');
    const states = [
      blockingState(first, { effective: { at: (now + 1) as typeof now, date: today } }),
      blockingState(second, { type: 'ACCOUNT' }),
      blockingState(first, { stateName: 'ENT_BLOCKED' }),
      blockingState(first, { isActive: false }),
      blockingState(first, { stateName: 'ENT_STARTED' }),
      blockingState(first, { stateName: 'ENT_CANCELLED' }),
      blockingState(owner),
    ];
    await writing.subscriptions.insertBlockingStates(states);
    const found = await reading.subscriptions.findBlocksOfAccounts(stored.map(({ id }) => id));
    expect(withoutRecordIds(found)).to.eql([states[1], states[2], states[0]]);
  });

  it('returns active lifecycle events of subscriptions, ordered by effective instant and sequence', async () => {
    const subscriptionId = newId();
    const events = [
      lifecycleEvent(owner, { subscriptionId, sequence: 2 }),
      lifecycleEvent(owner, { subscriptionId, sequence: 1, type: 'CREATE' }),
      lifecycleEvent(owner, { subscriptionId, sequence: 3, isActive: false }),
    ];
    await writing.subscriptions.insertEvents(events);
    const found = await reading.subscriptions.findEvents([subscriptionId]);
    expect(withoutRecordIds(found)).to.eql([events[1], events[0]]);
  });

  it('returns bundles and subscriptions by key, account and bundle, with the charged-through date', async () => {
    const [stored] = await opened.newAccounts(1);
    const [first, second] = [bundle(ownerOf(stored)), bundle(ownerOf(stored))];
    const base = subscription(ownerOf(stored), { bundleId: first.id, chargedThrough: null });
    const addOn = subscription(ownerOf(stored), { bundleId: first.id, category: 'ADD_ON' });
    await opened.write(async (session) => {
      await session.subscriptions.insertBundles([first, second]);
      await session.subscriptions.insertSubscriptions([base, addOn]);
    });
    const chargedThrough = { at: now, date: localDate(2030, 1, 1) };
    await writing.subscriptions.setChargedThrough([{ subscriptionId: base.id, chargedThrough }]);
    const found = await read(async ({ subscriptions }) => ({
      byKey: await subscriptions.findBundlesByKeys([first.externalKey, 'unknown']),
      byAccount: await subscriptions.findBundlesByAccounts([stored.id]),
      byBundle: await subscriptions.findByBundles([first.id, second.id]),
      ofKey: await subscriptions.findByKeys([addOn.externalKey]),
      lastPage: await subscriptions.pageBundlesOfAccount(stored.id, { offset: 0, limit: -1 }),
    }));
    expect(withoutRecordIds(found.byKey)).to.eql([first]);
    expect(withoutRecordIds(found.byAccount)).to.eql([first, second]);
    expect(withoutRecordIds(found.byBundle)).to.eql([{ ...base, chargedThrough }, addOn]);
    expect(withoutRecordIds(found.ofKey)).to.eql([addOn]);
    expect(withoutRecordIds(found.lastPage.rows)).to.eql([second]);
    expect([found.lastPage.total, found.lastPage.max]).to.eql([2, 2]);
  });

  it('returns bundles with current and former keys, by page and by search', async () => {
    const [stored] = await opened.newAccounts(1);
    const [first, second, third] = ['K', 'K', 'J'].map((externalKey) =>
      bundle(ownerOf(stored), { externalKey }),
    );
    if (!first || !second || !third) throw new Error('no bundles');
    await writing.subscriptions.insertBundles([first]);
    await opened.write(async (session) => {
      await session.subscriptions.setBundleKeys([{ ...first, retiredKey: 'kbtsf-1:K' }]);
      await session.subscriptions.insertBundles([second, third]);
    });
    const all = { offset: 0, limit: 100 };
    const idsOf = ({ rows }: Page<Bundle>) => rows.map(({ id }) => id);
    await read(async ({ subscriptions }) => {
      expect(withoutRecordIds(await subscriptions.findBundlesByKeys(['K', 'J']))).to.eql([
        { ...first, retiredKey: 'kbtsf-1:K' },
        second,
        third,
      ]);
      expect(idsOf(await subscriptions.pageBundles({ offset: 0, limit: -2 }))).to.eql([third.id, second.id]);
      const text = async (key: string, id: Uuid | null) => {
        const found = await subscriptions.searchBundles({ kind: 'text', id, text: key }, all);
        expect(found.total).to.equal(found.rows.length);
        expect(found.max).to.be.at.least(3);
        return idsOf(found);
      };
      expect(await text('K', null)).to.eql([first.id, second.id]);
      expect(await text('kbtsf-1:K', null)).to.eql([]);
      expect(await text(second.id, second.id)).to.eql([second.id]);
      expect(await text(stored.id, stored.id)).to.eql([first.id, second.id, third.id]);
      const clauses = [{ property: 'externalKey', type: 'text', operator: 'like', value: 'k%' }] as const;
      const found = await subscriptions.searchBundles({ kind: 'clauses', clauses }, all);
      expect(idsOf(found)).to.eql([first.id, second.id]);
    });
  });

  it('returns invoices by account and filter, updates amounts and repairable flags, and numbers invoices without gaps', async () => {
    const [stored] = await opened.newAccounts(1);
    const owned = ownerOf(stored);
    const paid = invoice(owned, {
      targetDate: localDate(2026, 1, 1),
      rawBalance: decimal('0'),
      isMigration: false,
    });
    const owed = invoice(owned, {
      targetDate: localDate(2026, 2, 1),
      rawBalance: decimal('0.01'),
      isMigration: false,
    });
    const negative = invoice(owned, {
      targetDate: null,
      rawBalance: decimal('-5'),
      isMigration: false,
      status: 'VOID',
    });
    const migrated = invoice(owned, { targetDate: localDate(2025, 1, 1) });
    const item = invoiceItem(owned, { invoiceId: owed.id });
    await opened.write(async (session) => {
      await session.invoices.insertInvoices([negative, owed, paid, migrated]);
      await session.invoices.insertItems([item]);
    });
    const list = async (filter: Partial<Parameters<ReadSession['invoices']['listOfAccounts']>[1]>) => {
      const rows = await reading.invoices.listOfAccounts([stored.id], {
        withMigration: false,
        openOnly: false,
        ...filter,
      });
      return rows.map(({ id }) => id);
    };
    expect(await list({ withMigration: true })).to.eql([migrated.id, paid.id, owed.id, negative.id]);
    expect(await list({ openOnly: true })).to.eql([owed.id]);
    expect(await reading.invoices.findOpen([stored.id])).to.have.length(1);
    expect(await list({ statuses: ['VOID'] })).to.eql([negative.id]);
    expect(await list({ ids: [paid.id] })).to.eql([paid.id]);
    expect(await list({ startDate: localDate(2026, 1, 1), endDate: localDate(2026, 1, 1) })).to.eql([
      paid.id,
    ]);

    const amounts = {
      amount: hugeAmount,
      creditAdj: decimal('1.5'),
      refundAdj: decimal('2'),
      rawBalance: decimal('3.000000001'),
    };
    await opened.write(async (session) => {
      await session.invoices.setAmounts([{ invoiceId: owed.id, ...amounts }]);
      await session.invoices.setRepairable([{ id: item.id, repairable: decimal('0.5') }]);
    });
    expect(withoutRecordIds(await reading.invoices.findByIds([owed.id]))).to.eql([{ ...owed, ...amounts }]);
    expect(withoutRecordIds(await reading.invoices.findItems([owed.id]))).to.eql([
      { ...item, repairable: decimal('0.5') },
    ]);

    const rewritten = {
      ...item,
      amount: decimal('7.5'),
      repairable: decimal('7.25'),
      description: 'rewritten',
      rate: decimal('2.5'),
      quantity: decimal('3'),
      itemDetails: '{}',
    };
    await writing.invoices.rewriteItems([rewritten]);
    expect(withoutRecordIds(await reading.invoices.findItems([owed.id]))).to.eql([rewritten]);
    await writing.invoices.rewriteItems([item]);

    expect(await writing.invoices.takeInvoiceNumbers(3)).to.equal(1);
    await opened
      .write(async (session) => {
        await session.invoices.takeInvoiceNumbers(10);
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await writing.invoices.takeInvoiceNumbers(1)).to.equal(4);
    expect(await writing.payments.takePaymentNumbers(1)).to.equal(1);
  });

  it('preserves facts about item amounts and reads them only on request', async () => {
    const event = { type: 'CREATE' as const, effectiveDate: now, localDate: today };
    const basis = { kind: 'FIXED' as const, event, price: hugeAmount, quantity: 3, discounts: null };
    const [fixed, given] = [invoiceItem(owner), invoiceItem(owner)];
    await opened.write(async (session) => {
      await session.invoices.insertItems([{ ...fixed, basis }, given]);
      await session.invoices.setRepairable([{ id: fixed.id, repairable: decimal('0.5') }]);
    });
    const found = await reading.invoices.findItemsByIds([fixed.id, given.id]);
    expect(withoutRecordIds(found)).to.eql([{ ...fixed, repairable: decimal('0.5') }, given]);
    expect([...(await reading.invoices.findItemBases([fixed.id, given.id]))]).to.eql([[fixed.id, basis]]);
  });

  it('returns coverage rows of a window by kind and by item, and replaces them', async () => {
    const subscriptionId = newId();
    const from = localDate(2026, 2, 1);
    const past = coverageRow({ subscriptionId, startDate: localDate(2026, 1, 1), endDate: from });
    const open = coverageRow({
      subscriptionId,
      startDate: localDate(2026, 1, 31),
      endDate: localDate(2026, 3, 1),
    });
    const oldFixed = coverageRow({
      subscriptionId,
      kind: 'FIXED',
      endDate: null,
      rate: null,
      startDate: localDate(2026, 1, 31),
    });
    const free = coverageRow({ subscriptionId, kind: 'FREE', startDate: from, amount: decimal('0') });
    const rows = [past, open, oldFixed, free];
    await opened.write(async (session) => {
      await session.invoices.insertItems(
        rows.map(({ itemId: id, startDate, endDate }) =>
          invoiceItem(owner, { id, subscriptionId, startDate, endDate }),
        ),
      );
      await session.invoices.insertCoverage(rows, () => owner.accountRecordId);
    });
    const load = async (start: typeof from | null) =>
      withoutRecordIds(await reading.invoices.loadCoverage([{ subscriptionId, from: start }])).map(
        withoutAccount,
      );
    expect(await load(from)).to.eql([open, free]);
    expect(await load(null)).to.eql(rows);

    const shorter = { ...open, endDate: localDate(2026, 2, 15), amount: decimal('14.98') };
    await writing.invoices.replaceCoverage([open.itemId], [shorter], () => owner.accountRecordId);
    const rest = { ...open, startDate: localDate(2026, 2, 20), amount: decimal('9.12') };
    const ofItems = async () =>
      withoutRecordIds(
        await reading.invoices.loadCoverageOfItems([open.itemId, oldFixed.itemId, free.itemId]),
      ).map(withoutAccount);
    expect(await ofItems()).to.eql([oldFixed, free, shorter]);
    await writing.invoices.replaceCoverage(
      [open.itemId, free.itemId],
      [shorter, rest],
      () => owner.accountRecordId,
    );
    expect(await ofItems()).to.eql([oldFixed, shorter, rest]);
    await writing.invoices.replaceCoverage([open.itemId, oldFixed.itemId], [], () => owner.accountRecordId);
    expect(await ofItems()).to.eql([]);
    expect(await load(null)).to.eql([past]);
  });

  it('keeps the stored charge of a cursor or replaces it on request', async () => {
    const [owner] = await opened.newAccounts(1);
    const charged = cursor(ownerOf(owner), {});
    const made = [charged, cursor(ownerOf(owner), {})].map((each) => ({
      ...each,
      ongoing: { event: { ...monthly, subscriptionId: each.subscriptionId } },
    }));
    await writing.invoices.saveCursors(made);
    const [kept, told] = await reading.invoices.cursorsOfAccounts([owner.id]);
    if (!kept || !told) throw new Error('no cursors');
    const moved = ({ ongoing, ...cursor }: StoredCursor) => ({
      ...cursor,
      settledThrough: localDate(2026, 4, 1),
      ongoing: ongoing && { event: { ...ongoing.event, quantity: 2 } },
    });
    await writing.invoices.saveCursors([
      { ...moved(kept), keepsOngoing: true },
      { ...moved(told), keepsOngoing: false },
    ]);
    expect(await reading.invoices.cursorsOfAccounts([owner.id])).to.eql([
      { ...moved(kept), ongoing: kept.ongoing },
      moved(told),
    ]);
    expect(kept.ongoing).to.eql(made[0]?.ongoing);
  });

  it('returns active tags of one definition on given objects of given accounts', async () => {
    const [first, second, other] = await opened.newAccounts(3);
    const definitionId = newId();
    const carried = { tagDefinitionId: definitionId, objectType: 'BUNDLE' } as const;
    const sought = [tag(ownerOf(first), carried), tag(ownerOf(second), carried)];
    await writing.tags.insert([
      ...sought,
      tag(ownerOf(first), { ...carried, isActive: false }),
      tag(ownerOf(first), { ...carried, objectType: 'ACCOUNT' }),
      tag(ownerOf(first), { ...carried, tagDefinitionId: newId() }),
      tag(ownerOf(other), carried),
    ]);
    const of = { objectType: 'BUNDLE', definitionIds: [definitionId] } as const;
    const found = await reading.tags.findCarried([first.recordId, second.recordId], of);
    expect(found.map(({ id }) => id)).to.eql(sought.map(({ id }) => id));
    expect(await reading.tags.findCarried([], of)).to.eql([]);
  });

  it('returns cursors that are due on their account’s date or based on an older catalog, and saves them again', async () => {
    const [first, second] = await opened.newAccounts(2);
    const settled = (account: Account, changes: Partial<StoredCursor>) =>
      cursor(ownerOf(account), {
        settledThrough: today,
        dirtyFrom: null,
        nextDueDate: localDate(2026, 3, 1),
        catalogRevision: 1,
        itemsDate: today,
        itemsCount: 3,
        usage: null,
        ...changes,
      });
    const notDue = settled(first, {});
    const fresh = settled(first, { settledThrough: null, nextDueDate: null });
    const dirty = settled(first, { dirtyFrom: today });
    const dueThere = settled(second, {});
    const behind = settled(second, { nextDueDate: null, catalogRevision: 0 });
    const unknown = settled(second, { nextDueDate: null, catalogRevision: null });
    await writing.invoices.saveCursors([notDue, fresh, dirty, dueThere, behind, unknown]);
    const due = await reading.invoices.dueCursors([
      { accountId: first.id, targetDate: localDate(2026, 2, 28), catalogRevision: 1, usageSettings: null },
      { accountId: second.id, targetDate: localDate(2026, 3, 1), catalogRevision: 1, usageSettings: null },
    ]);
    expect(withoutRecordIds(due)).to.eql([fresh, dirty, dueThere, behind, unknown]);
    const accountsBehind = (catalogRevision: number, afterRecordId: number) =>
      reading.invoices.accountsBehind({ catalogRevision, afterRecordId, limit: 1 });
    expect(await accountsBehind(1, first.recordId - 1)).to.eql([second.recordId]);
    expect(await accountsBehind(2, first.recordId - 1)).to.eql([first.recordId]);
    expect(await accountsBehind(2, first.recordId)).to.eql([second.recordId]);
    expect(await accountsBehind(2, second.recordId)).to.eql([]);

    const saved = {
      ...fresh,
      settledThrough: localDate(2026, 4, 1),
      nextDueDate: localDate(2026, 5, 1),
      catalogRevision: 2,
      itemsDate: today,
      itemsCount: 3,
      usage: null,
      ongoing: {
        event: {
          ...monthly,
          subscriptionId: fresh.subscriptionId,
          bundleId: newId(),
          totalOrdering: 2 ** 52 + 7,
          phasePrettyName: 'é"',
        },
      },
    };
    await writing.invoices.saveCursors([saved]);
    const all = await reading.invoices.cursorsOfAccounts([first.id]);
    expect(withoutRecordIds(all)).to.eql([notDue, saved, dirty]);
    const found = await reading.invoices.findCursors([saved.subscriptionId, newId()]);
    expect(withoutRecordIds(found)).to.eql([saved]);
  });

  it('updates loaded cursors, inserts new cursors and rejects a missing cursor', async () => {
    const [stored] = await opened.newAccounts(1);
    const fresh = () => cursor(ownerOf(stored), {});
    const changes = {
      settledThrough: localDate(2026, 4, 1),
      dirtyFrom: null,
      nextDueDate: localDate(2026, 5, 1),
      catalogRevision: 2,
      itemsDate: today,
      itemsCount: 3,
      usage: null,
    };
    const cursorsNow = () => reading.invoices.cursorsOfAccounts([stored.id]);
    const save = (cursors: readonly StoredCursor[]) => writing.invoices.saveCursors(cursors);

    const [one, other, unread] = [fresh(), fresh(), fresh()];
    await save([one, other, unread]);
    const [first, second, third] = await cursorsNow();
    if (!first || !second || !third) throw new Error('no cursor');
    // Unchanged properties keep their value, and each cursor gets its own.
    const saved = { ...first, ...changes };
    await save([saved]);
    expect(await cursorsNow()).to.eql([saved, second, third]);

    const dirtied = { ...second, dirtyFrom: localDate(2026, 1, 3) };
    const reset = {
      ...saved,
      settledThrough: null,
      nextDueDate: null,
      catalogRevision: null,
      itemsDate: null,
    };
    const added = fresh();
    await save([dirtied, added, { ...unread, ...changes }, reset]);
    const all = await cursorsNow();
    expect(all.slice(0, 3)).to.eql([reset, dirtied, { ...third, ...changes }]);
    expect(withoutRecordIds(all.slice(3))).to.eql([added]);

    const gone = { ...first, recordId: (all.at(-1)?.recordId ?? 0) + 100 };
    const refused = await rejection(save([{ ...second, ...changes }, fresh(), gone]));
    expect(refused.name).to.equal('InvariantError');
    expect(await cursorsNow()).to.eql(all);

    await save(Array.from({ length: 1_000 }, fresh));
    const many = (await cursorsNow()).map((each, index) => ({ ...each, itemsCount: index }));
    await save([...many.slice(500), ...many.slice(0, 500)]);
    expect(await cursorsNow()).to.eql(many);
  });

  it('inserts invoicing states at version 0 and increments the version on each write', async () => {
    const [stored] = await opened.newAccounts(1);
    const state = {
      ...ownerOf(stored),
      maxTargetDate: today,
      accountCBA: hugeAmount,
      accountBalance: decimal('-1.5'),
      version: 0,
    };
    await writing.invoices.saveStates([state]);
    const changed = { ...state, version: 1, maxTargetDate: null, accountCBA: decimal('0') };
    await writing.invoices.saveStates([changed]);
    const found = await reading.invoices.loadStates([stored.id, newId()]);
    expect(withoutRecordIds(found)).to.eql([{ ...changed, version: 2 }]);
  });

  it('returns payments by account and key with their state, and updates a transaction only from the expected status', async () => {
    const [stored] = await opened.newAccounts(1);
    const owned = ownerOf(stored);
    const kept = paymentMethod(owned);
    const deleted = paymentMethod(owned, { isActive: false });
    const paid = payment(owned, { stateName: null, lastSuccessStateName: null });
    const purchase = transaction(owned, { paymentId: paid.id, status: 'UNKNOWN' });
    const tried = attempt(owned);
    const settled = invoicePayment(owned, { status: 'INIT', paymentId: null, linkedInvoicePaymentId: null });
    await opened.write(async ({ payments }) => {
      await payments.insertMethods([kept, deleted]);
      await payments.insertPayments([paid]);
      await payments.insertTransactions([purchase]);
      await payments.insertAttempts([tried]);
      await payments.insertInvoicePayments([settled]);
    });
    const methods = await read(async ({ payments }) => ({
      byKey: await payments.findMethodsByKeys([deleted.externalKey]),
      active: await payments.findMethodsByAccounts([stored.id], { includeDeleted: false }),
      all: await payments.findMethodsByAccounts([stored.id], { includeDeleted: true }),
    }));
    expect(withoutRecordIds(methods.byKey)).to.eql([deleted]);
    expect(withoutRecordIds(methods.active)).to.eql([kept]);
    expect(withoutRecordIds(methods.all)).to.eql([kept, deleted]);

    const [payment1] = await reading.payments.findByAccounts([stored.id]);
    const [transaction1] = await reading.payments.findTransactions([paid.id]);
    const [attempt1] = await reading.payments.findAttemptsByPaymentKeys([tried.paymentExternalKey]);
    const [row1] = await reading.payments.findInvoicePaymentsByInvoices([settled.invoiceId]);
    if (!payment1 || !transaction1 || !attempt1 || !row1) throw new Error('not found');
    const result = {
      ...transaction1,
      status: 'SUCCESS',
      processedAmount: hugeAmount,
      leaseUntil: null,
    } as const;
    const doneAttempt = { ...attempt1, stateName: 'SUCCESS', transactionId: newId() } as const;
    const doneRow = { ...row1, status: 'SUCCESS', paymentId: paid.id, amount: decimal('5.00') } as const;
    const donePayment = { ...payment1, stateName: 'A', lastSuccessStateName: 'B' };
    const written = await opened.write(async ({ payments }) => {
      await payments.updatePayments([donePayment]);
      await payments.updateAttempts([doneAttempt]);
      await payments.updateInvoicePayments([doneRow]);
      return payments.updateTransactions([{ transaction: result, expected: 'UNKNOWN' }]);
    });
    expect(written).to.eql([purchase.id]);
    const late = await writing.payments.updateTransactions([
      { transaction: { ...result, status: 'PENDING' }, expected: 'UNKNOWN' },
    ]);
    expect(late).to.eql([]);
    const after = await read(async ({ payments }) => [
      ...(await payments.findByIds([paid.id])),
      ...(await payments.findTransactionsByIds([purchase.id])),
      ...(await payments.findAttemptsByIds([tried.id])),
      ...(await payments.findInvoicePaymentsByPayments([paid.id])),
    ]);
    expect(after).to.eql([donePayment, result, doneAttempt, doneRow]);
  });

  it('preserves the request of a payment transaction with any outcome', async () => {
    const [stored] = await opened.newAccounts(1);
    const asked = transaction(ownerOf(stored), { status: 'UNKNOWN' });
    await writing.payments.insertTransactions([asked]);
    const [found] = await reading.payments.findTransactionsByIds([asked.id]);
    if (!found) throw new Error('not found');
    const outcome = { status: 'SUCCESS', leaseUntil: null, gatewayErrorCode: 'code' } as const;
    const other = transaction(ownerOf(stored), { transactionType: 'VOID', amount: null, currency: null });
    const told = { ...found, ...other, id: asked.id, effectiveDate: instant(1), ...outcome };
    await writing.payments.updateTransactions([{ transaction: told, expected: 'UNKNOWN' }]);
    const [after] = await reading.payments.findTransactionsByIds([asked.id]);
    const { processedAmount, processedCurrency, gatewayErrorMsg, attemptId, invoiceRefund } = told;
    const changed = { processedAmount, processedCurrency, gatewayErrorMsg, attemptId, invoiceRefund };
    expect(after).to.eql({ ...found, ...changed, ...outcome });
  });

  it('keeps the first of two active holds of an invoice, regardless of the request order', async () => {
    const [one, other] = await opened.newAccounts(2);
    const first = autoPayHold(ownerOf(one));
    const second = autoPayHold(ownerOf(other), { invoiceId: first.invoiceId });
    await writing.payments.insertHolds([first]);
    await writing.payments.insertHolds([second]);
    const holdsOf = () => reading.payments.findHoldsByInvoices([first.invoiceId]);
    const active = await holdsOf();
    expect(withoutRecordIds(active)).to.eql([first]);
    await writing.payments.endHolds(active);
    await writing.payments.insertHolds([second]);
    expect(withoutRecordIds(await holdsOf())).to.eql([second]);
  });

  it('returns open invoice refunds by account and stores whether they have adjusted the invoice', async () => {
    const [one, other] = await opened.newAccounts(2);
    const refund = (status: PaymentTransaction['status'], owner: Account = one, changes = {}) =>
      transaction(ownerOf(owner), {
        status,
        leaseUntil: null,
        transactionType: 'CREDIT',
        invoiceRefund: invoiceRefund(),
        ...changes,
      });
    const [unknown, pending, ofOther] = [refund('UNKNOWN'), refund('PENDING'), refund('PENDING', other)];
    const ended = [refund('SUCCESS'), refund('PAYMENT_FAILURE'), refund('PLUGIN_FAILURE')];
    const plain = refund('PENDING', one, { invoiceRefund: null });
    await writing.payments.insertTransactions([unknown, ...ended, ofOther, plain, pending]);
    const openOf = (...of: readonly Account[]) =>
      reading.payments.findOpenInvoiceRefunds(of.map(({ recordId }) => recordId));
    const found = await openOf(one);
    expect(withoutRecordIds(found)).to.eql([unknown, pending]);
    expect(withoutRecordIds(await openOf(one, other))).to.eql([unknown, ofOther, pending]);
    expect(await openOf()).to.eql([]);
    const applied = { ...unknown.invoiceRefund, isApplied: true };
    const changes = found.slice(0, 1).map((each) => ({
      transaction: { ...each, status: 'SUCCESS', invoiceRefund: applied } as PaymentTransaction,
      expected: each.status,
    }));
    await writing.payments.updateTransactions(changes);
    expect(withoutRecordIds(await openOf(one))).to.eql([pending]);
    const [after] = await reading.payments.findTransactionsByIds([unknown.id]);
    expect(after?.invoiceRefund).to.eql(applied);
  });

  it('returns catalog versions by effective date, stores equal parts once and increments the revision per upload', async () => {
    const late = catalogVersion({});
    const { frame, products, plans } = late.parts;
    const shape = catalogPart({ kind: CatalogPartKind.SHAPE });
    const added = catalogPart({ shape, forExisting: now });
    // More than fit into one row.
    const similar = Array.from({ length: 70 }, () => catalogPart({ shape }));
    const early = catalogVersion({
      effectiveDate: (now - 1) as typeof now,
      parts: { frame, products, plans: [...plans, added, ...similar] },
    });
    const again = catalogVersion({ effectiveDate: (now + 1) as typeof now, parts: late.parts });
    expect(await writing.catalogs.insert([late, early])).to.equal(late.id);
    await writing.catalogs.insert([again]);
    const { versions, contents, parts, revision } = await read(async ({ catalogs }) => {
      const listed = await catalogs.versions();
      const found = await catalogs.contents(listed.map(({ recordId }) => recordId));
      const compositions = found.map(({ content }) => content as CatalogComposition);
      const ids = compositions.flatMap((each) => [each.frame, ...each.products, ...each.plans]);
      return {
        versions: listed,
        contents: listed.map(({ recordId }) => found.find((each) => each.recordId === recordId)?.content),
        parts: await catalogs.parts([...new Set(ids)]),
        revision: await catalogs.revision(),
      };
    });
    expect(withoutRecordIds(versions)).to.eql(
      [
        { ...early, revision: 1 },
        { ...late, revision: 1 },
        { ...again, revision: 2 },
      ].map(({ sourceText: _, parts: __, ...listed }) => listed),
    );
    const [shapeRecordId] = parts.flatMap((part) => part.shapeRecordId ?? []);
    const stored = ({ contentHash: _, shape: own, ...part }: NewCatalogPart) => ({
      ...part,
      shapeRecordId: own && shapeRecordId,
    });
    expect(withoutRecordIds(parts)).to.have.deep.members(
      [frame, ...products, ...plans, added, ...similar].map(stored),
    );
    const [storedShape] = await reading.catalogs.parts([shapeRecordId ?? 0]);
    expect(storedShape).to.eql({ recordId: shapeRecordId, ...stored(shape) });
    const idOf = (part: NewCatalogPart) =>
      parts.find(({ kind, text }) => kind === part.kind && text === part.text)?.recordId;
    const composition = { frame: idOf(frame), products: products.map(idOf), plans: plans.map(idOf) };
    expect(contents).to.eql([
      { ...composition, plans: [...composition.plans, idOf(added), ...similar.map(idOf)] },
      composition,
      composition,
    ]);
    expect(revision).to.equal(2);
  });

  it('returns numbered override plans by name and by overrides, without a new catalog revision', async () => {
    const [one, two] = [
      overridePlan({ planName: oddText, parentPlanName: oddText, overrides: oddText, overrideHash: oddText }),
      overridePlan({ number: 9, planName: 'gold-monthly-9', overrideHash: 'other' }),
    ];
    await opened.write(async ({ catalogs }) => {
      const before = await catalogs.revision();
      await catalogs.insertOverridePlans([one, two]);
      expect(await catalogs.lastOverridePlanNumber()).to.equal(9);
      expect(await catalogs.revision()).to.equal(before);
    });
    const found = await read(async ({ catalogs, audit }) => ({
      byName: await catalogs.findOverridePlans([oddText, 'gold-monthly-8']),
      byOverrides: await catalogs.findOverridePlansOf([
        { parentPlanName: 'gold-monthly', overrideHash: 'other' },
        { parentPlanName: 'gold-monthly', overrideHash: oddText },
      ]),
      audited: await audit.findByTargets([two.id]),
    }));
    expect(withoutRecordIds(found.byName)).to.eql([one]);
    expect(withoutRecordIds(found.byOverrides)).to.eql([two]);
    expect(found.audited.map(({ tableName, changeType }) => [tableName, changeType])).to.eql([
      ['OVERRIDE_PLANS', 'INSERT'],
    ]);
  });

  it('preserves tenants, users and the test clock', async () => {
    const { system } = opened.storage;
    const given = tenant({ externalKey: null, useGlobalDefault: false, catalogRevision: 4 });
    const stored = await system.insertTenant(given, author());
    expect(withoutRecordIds([stored])).to.eql([given]);
    expect(await system.findTenantsByIds([given.id])).to.eql([stored]);
    expect(await system.findTenantsByRecordIds([stored.recordId])).to.eql([stored]);
    expect(await system.findTenantByApiKey(given.apiKey)).to.eql(stored);
    expect(await system.findTenantByApiKey('unknown')).to.equal(null);

    const user = {
      id: newId(),
      name: oddText,
      passwordHash: 'hash',
      credentialVersion: 2,
      permissions: ['account:create', oddText],
      roles: ['clerk', oddText],
      allTenants: true,
      tenantIds: [newId()],
      isActive: false,
    };
    expect(await system.insertUserIfAbsent(user)).to.equal(true);
    expect(await system.insertUserIfAbsent({ ...user, id: newId() })).to.equal(false);
    const found = await system.findUserByName(oddText);
    expect(found && withoutRecordIds([found])).to.eql([user]);
    expect(await system.findUserByName('unknown')).to.equal(null);

    const { security } = opened.storage;
    const role = { id: newId(), name: oddText, permissions: ['account:create', oddText] };
    expect(await security.insertRole(role, author())).to.equal(true);
    expect(await security.insertRole({ ...role, id: newId() }, author())).to.equal(false);
    expect(withoutRecordIds(await security.findRoles([oddText, 'unknown']))).to.eql([role]);
    const client = {
      id: newId(),
      name: oddText,
      secretHash: 'hash',
      credentialVersion: 2,
      roles: [oddText],
      allTenants: false,
      tenantIds: [newId()],
      isActive: true,
    };
    expect(await security.insertClient(client, author())).to.equal(true);
    const read = await security.findClientByName(oddText);
    expect(read && withoutRecordIds([read])).to.eql([client]);
    const session = {
      id: newId(),
      tokenHash: 'of a token',
      userName: oddText,
      credentialVersion: 2,
      startedMs: 5,
      lastAccessMs: 6,
      host: null,
    };
    expect(await security.insertSession(session)).to.equal(true);
    expect(await security.insertSession({ ...session, id: newId() })).to.equal(false);
    await security.touchSession(session.id, 9);
    const touched = await security.findSession('of a token');
    expect(touched && withoutRecordIds([touched])).to.eql([{ ...session, lastAccessMs: 9 }]);
    await security.purgeSessions(10);
    expect(await security.findSession('of a token')).to.equal(null);
    const key = {
      id: newId(),
      kid: 'k',
      publicKey: { kty: 'RSA', n: oddText },
      privateKey: 'x',
      createdMs: 7,
    };
    await security.insertSigningKey(key, 6);
    await security.insertSigningKey({ ...key, id: newId(), kid: 'later' }, 6);
    expect(withoutRecordIds(await security.listSigningKeys())).to.eql([key]);
    await security.deleteSigningKeys([newId()]);
    expect(await security.listSigningKeys()).to.have.length(1);
    await security.deleteSigningKeys([key.id]);
    expect(await security.listSigningKeys()).to.eql([]);

    expect(await system.readTestClock()).to.equal(null);
    await system.writeTestClock({ base: now, setAtMs: 5 });
    await system.writeTestClock({ base: now, setAtMs: 6 });
    expect(await system.readTestClock()).to.eql({ base: now, setAtMs: 6 });
    await system.writeTestClock(null);
    expect(await system.readTestClock()).to.equal(null);
    await system.ping();
    const before = Date.now();
    expect(await system.nowMs()).to.be.within(before - 1_000, Date.now() + 1_000);
  });

  it('rejects strings that no database can store, and finds no rows for them', async () => {
    for (const text of ['NUL \0 inside', 'half \ud83d a pair']) {
      const refused = await rejection(writing.accounts.insert([account({ name: text })]));
      expect(refused.code).to.equal(ErrorCode.INVALID_PARAMETER);
      expect(await reading.accounts.findByKeys([text])).to.eql([]);
      expect(await opened.storage.system.findUserByName(text)).to.equal(null);
      expect(await opened.storage.system.findTenantByApiKey(text)).to.equal(null);
      await opened.write(async (session) =>
        session.publish([
          { type: 'ACCOUNT_CHANGE', accountRecordId: owner.accountRecordId, payload: { text } },
        ]),
      );
    }
  });

  it('returns pages in both directions, with totals', async () => {
    const other = await opened.newTenant();
    const accounts = await opened.storage.write(other, author(), (session) =>
      session.accounts.insert([account({}), account({}), account({})]),
    );
    const page = async (offset: number, limit: number) => {
      const found = await opened.storage.read(other, (session) => session.accounts.page({ offset, limit }));
      expect([found.total, found.max]).to.eql([3, 3]);
      return found.rows.map(({ id }) => accounts.findIndex((each) => each.id === id));
    };
    expect(await page(0, 2)).to.eql([0, 1]);
    expect(await page(2, 2)).to.eql([2]);
    expect(await page(0, -2)).to.eql([2, 1]);
    expect(await page(5, 2)).to.eql([]);
  });
});

function withoutRecordIds(records: readonly object[]): readonly object[] {
  return records.map((record) => {
    const { recordId, ...rest } = record as { readonly recordId?: unknown };
    expect(recordId).to.be.a('number').greaterThan(0);
    return rest;
  });
}

function withoutAccount(row: object): object {
  const { accountRecordId: _, ...rest } = row as { readonly accountRecordId?: unknown };
  return rest;
}
