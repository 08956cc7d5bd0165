import type { Account } from '../../lib/index.ts';
import type { ReadSession, WriteSession } from '../../lib/ports/storage/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { sharedStorage } from '../support/storage/opened-storage.ts';
import {
  account,
  attempt,
  autoPayHold,
  blockingState,
  bundle,
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

const sizes = [1, 10, 1_000] as const;

type Owner = ReturnType<typeof ownerOf>;
type Made<T> = readonly T[];

async function writeAll(session: WriteSession, owner: Owner, count: number) {
  const many = <T>(make: () => T): Made<T> => Array.from({ length: count }, make);
  const charges = many(() => ({ id: newId(), subscriptionId: newId() }));
  const made = {
    accounts: many(() => account({})),
    bundles: many(() => bundle(owner)),
    subscriptions: many(() => subscription(owner)),
    events: many(() => lifecycleEvent(owner)),
    states: many(() => blockingState(owner)),
    invoices: many(() => invoice(owner)),
    items: charges.map((charge) => invoiceItem(owner, charge)),
    coverage: charges.map(({ id: itemId, subscriptionId }) => coverageRow({ itemId, subscriptionId })),
    methods: many(() => paymentMethod(owner)),
    payments: many(() => payment(owner)),
    transactions: many(() => transaction(owner)),
    attempts: many(() => attempt(owner)),
    rows: many(() => invoicePayment(owner)),
    holds: many(() => autoPayHold(owner)),
    definitions: many(() => tagDefinition()),
    tags: many(() => tag(owner)),
    fields: many(() => customField(owner, { objectId: account({}).id })),
  };
  const stored = await session.accounts.insert(made.accounts);
  await session.accounts.update(stored.map((each) => ({ ...each, name: 'changed' })));
  await session.subscriptions.insertBundles(made.bundles);
  await session.subscriptions.insertSubscriptions(made.subscriptions);
  await session.subscriptions.insertEvents(made.events);
  await session.subscriptions.insertBlockingStates(made.states);
  await session.subscriptions.setChargedThrough(
    made.subscriptions.map(({ id }) => ({ subscriptionId: id, chargedThrough: { at: now, date: today } })),
  );
  await session.invoices.takeInvoiceNumbers(count);
  await session.invoices.insertInvoices(made.invoices);
  await session.invoices.insertItems(made.items);
  await session.invoices.setAmounts(
    made.invoices.map(({ id, ...amounts }) => ({ invoiceId: id, ...amounts })),
  );
  await session.invoices.setRepairable(made.items);
  await session.invoices.insertCoverage(made.coverage, () => owner.accountRecordId);
  await session.invoices.saveCursors(
    made.subscriptions.map(({ id }) => ({
      accountRecordId: owner.accountRecordId,
      subscriptionId: id,
      settledThrough: null,
      dirtyFrom: null,
      nextDueDate: null,
      catalogRevision: 1,
      itemsDate: null,
      itemsCount: 0,
      usage: null,
      ongoing: null,
    })),
  );
  await session.invoices.saveStates(
    stored.map((each) => ({
      ...ownerOf(each),
      maxTargetDate: null,
      accountCBA: hugeAmount,
      accountBalance: hugeAmount,
      version: 0,
    })),
  );
  await session.payments.insertMethods(made.methods);
  await session.payments.insertPayments(made.payments);
  await session.payments.insertTransactions(made.transactions);
  await session.payments.insertAttempts(made.attempts);
  await session.payments.insertInvoicePayments(made.rows);
  await session.payments.insertHolds(made.holds);
  await session.payments.endHolds(made.holds);
  await session.tags.insertDefinitions(made.definitions);
  const held = await session.tags.holdDefinitions(made.definitions.map(({ id }) => id));
  await session.tags.deactivateDefinitions(held);
  await session.tags.deactivate(await session.tags.insert(made.tags));
  await session.customFields.insert(made.fields);
  const fields = await session.customFields.findByIds(made.fields.map(({ id }) => id));
  await session.customFields.updateValues(fields.map((each) => ({ ...each, value: 'changed' })));
  session.publish(
    stored.flatMap(({ recordId }) => [
      { type: 'ACCOUNT_CREATION' as const, accountRecordId: recordId, payload: {} },
      { type: 'ACCOUNT_CHANGE' as const, accountRecordId: recordId, payload: {} },
    ]),
  );
  session.schedule(
    stored.map(({ id, recordId }) => ({
      queueName: 'invoice-service:next-billing-date-queue' as const,
      accountRecordId: recordId,
      effectiveDate: now,
      payload: {},
      uniqueKey: id,
    })),
  );
  return { ...made, stored };
}

type All = Awaited<ReturnType<typeof writeAll>>;

async function readAll(
  { accounts, audit, customFields, invoices, payments, subscriptions, tags }: ReadSession,
  all: All,
): Promise<number> {
  const idsOf = (records: readonly { readonly id: Account['id'] }[]) => records.map(({ id }) => id);
  const accountIds = idsOf(all.stored);
  const subscriptionIds = idsOf(all.subscriptions);
  const found: readonly (readonly unknown[])[] = [
    await accounts.findByIds(accountIds),
    await accounts.findByRecordIds(all.stored.map(({ recordId }) => recordId)),
    await accounts.findByKeys(all.stored.map(({ externalKey }) => externalKey)),
    await subscriptions.findBundlesByIds(idsOf(all.bundles)),
    await subscriptions.findByIds(subscriptionIds),
    await subscriptions.findEventsByIds(idsOf(all.events)),
    await subscriptions.findBlockingStates(all.states.map(({ blockedId }) => blockedId)),
    await invoices.findByIds(idsOf(all.invoices)),
    await invoices.findItemsByIds(idsOf(all.items)),
    await invoices.findItems(all.items.map(({ invoiceId }) => invoiceId)),
    await invoices.loadStates(accountIds),
    await invoices.loadCoverage(all.coverage.map(({ subscriptionId }) => ({ subscriptionId, from: today }))),
    await invoices.loadCoverageOfItems(all.coverage.map(({ itemId }) => itemId)),
    await payments.findMethodsByIds(idsOf(all.methods)),
    await payments.findByIds(idsOf(all.payments)),
    await payments.findTransactions(all.transactions.map(({ paymentId }) => paymentId)),
    await payments.findAttemptsByIds(idsOf(all.attempts)),
    await payments.findInvoicePaymentsByInvoices(all.rows.map(({ invoiceId }) => invoiceId)),
    await audit.findByTargets(idsOf(all.bundles)),
    await tags.findDefinitionsByIds(idsOf(all.definitions)),
    await customFields.findByObjects(
      'ACCOUNT',
      all.fields.map(({ objectId }) => objectId),
    ),
  ];
  expect(new Set(found.map((rows) => rows.length))).to.eql(new Set([all.bundles.length]));
  await subscriptions.findEvents(subscriptionIds);
  await subscriptions.findBlocksOfAccounts(accountIds);
  await invoices.dueCursors(
    accountIds.map((accountId) => ({
      accountId,
      targetDate: today,
      catalogRevision: 1,
      usageSettings: null,
    })),
  );
  await payments.findByAccounts(accountIds);
  await invoices.findOpen(accountIds);
  return found.length + 5;
}

function partition<T>(all: readonly T[], isFirst: (each: T) => boolean): [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

eachDatabase.describe('number of SQL statements', (open, kind) => {
  const opened = sharedStorage(kind, open);
  let owner: Owner;
  before(async () => {
    await opened.storage.prepare({ isConsumed: ({ type }) => type === 'ACCOUNT_CHANGE' });
    const [stored] = await opened.newAccounts(1);
    owner = ownerOf(stored);
    // The first entry of a SQLite file takes one more statement, to start its numbering.
    await opened.write(async (session) =>
      session.publish([{ type: 'ACCOUNT_CREATION', accountRecordId: stored.recordId, payload: {} }]),
    );
  });

  it('is the same for 1, 10 and 1,000 records, except for very many audit rows', async () => {
    const writes: number[] = [];
    const audits: number[] = [];
    const reads: number[] = [];
    for (const size of sizes) {
      opened.statements();
      const all = await opened.write((session) => writeAll(session, owner, size));
      const [audit, others] = partition(opened.statements(), (text) => text.includes('into bw_audit_log'));
      writes.push(others.length);
      audits.push(audit.length);
      const calls = await opened.read((session) => readAll(session, all));
      const statements = opened.statements();
      expect(statements).to.have.length(calls);
      reads.push(statements.length);
    }
    expect(new Set(writes).size).to.equal(1);
    expect(new Set(reads).size).to.equal(1);
    // 31 statements, and for the outbox: one statement and the wake-up on PostgreSQL; number, history and live entry on
    // SQLite.
    expect(writes[0]).to.equal(kind === 'sqlite' ? 34 : 33);
    // About 20 changes of each record are audited; one statement inserts up to 4,096 of them.
    expect(audits).to.eql([1, 1, 5]);
  });

  it('is the same for 1 and 100 queue entries', async () => {
    const topics = ['ACCOUNT_CHANGE', 'invoice-service:next-billing-date-queue'];
    const counts: number[] = [];
    for (const limit of [1, 100]) {
      const claimed = await opened.storage.queue.claim({
        node: 'n',
        claimId: owner.accountId,
        limit,
        topics,
        businessNow: now,
        systemNowMs: 0,
        leaseEndsAtMs: 1,
      });
      expect(claimed).to.have.length(limit);
      await opened.storage.queue.renew(claimed, 5);
      await opened.storage.queue.markDone(claimed, 'handler');
      await opened.storage.queue.retry(
        claimed.map((entry) => ({ entry, reason: 'r', availableAtMs: 1_000 })),
      );
      counts.push(opened.statements().length);
    }
    expect(counts[0]).to.equal(counts[1]);
  });
});
