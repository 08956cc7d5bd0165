import type { Account, Page, TenantRef } from '../../lib/index.ts';
import type { ReadSession, UsageStretch, WriteSession } from '../../lib/ports/storage/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { instant, localDate } from '../../lib/values/time/index.ts';
import { eachDatabaseAndSuperuser, expect } from '../support/index.ts';
import { storeDeliveries } from '../support/push/stored-deliveries.ts';
import { catalogEntry, planRow } from '../support/storage/entry-records.ts';
import { type OpenedStorage, rejection, sharedStorage } from '../support/storage/opened-storage.ts';
import {
  account,
  accountEmail,
  attempt,
  author,
  autoPayHold,
  blockingState,
  bundle,
  catalogVersion,
  coverageRow,
  cursor,
  customField,
  delivery,
  hugeAmount,
  invoice,
  invoiceItem,
  invoicePayment,
  lifecycleEvent,
  newId,
  now,
  overridePlan,
  ownerOf,
  payment,
  paymentMethod,
  subscription,
  tag,
  tagDefinition,
  today,
  transaction,
} from '../support/storage/stored-records.ts';
import { dayAt, instantAt, point, submission, usageInterval } from '../support/storage/stored-usage.ts';

const page = { offset: 0, limit: 100 };
const deliveryId = newId();
const FORMER_KEY = 'key before a rename';
const stretch: UsageStretch = {
  start: instantAt(0),
  end: instantAt(1, 1),
  wholeDays: { first: dayAt(0), last: dayAt(0) },
  cutDays: [dayAt(1)],
};

const hours = { day: dayAt(0), start: instantAt(0), end: instantAt(1) };

eachDatabaseAndSuperuser((kind, open) => {
  describe('tenant isolation in storage', () => {
    const opened = sharedStorage(kind, open);
    let stranger: TenantRef;
    let catalogRows: Awaited<ReturnType<typeof catalogRowsOf>>;
    let acme: Account;
    let all: Awaited<ReturnType<typeof fill>>;
    before(async () => {
      stranger = await opened.newTenant();
      [acme] = await opened.newAccounts(1);
      all = await fill(opened, acme);
      const points = [point('sms', '5'), point('sms', '6', 1), point('sms', '7', 2)];
      const usage = submission('tracking id', points, { accountRecordId: acme.recordId });
      await opened.storage.recordUsage(opened.tenant, [usage]);
      await opened.writing.usage.record([
        submission('marked', [point('sms', '1')], { subscriptionRecordId: 2 }),
      ]);
      const billed = { subscriptionId: all.subscription.id, invoiceId: all.invoice.id };
      await opened.write(async (session) => {
        const gone = invoice(ownerOf(acme), { status: 'VOID', isParentInvoice: false });
        await session.invoices.insertInvoices([gone]);
        await session.usage.insertIntervals([
          usageInterval(billed),
          usageInterval({ ...billed, invoiceId: gone.id }),
        ]);
        const days = await session.usage.lockOpenDays([{ subscriptionRecordId: 1, before: dayAt(3) }], 10);
        const [day] = days.filter(({ localDate: date }) => date === dayAt(2));
        if (day)
          await session.usage.archive([{ ...day, pieces: [{ ...day, part: 'ALL', after: 0, upTo: 1 }] }]);
        const cursors = await session.invoices.cursorsOfAccounts([acme.id]);
        const usage = { from: dayAt(1), settings: 'usage', looked: null };
        await session.invoices.saveCursors(cursors.map((cursor) => ({ ...cursor, dirtyFrom: null, usage })));
      });
      catalogRows = await opened.read(catalogRowsOf);
      const delivered = delivery({ id: deliveryId, accountRecordId: acme.recordId });
      // The event creates a delivery, but no queue entry.
      await opened.storage.prepare({ isConsumed: ({ type }) => type !== 'ACCOUNT_CHANGE' });
      await storeDeliveries(opened, [delivered]);
      await opened.storage.prepare({ eventIdOf: () => null });
    });

    /** Calls every read of the port with the ids and keys of the tenant that `fill` has filled. */
    const readAll = (session: ReadSession): Readonly<Record<string, Promise<unknown>>> => {
      const {
        accounts,
        audit,
        catalogEntries,
        catalogs,
        customFields,
        deliveries,
        events,
        exports,
        invoices,
        overdue,
        payments,
        reports,
        subscriptions,
        tags,
        usage,
      } = session;
      const dates = { from: localDate(2000, 1, 1), to: localDate(2099, 1, 1) };
      const instants = { from: instant(0), to: instant(4_000_000_000_000) };
      const part = { after: null, limit: 100 };
      const list = { accountIds: [acme.id], filter: { withMigration: true, openOnly: false } };
      return {
        deliveries: deliveries.list({ accountId: acme.id }, page).then(counted),
        toldEvents: events.list({ after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100 }),
        lastEventId: deliveries.lastEventId().then((found) => (found === null ? [] : [found])),
        delivery: deliveries.find(deliveryId).then((found) => (found === null ? [] : [found])),
        findByIds: accounts.findByIds([acme.id]),
        findByRecordIds: accounts.findByRecordIds([acme.recordId]),
        findByKeys: accounts.findByKeys([acme.externalKey]),
        findAfter: accounts.findAfter({ afterRecordId: 0, limit: 100 }),
        page: accounts.page(page).then(counted),
        accountSearch: accounts.search({ kind: 'text', id: acme.id, text: 'acc' }, page).then(counted),
        exactAccount: accounts.findExactly(acme.externalKey, null).then((found) => (found ? [found] : [])),
        children: accounts.findChildren([acme.id]),
        withAncestors: accounts.findWithAncestors([acme.id]),
        emails: accounts.findEmails([acme.id]),
        emailsByIds: accounts.findEmailsByIds([all.email.id]),
        versions: catalogs.versions(),
        contents: catalogs.contents([catalogRows.version]),
        parts: catalogs.parts(catalogRows.parts),
        sources: catalogs.sources(),
        firstCatalog: catalogs.firstStored().then((at) => (at === null ? [] : [at])),
        overridePlans: catalogs.findOverridePlans([all.overridePlan.planName]),
        overridePlansOf: catalogs.findOverridePlansOf([all.overridePlan]),
        entriesOfScope: catalogEntries.ofScope(acme.recordId),
        entriesOfAccounts: catalogEntries.ofAccounts([acme.id]),
        entriesNamed: catalogEntries.named([all.entry.name]),
        entriesOfParents: catalogEntries.childrenOf([all.entry.parentId]),
        planRows: catalogEntries.rowsOf([all.planRow.planName]),
        accountEntries: catalogEntries.existForAccounts().then((exist) => (exist ? [exist] : [])),
        plansChangedSince: catalogEntries.plansChangedSince(0),
        usedPlans: catalogEntries.usedPlans([all.event.planName ?? '']),
        audit: audit.findByTargets([acme.id, all.bundle.id]),
        auditHistories: audit.findHistories([acme.id, all.bundle.id]),
        auditOfAccount: allOf(exports.auditEntriesOfAccount(acme.recordId)),
        exportedAudit: allOf(exports.auditOfAccount(acme.recordId)),
        exportedRows: Promise.all(
          exports.tablesOfAccount(acme.recordId).map((table) => allOf(table.rows())),
        ).then((rows) => rows.flat()),
        definitionsByIds: tags.findDefinitionsByIds([all.definition.id]),
        definitions: tags.listDefinitions(),
        definitionsInUse: tags.definitionsInUse([all.definition.id]),
        tagsByObjects: tags.findByObjects('ACCOUNT', [acme.id], { includeDeleted: true }),
        tagsByAccount: tags.findByAccount(acme.recordId, { objectType: null, includeDeleted: true }),
        tagsCarried: tags.findCarried([acme.recordId], {
          objectType: 'ACCOUNT',
          definitionIds: [all.tag.tagDefinitionId],
        }),
        tagPage: tags.page(page).then(counted),
        carriedPage: tags
          .pageCarried({ objectType: all.tag.objectType, definitionId: all.definition.id }, page)
          .then(counted),
        tagSearch: tags.search({ id: null, text: 'acc', definitionIds: [] }, page).then(counted),
        fieldsByIds: customFields.findByIds([all.custom.id]),
        fieldsByObjects: customFields.findByObjects('ACCOUNT', [acme.id]),
        fieldsByAccount: customFields.findByAccount(acme.recordId, { objectType: null }),
        fieldPage: customFields.page(page).then(counted),
        fieldSearch: customFields.search({ kind: 'text', id: null, text: 'acc' }, page).then(counted),
        bundlesByIds: subscriptions.findBundlesByIds([all.bundle.id]),
        bundlesByKeys: subscriptions.findBundlesByKeys([all.bundle.externalKey]),
        bundlesByPastKeys: subscriptions.findBundlesByPastKeys([FORMER_KEY]),
        bundlesByAccounts: subscriptions.findBundlesByAccounts([acme.id]),
        bundlePage: subscriptions.pageBundlesOfAccount(acme.id, page).then(counted),
        bundlesOfTenant: subscriptions.pageBundles(page).then(counted),
        bundleSearch: subscriptions
          .searchBundles({ kind: 'text', id: acme.id, text: all.bundle.externalKey }, page)
          .then(counted),
        subscriptionsByIds: subscriptions.findByIds([all.subscription.id]),
        subscriptionsByKeys: subscriptions.findByKeys([all.subscription.externalKey]),
        subscriptionsByAccounts: subscriptions.findByAccounts([acme.id]),
        subscriptionsByBundles: subscriptions.findByBundles([all.bundle.id]),
        events: subscriptions.findEvents([all.subscription.id]),
        withdrawnEvents: subscriptions.findWithdrawnEvents([all.subscription.id]),
        eventsByIds: subscriptions.findEventsByIds([all.event.id]),
        blockingStates: subscriptions.findBlockingStates([all.subscription.id]),
        blockingStatePage: subscriptions.pageBlockingStates([all.subscription.id], {
          after: null,
          limit: 10,
        }),
        blocks: subscriptions.findBlocksOfAccounts([acme.id]),
        latestBlocks: subscriptions.findLatestBlockingStates([acme.id], {
          service: 'overdue-service',
          at: now,
        }),
        overdueAccounts: overdue.findAccounts([acme.id]),
        overduePage: overdue.page({ afterAccountId: null, limit: 10 }),
        overdueStates: overdue.countStates(),
        overdueAccountPage: overdue.pageOverdue('LATE', page).then(counted),
        figures: reports.figures(['month:2026-01']),
        invoiceSums: reports.sumInvoices(dates, part).then(({ sums }) => sums),
        transactionSums: reports.sumTransactions(instants, part).then(({ sums }) => sums),
        voidsAndChargebacks: reports.voidsAndChargebacks(instants, { after: null, last: null }),
        subscriptionSums: reports.sumSubscriptions(instants.to, part).then(({ sums }) => sums),
        failedPayments: reports.failedPayments({ ...instants, limit: 10 }),
        usageIntervals: usage.intervals([{ subscriptionId: all.subscription.id, from: null }]),
        voidUsageIntervals: usage.voidIntervals([{ subscriptionId: all.subscription.id, from: null }]),
        usageBilledOn: usage.billedOn(all.invoice.id),
        usageTrackingIds: usage.trackingIds([all.invoice.id], () => 10).then(valuesIn),
        usageTrackingIdsOfList: usage.trackingIds(list, () => 10).then(valuesIn),
        usageTrackingIdsPage: usage.pageOfTrackingIds(all.invoice.id, page).then(counted),
        usageTrackingIdsOfPoints: usage.trackingIdsOfPoints(
          [{ subscriptionId: all.subscription.id, ranges: usageInterval().consumed }],
          10,
        ),
        usageMarks: usage.marks([2]).then((marks) => [...marks]),
        usageDays: usage
          .days([{ subscriptionRecordId: 1, from: null, dates: [] }])
          .then((days) => days.flat()),
        usagePieces: usage
          .pieces([{ subscriptionRecordId: 1, unit: 'sms', localDate: dayAt(0), bounds: [], ordinals: [] }])
          .then((pieces) => pieces.flat()),
        archivedUsage: usage.archivedDays(1, [dayAt(2)]),
        archivedPieces: usage
          .pieces([{ subscriptionRecordId: 1, unit: 'sms', localDate: dayAt(2), bounds: [], ordinals: [] }])
          .then((pieces) => pieces.flat()),
        settledUsage: usage.settledSubscriptions({
          before: dayAt(2),
          settings: 'usage',
          after: 0,
          limit: 10,
        }),
        usageSums: usage
          .sums({ subscriptionRecordId: 1, stretches: [stretch], unit: null })
          .then((sums) => sums.flat()),
        usageHourSums: usage
          .hourSums({ subscriptionRecordId: 1, stretches: [hours], unit: null })
          .then((sums) => sums.flat()),
        lastFailures: payments.findLastFailures([all.invoice.id]),
        invoicesByIds: invoices.findByIds([all.invoice.id]),
        items: invoices.findItems([all.invoice.id]),
        itemsOfList: invoices.findItems(list),
        itemPage: invoices.pageItems([all.invoice.id], { afterRecordId: 0, limit: 10 }),
        itemsByIds: invoices.findItemsByIds([all.item.id]),
        itemBases: invoices.findItemBases([all.item.id]).then((bases) => [...bases]),
        list: invoices.listOfAccounts([acme.id], list.filter),
        open: invoices.findOpen([acme.id]),
        balances: invoices.loadBalances([acme.id]),
        openSummaries: invoices.findOpenSummaries([acme.id]),
        linked: invoices.findLinked([all.summary.id]),
        delegated: invoices.findDelegated([all.share.id]),
        invoicesByNumber: invoices.findByNumbers([all.invoice.invoiceNumber]),
        invoicesSearched: invoices
          .search({ kind: 'id', id: all.invoice.id }, { offset: 0, limit: 10 })
          .then(({ rows }) => rows),
        countedItems: invoices.countItems(all.invoice.id, 5).then((length) => Array.from({ length })),
        drafts: invoices.findDrafts([acme.id]),
        group: invoices.findGroup(all.summary.id),
        linkedItems: invoices.findItemsLinkedTo([all.item.linkedItemId ?? all.item.id]),
        usedCredit: invoices.findUsedCredit({ accountId: acme.id, beforeRecordId: null, limit: 10 }),
        lastCharges: invoices.lastCharges([all.subscription.id]),
        maxTargetDate: invoices.maxTargetDate(acme.id).then((date) => (date === null ? [] : [date])),
        invoicePage: invoices.page(page).then(counted),
        invoicePageOfAccount: invoices.pageOfAccount(acme.id, page).then(counted),
        states: invoices.loadStates([acme.id]),
        dueCursors: invoices.dueCursors([
          { accountId: acme.id, targetDate: localDate(2099, 1, 1), catalogRevision: 1, usageSettings: null },
        ]),
        accountsBehind: invoices.accountsBehind({ catalogRevision: 7, afterRecordId: 0, limit: 10 }),
        accountsOnPlans: invoices.accountsOnPlans({
          planNames: [all.event.planName ?? ''],
          afterRecordId: 0,
          limit: 10,
        }),
        cursors: invoices.cursorsOfAccounts([acme.id]),
        coverage: invoices.loadCoverage([{ subscriptionId: all.subscription.id, from: null }]),
        coverageOfItems: invoices.loadCoverageOfItems([all.item.id]),
        cursorsOfSubscriptions: invoices.findCursors([all.subscription.id]),
        methodsByIds: payments.findMethodsByIds([all.method.id]),
        methodsByKeys: payments.findMethodsByKeys([all.method.externalKey]),
        methodsByAccounts: payments.findMethodsByAccounts([acme.id], { includeDeleted: true }),
        methodPage: payments.pageMethods(page, { pluginName: null }).then(counted),
        methodSearch: payments
          .searchMethods({ kind: 'text', id: acme.id, text: 'e' }, page, { pluginName: null })
          .then(counted),
        paymentsByIds: payments.findByIds([all.payment.id]),
        paymentsByKeys: payments.findByKeys([all.payment.externalKey]),
        paymentsOfTenant: payments.page(page, { pluginName: null }).then(counted),
        paymentSearch: payments
          .search({ kind: 'text', id: acme.id, text: 'e' }, page, { pluginName: null })
          .then(counted),
        transactionsByKeys: payments.findTransactionsByKeys([all.transaction.externalKey]),
        openInvoiceRefunds: payments.findOpenInvoiceRefunds([acme.recordId]),
        attemptsByTransactionKeys: payments.findAttemptsByTransactionKeys([
          all.attempt.transactionExternalKey,
        ]),
        paymentsByAccounts: payments.findByAccounts([acme.id]),
        paymentPage: payments.pageOfAccount(acme.id, page).then(counted),
        transactions: payments.findTransactions([all.payment.id]),
        transactionsByIds: payments.findTransactionsByIds([all.transaction.id]),
        attemptsByIds: payments.findAttemptsByIds([all.attempt.id]),
        attemptsByKeys: payments.findAttemptsByPaymentKeys([all.attempt.paymentExternalKey]),
        invoicePaymentsByInvoices: payments.findInvoicePaymentsByInvoices([all.invoice.id]),
        holdsByInvoices: payments.findHoldsByInvoices([all.invoice.id]),
        holdsByAccounts: payments.findHoldsByAccounts([acme.id]),
        invoicePaymentsByPayments: payments.findInvoicePaymentsByPayments([all.payment.id]),
      };
    };

    const lengths = async (tenant: TenantRef): Promise<Record<string, number>> =>
      opened.storage.read(tenant, async (session) => {
        const found: Record<string, number> = {};
        for (const [name, result] of Object.entries(readAll(session))) {
          const rows = await result;
          found[name] = Array.isArray(rows) ? rows.length : Number.NaN;
        }
        return found;
      });

    it('limits each read to the rows of its own tenant', async () => {
      expect(Object.entries(await lengths(opened.tenant)).filter(([, length]) => !(length > 0))).to.eql([]);
      expect(Object.entries(await lengths(stranger)).filter(([, length]) => length !== 0)).to.eql([]);
    });

    it('applies to every port method that finds rows', async () => {
      const tried = Object.keys(await lengths(opened.tenant)).length;
      const reads = await opened.read(async (session) =>
        [
          session.accounts,
          session.audit,
          session.catalogEntries,
          session.catalogs,
          session.customFields,
          session.deliveries,
          session.events,
          session.exports,
          session.invoices,
          session.overdue,
          session.payments,
          session.reports,
          session.subscriptions,
          session.tags,
          session.usage,
        ].flatMap((area) => Object.keys(area)),
      );
      // Three reads return no rows: the catalog revision, the use of the default catalog and the tenant's last number.
      // Parts of usage are read twice, archived and not. Items and tracking ids are read by invoice and by list.
      expect(tried - 3).to.equal(reads.length - 3);
    });

    it('prevents writes from changing, locking or deleting another tenant’s rows', async () => {
      const before = await opened.read(snapshot);
      await opened.storage.write(stranger, author(), async (session) => {
        expect(await session.lockAccounts([acme.id], { waitMs: 10 })).to.eql([]);
        expect(await session.tryLockAccounts([acme.recordId])).to.eql([]);
        await session.subscriptions.setChargedThrough([
          { subscriptionId: all.subscription.id, chargedThrough: { at: now, date: localDate(2099, 1, 1) } },
        ]);
        await session.invoices.replaceCoverage([all.item.id], [], () => 0);
        expect(
          await session.payments.updateTransactions([
            { transaction: { ...all.transaction, recordId: 1, status: 'SUCCESS' }, expected: 'UNKNOWN' },
          ]),
        ).to.eql([]);
        await session.unschedule(['key of the other tenant']);
        await session.unscheduleFuture(acme.recordId, instant(0));
        expect(await session.usage.lockMarks([2])).to.eql(new Map());
        expect(await session.usage.voidSubmission(1, 'tracking id')).to.equal('UNKNOWN');
        expect(await session.usage.lockOpenDays([{ subscriptionRecordId: 1, before: dayAt(9) }], 9)).to.eql(
          [],
        );
        const day = { subscriptionRecordId: 1, unit: 'sms', localDate: dayAt(0), count: 1, archivedCount: 0 };
        await session.usage.archive([{ ...day, pieces: [{ ...day, part: 'ALL', after: 0, upTo: 1 }] }]);
        const forgotten = await session.usage.forgetKeys({
          recordedBefore: instantAt(999),
          after: 0,
          limit: 9,
        });
        expect(forgotten).to.eql({ last: null, forgotten: 0 });
        expect(await session.tags.holdDefinitions([all.definition.id])).to.eql([]);
        expect(await session.tags.lockDefinitions([all.definition.id])).to.eql([]);
      });
      const zero = decimal('0');
      const refused: readonly ((session: WriteSession) => Promise<unknown>)[] = [
        ({ accounts }) => accounts.update([{ ...acme, name: 'taken over' }]),
        ({ accounts }) => accounts.deactivateEmails([{ ...all.email, recordId: 1 }]),
        ({ invoices }) =>
          invoices.setAmounts([
            { invoiceId: all.invoice.id, amount: zero, creditAdj: zero, refundAdj: zero, rawBalance: zero },
          ]),
        ({ invoices }) => invoices.setRepairable([{ id: all.item.id, repairable: zero }]),
        ({ invoices }) => invoices.saveCursors([{ ...all.cursor, recordId: 1 }]),
        ({ payments }) => payments.endHolds([all.hold]),
        ({ tags }) => tags.deactivate([{ ...all.tag, recordId: 1 }]),
        ({ tags }) => tags.deactivateDefinitions([{ ...all.definition, recordId: 1 }]),
        ({ customFields }) => customFields.deactivate([{ ...all.custom, recordId: 1 }]),
        ({ customFields }) => customFields.updateValues([{ ...all.custom, recordId: 1, value: 'x' }]),
        ({ invoices }) => invoices.setWrittenOff([{ id: all.invoice.id, isWrittenOff: true }]),
        ({ payments }) => payments.updatePayments([{ ...all.payment, recordId: 1, stateName: 'taken over' }]),
        ({ payments }) => payments.updateAttempts([{ ...all.attempt, recordId: 1, stateName: 'ABORTED' }]),
        ({ payments }) => payments.updateInvoicePayments([{ ...all.row, recordId: 1, amount: zero }]),
        ({ deliveries }) =>
          deliveries.sendAgain(
            { ...delivery({}), recordId: 1 },
            { url: 'https://example.com/mine', dueOrder: 1 },
          ),
      ];
      for (const work of refused) {
        const error = await rejection(opened.storage.write(stranger, author(), work));
        expect(error.name).to.equal('InvariantError');
      }
      expect(await opened.read(snapshot)).to.eql(before);
      expect(await opened.storage.queue.countPending(opened.tenant.recordId, now)).to.equal(1);
      expect(await opened.storage.queue.countPending(stranger.recordId, now)).to.equal(0);
    });

    it('keeps unique queue keys and counters separate per tenant', async () => {
      const [theirs] = await opened.storage.write(stranger, author(), (session) =>
        session.accounts.insert([account({})]),
      );
      await opened.storage.write(stranger, author(), async (session) => {
        session.schedule([notification(theirs?.recordId ?? 0)]);
      });
      expect(await opened.storage.queue.countPending(stranger.recordId, now)).to.equal(1);
      const take = (tenant: TenantRef) =>
        opened.storage.write(tenant, author(), (session) => session.invoices.takeInvoiceNumbers(1));
      expect([await take(opened.tenant), await take(stranger)]).to.eql([1, 1]);
      const last = (tenant: TenantRef) =>
        opened.storage.read(tenant, (session) => session.catalogs.lastOverridePlanNumber());
      expect([await last(opened.tenant), await last(stranger)]).to.eql([7, 0]);
    });

    const snapshot = async (session: ReadSession) => [
      await session.accounts.findByIds([acme.id]),
      await session.subscriptions.findByIds([all.subscription.id]),
      await session.invoices.findByIds([all.invoice.id]),
      await session.invoices.findItemsByIds([all.item.id]),
      await session.invoices.loadCoverageOfItems([all.item.id]),
      await session.invoices.findCursors([all.subscription.id]),
      await session.tags.findDefinitionsByIds([all.definition.id]),
      await session.tags.findByObjects('ACCOUNT', [acme.id], { includeDeleted: true }),
      await session.customFields.findByObjects('ACCOUNT', [acme.id]),
      await session.payments.findByIds([all.payment.id]),
      await session.payments.findAttemptsByIds([all.attempt.id]),
      await session.payments.findTransactionsByIds([all.transaction.id]),
      await session.payments.findInvoicePaymentsByInvoices([all.invoice.id]),
      await session.usage.sums({ subscriptionRecordId: 1, stretches: [stretch], unit: null }),
    ];
  });
});

function valuesIn(lists: ReadonlyMap<unknown, readonly unknown[]>): readonly unknown[] {
  return [...lists.values()].flat();
}

function counted({ rows, total, max }: Page<unknown>): readonly unknown[] {
  return Array.from({ length: rows.length + total + max });
}

function notification(accountRecordId: number) {
  return {
    queueName: 'invoice-service:next-billing-date-queue',
    accountRecordId,
    effectiveDate: now,
    payload: {},
    uniqueKey: 'key of the other tenant',
  } as const;
}

/** Inserts one record of each kind, linked to each other. */
async function fill(opened: OpenedStorage, acme: Account) {
  const owner = ownerOf(acme);
  const given = {
    bundle: bundle(owner),
    subscription: subscription(owner),
    invoice: invoice(owner, { isMigration: false }),
    draft: invoice(owner, { isMigration: false, isParentInvoice: false, status: 'DRAFT' }),
    payment: payment(owner),
  };
  const subscriptionId = given.subscription.id;
  const definition = tagDefinition();
  const summaryId = newId();
  const summary = invoice(owner, {
    id: summaryId,
    groupId: summaryId,
    isMigration: false,
    isParentInvoice: true,
    status: 'DRAFT',
  });
  const linked = invoice(owner, { parentInvoiceId: summary.id, contributedAmount: hugeAmount });
  const all = {
    ...given,
    summary,
    linked,
    share: invoiceItem(owner, { invoiceId: linked.id }),
    subscription: { ...given.subscription, bundleId: given.bundle.id },
    cursor: cursor(owner, { subscriptionId }),
    event: lifecycleEvent(owner, { subscriptionId }),
    withdrawnEvent: lifecycleEvent(owner, { subscriptionId, isActive: false }),
    item: invoiceItem(owner, { invoiceId: given.invoice.id, subscriptionId }),
    use: invoiceItem(owner, { invoiceId: given.invoice.id, itemType: 'CBA_ADJ', amount: decimal(-1) }),
    basis: {
      kind: 'FIXED' as const,
      event: { type: 'CREATE' as const, effectiveDate: now, localDate: today },
      price: hugeAmount,
      quantity: 1,
      discounts: null,
    },
    method: paymentMethod(owner),
    transaction: transaction(owner, { paymentId: given.payment.id }),
    voided: transaction(owner, {
      paymentId: given.payment.id,
      transactionType: 'VOID',
      status: 'SUCCESS',
      invoiceRefund: null,
      leaseUntil: null,
    }),
    declined: transaction(owner, {
      paymentId: given.payment.id,
      status: 'PAYMENT_FAILURE',
      invoiceRefund: null,
      leaseUntil: null,
    }),
    attempt: attempt(owner),
    row: invoicePayment(owner, { invoiceId: given.invoice.id, paymentId: given.payment.id }),
    overridePlan: overridePlan({}),
    definition,
    tag: tag(owner, { tagDefinitionId: definition.id }),
    custom: customField(owner),
    entry: { ...catalogEntry({ accountId: acme.id, accountRecordId: acme.recordId }), parentId: newId() },
    planRow: planRow(),
    email: accountEmail(owner),
    hold: autoPayHold(owner, { invoiceId: given.invoice.id }),
  };
  await opened.write(async (session) => {
    const { catalogs, invoices, payments, subscriptions } = session;
    await catalogs.insert([catalogVersion({})]);
    await session.catalogEntries.apply({ addedEntries: [all.entry], addedRows: [all.planRow] });
    await catalogs.insertOverridePlans([all.overridePlan]);
    await subscriptions.insertBundles([{ ...all.bundle, externalKey: FORMER_KEY }]);
    await subscriptions.keepBundleKeys([all.bundle.id]);
    await subscriptions.setBundleKeys([all.bundle]);
    await subscriptions.insertSubscriptions([all.subscription]);
    await subscriptions.insertEvents([all.event, all.withdrawnEvent]);
    await subscriptions.insertBlockingStates([
      blockingState(owner, { blockedId: subscriptionId }),
      blockingState(owner, { blockedId: acme.id, type: 'ACCOUNT', service: 'overdue-service' }),
    ]);
    await session.overdue.saveAccounts([{ ...owner, isInvoicingOffOwned: true, stateName: 'LATE' }]);
    await invoices.insertInvoices([all.invoice, all.draft, all.summary, all.linked]);
    await invoices.insertItems([{ ...all.item, basis: all.basis }, all.use, all.share]);
    await invoices.insertCoverage(
      [coverageRow({ subscriptionId, itemId: all.item.id })],
      () => acme.recordId,
    );
    await invoices.saveCursors([all.cursor]);
    await invoices.saveStates([
      { ...owner, maxTargetDate: null, accountCBA: hugeAmount, accountBalance: hugeAmount, version: 0 },
    ]);
    await payments.insertMethods([all.method]);
    await payments.insertPayments([all.payment]);
    await payments.insertTransactions([all.transaction, all.declined, all.voided]);
    await session.reports.saveFigures([
      { name: 'month:2026-01', figures: [], countedAt: now, progress: null },
    ]);
    await payments.insertAttempts([all.attempt]);
    await payments.insertInvoicePayments([all.row]);
    await payments.insertHolds([all.hold]);
    await session.tags.insertDefinitions([all.definition]);
    await session.tags.insert([all.tag]);
    await session.customFields.insert([all.custom]);
    await session.accounts.insertEmails([all.email]);
    await session.accounts.insert([account({ parentAccountId: acme.id })]);
    session.schedule([notification(acme.recordId)]);
  });
  return all;
}

/** Returns the record ids of a version and of its parts. */
async function catalogRowsOf({ catalogs }: ReadSession) {
  const [version] = await catalogs.versions();
  if (!version) throw new Error('no catalog version');
  const [stored] = await catalogs.contents([version.recordId]);
  if (!stored || 'canonicalXml' in stored.content) throw new Error('the version has no parts');
  const { frame, products, plans } = stored.content;
  return { version: version.recordId, parts: [frame, ...products, ...plans] };
}

async function allOf<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  return (await Array.fromAsync(batches)).flat();
}
