import type { InvoiceSearch, ReadSession } from '../../lib/ports/storage/index.ts';
import type { NewBusEvent } from '../../lib/records/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import { decimal } from '../../lib/values/money/index.ts';
import { instant, localDate } from '../../lib/values/time/index.ts';
import { connectedAs, eachDatabase, expect, onPostgresql, type TestDatabase } from '../support/index.ts';
import { searchedInvoiceField } from '../support/searched-invoice-field.ts';
import { planRow } from '../support/storage/entry-records.ts';
import type { BoundStatement, OpenedStorage } from '../support/storage/opened-storage.ts';
import { sharedStorage, storageAt } from '../support/storage/opened-storage.ts';
import {
  badPlans,
  isWalk,
  plansOf,
  postgresqlPlans,
  sqlitePlans,
  withPostgresql,
} from '../support/storage/statement-plans.ts';
import {
  account,
  attempt,
  author,
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
  overridePlan,
  ownerOf,
  payment,
  paymentMethod,
  subscription,
  tag,
  today,
  transaction,
} from '../support/storage/stored-records.ts';
import { point, submission, usageInterval } from '../support/storage/stored-usage.ts';

/** SQLite uses an index regardless of the size; PostgreSQL compares it with a full scan. */
const sizes = {
  sqlite: { accountCount: 500, due: 2_000, future: 8_000 },
  postgresql: { accountCount: 3_000, due: 3_000, future: 12_000 },
};
const perAccount = 4;
const topics = ['ACCOUNT_CHANGE', 'invoice-service:next-billing-date-queue'] as const;
const isOfTopics = ({ type }: Pick<NewBusEvent, 'type'>): boolean => type === topics[0];

eachDatabase.describe('query plans without database statistics', (open, kind) => {
  const opened = sharedStorage(kind, open);

  it('find an updated row by id without a scan of the tenant’s rows', async () => {
    const [first] = await opened.newAccounts(300);
    opened.bound();
    await opened.storage.write(opened.tenant, author(), (session) => session.accounts.update([first]));
    const updates = opened.bound().filter(({ text }) => text.trimStart().startsWith('update bw_accounts'));
    expect(updates).to.have.length(1);
    const [found] = await plansOf(opened.database, updates);
    expect(found?.plan.join('\n')).to.include('bw_accounts_id_unique');
  });

  it('find the open invoices of accounts without reading all invoices with the same status', async () => {
    const [first] = await opened.newAccounts(1);
    opened.bound();
    await opened.read(async ({ invoices }) => {
      await invoices.loadBalances([first.id]);
      await invoices.findOpen([first.id]);
    });
    const statements = opened.bound().filter(({ text }) => text.includes('bw_invoices'));
    const plans = (await plansOf(opened.database, statements)).map(({ plan }) => plan.join('\n'));
    expect(plans).to.have.length(2);
    for (const plan of plans)
      expect(plan)
        .to.match(/bw_invoices_(delegated|open)_index/)
        .and.not.to.include('status_index');
  });
});

onPostgresql.describe('query plans after many moves of tenants', (open) => {
  const opened = sharedStorage('postgresql', open);

  it('read only the fences of moves that have not ended (cells §3.2 rule 3)', async () => {
    const { url } = opened.database as TestDatabase & { readonly kind: 'postgresql' };
    await withPostgresql(url, async (client) => {
      await client.query(`
        insert into bw_tenant_moves (tenant_record_id, state, revision)
        select n, case when n % 1000 = 0 then 'ARRIVING' else 'GONE' end, 1 from generate_series(1000, 9000) n`);
      await client.query('analyze bw_tenant_moves');
    });
    const { queue, events } = opened.storage;
    const claim = { node: 'n', limit: 100, topics, businessNow: now, systemNowMs: 1, leaseEndsAtMs: 2 };
    opened.bound();
    await queue.claim({ ...claim, claimId: newId() });
    await events.list({ after: 0, upTo: 1, limit: 10 });
    const statements = opened.bound().filter(({ text }) => text.includes('bw_tenant_moves'));
    const plans = (await plansOf(opened.database, statements)).map(({ plan }) => plan.join('\n'));
    expect(plans).to.have.length(2);
    for (const plan of plans)
      expect(plan)
        .to.include('bw_tenant_moves_closed_index')
        .and.not.to.include('Seq Scan on bw_tenant_moves');
  });
});

eachDatabase.describe('query plans on populated tables', (open, kind) => {
  const { due, future } = sizes[kind];
  const opened = sharedStorage(kind, open);
  let chosen: Awaited<ReturnType<typeof fill>>;
  let walksBeforeStatistics: readonly string[];
  before(async () => {
    await opened.storage.prepare({ isConsumed: isOfTopics });
    chosen = await fill(opened);
    opened.bound();
    await opened.read((session) => readAccount(session, chosen.first.id));
    walksBeforeStatistics = (await plansOf(opened.database, opened.bound()))
      .filter(({ text, plan }) => !isOfTenants(text) && plan.some(isWalkOfTenant))
      .map(({ text, plan }) => [text, ...plan].join('\n'));
    await analyse(opened.database);
    opened.bound();
  });

  /** Returns the plans of the statements in `work` that scan a whole table or all rows of a tenant. */
  const walks = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    opened.bound();
    await work();
    // The test has too few tenants for an index.
    const statements = opened.bound().filter(({ text }) => !isOfTenants(text));
    expect(statements).not.to.have.length(0);
    return badPlans(opened.database, statements);
  };
  const reads = (work: (session: ReadSession) => Promise<unknown>) => walks(() => opened.read(work));

  it('use indexes for the records of an account before the tables have statistics', () => {
    expect(walksBeforeStatistics).to.eql([]);
  });

  it('use indexes for report figures and for accounts in a given state', async () => {
    const instants = { from: instant(now - 1_000), to: instant(now + 1_000) };
    const after = { order: 1, recordId: 1 };
    const part = { after, limit: 10 };
    const first = localDate(2025, 3, 1);
    const dates = { from: first, to: localDate(2025, 3, 31) };
    const found = await reads(async ({ reports, overdue }) => {
      await reports.figures(['month:1', 'month:2']);
      await reports.sumInvoices(dates, { after: null, limit: 10 });
      await reports.sumInvoices(dates, { after: { order: first, recordId: 1 }, limit: 10 });
      await reports.sumTransactions(instants, { after: null, limit: 10 });
      await reports.sumTransactions(instants, { after: { order: now, recordId: 1 }, limit: 10 });
      await reports.voidsAndChargebacks(instants, { after: null, last: null });
      await reports.sumSubscriptions(now, part);
      await reports.failedPayments({ ...instants, limit: 10 });
      await overdue.pageOverdue('OD1', { offset: 0, limit: 10 });
    });
    expect(found).to.eql([]);
  });

  for (const size of [1, 10]) {
    it(`use indexes for reads by ids, keys and accounts, ${size} at a time`, async () => {
      const accounts = chosen.accounts.slice(0, size);
      const ids = accounts.map(({ id }) => id);
      const of = chosen.of.slice(0, size);
      const idsOf = (name: Exclude<keyof (typeof of)[number], 'owner'>) => of.map((each) => each[name].id);
      const subscriptionIds = idsOf('subscription');
      const found = await reads(async (session) => {
        await session.accounts.findByIds(ids);
        await session.accounts.findByRecordIds(accounts.map(({ recordId }) => recordId));
        await session.accounts.findByKeys(accounts.map(({ externalKey }) => externalKey));
        await session.subscriptions.findBundlesByIds(idsOf('bundle'));
        await session.subscriptions.findBundlesByKeys(of.map((each) => each.bundle.externalKey));
        await session.subscriptions.findBundlesByPastKeys(of.map((each) => each.bundle.externalKey));
        await session.subscriptions.findBundlesByAccounts(ids);
        await session.subscriptions.findByIds(subscriptionIds);
        await session.subscriptions.findByKeys(of.map((each) => each.subscription.externalKey));
        await session.subscriptions.findByBundles(idsOf('bundle'));
        await session.subscriptions.findEvents(subscriptionIds);
        await session.subscriptions.findEventsByIds(idsOf('event'));
        await session.subscriptions.findBlockingStates(subscriptionIds);
        const [state = null] = await session.subscriptions.pageBlockingStates(subscriptionIds, {
          after: null,
          limit: 100,
        });
        await session.subscriptions.pageBlockingStates(subscriptionIds, { after: state, limit: 100 });
        await session.subscriptions.findBlocksOfAccounts(ids);
        await session.subscriptions.findLatestBlockingStates(ids, { service: 'overdue-service', at: now });
        await session.payments.findLastFailures(idsOf('invoice'));
        await session.overdue.findAccounts(ids);
        await session.notifications.findEarlierWork({
          work: accounts.map(({ recordId }) => ({ asker: recordId, accountRecordId: recordId, dueBy: now })),
          topics,
          availableByMs: 0,
        });
        await session.invoices.findByIds(idsOf('invoice'));
        await session.invoices.findItems(idsOf('invoice'));
        await session.invoices.pageItems(idsOf('invoice'), { afterRecordId: 0, limit: 100 });
        for (const { invoice } of of.slice(0, 1)) await session.invoices.countItems(invoice.id, 100);
        await session.invoices.findItemsByIds(idsOf('item'));
        await session.invoices.findDelegated(idsOf('item'));
        await session.invoices.findItemBases(idsOf('item'));
        await session.invoices.loadStates(ids);
        await session.invoices.dueCursors(
          ids.map((accountId) => ({ accountId, targetDate: today, catalogRevision: 1, usageSettings: '2' })),
        );
        await session.invoices.accountsBehind({ catalogRevision: 2, afterRecordId: 0, limit: 100 });
        await session.invoices.accountsOnPlans({
          planNames: ['never', 'plan-1', 'plan-2'].slice(0, size),
          afterRecordId: 0,
          limit: 100,
        });
        await session.catalogEntries.plansChangedSince(chosen.revision);
        await session.invoices.cursorsOfAccounts(ids);
        await session.invoices.findCursors(subscriptionIds);
        await session.invoices.loadCoverage(
          subscriptionIds.map((subscriptionId) => ({ subscriptionId, from: today })),
        );
        await session.invoices.loadCoverageOfItems(idsOf('item'));
        await session.invoices.lastCharges(subscriptionIds);
        await session.usage.intervals(
          subscriptionIds.flatMap((subscriptionId, index) => ({
            subscriptionId,
            from: index % 2 === 0 ? null : today,
          })),
        );
        await session.payments.findMethodsByIds(idsOf('method'));
        await session.payments.findMethodsByKeys(of.map((each) => each.method.externalKey));
        await session.payments.findMethodsByAccounts(ids, { includeDeleted: false });
        await session.payments.findByIds(idsOf('payment'));
        await session.payments.findByAccounts(ids);
        await session.payments.findTransactions(idsOf('payment'));
        await session.payments.findTransactionsByIds(idsOf('transaction'));
        await session.payments.findAttemptsByIds(idsOf('attempt'));
        await session.payments.findAttemptsByPaymentKeys(of.map((each) => each.attempt.paymentExternalKey));
        await session.payments.findInvoicePaymentsByInvoices(idsOf('invoice'));
        await session.payments.findInvoicePaymentsByPayments(idsOf('payment'));
        await session.audit.findByTargets(ids);
        await session.tags.findByObjects('ACCOUNT', ids, { includeDeleted: false });
        await session.tags.findByObjects('ACCOUNT', ids, { includeDeleted: true });
        await session.customFields.findByObjects('ACCOUNT', ids);
        await session.customFields.findByIds(idsOf('custom'));
        const named = chosen.overridePlans.slice(0, size);
        await session.catalogs.findOverridePlans(named.map(({ planName }) => planName));
        await session.catalogs.findOverridePlansOf(named);
        await session.catalogEntries.usedPlans(['never', 'plan-1', 'gold-monthly'].slice(0, size));
        await session.notifications.findPending(accounts.map(({ id }) => id));
        for (const { recordId } of accounts) await session.notifications.hasDue(recordId, now);
        await session.checks.queuedAccounts(
          topics,
          accounts.map(({ recordId }) => recordId),
        );
      });
      expect(found).to.eql([]);
    });

    it(`read the billed days in force from the start of the window, without past days, ${size} at a time`, async () => {
      const windows = chosen.of
        .slice(0, size)
        .flatMap((each) => [{ subscriptionId: each.subscription.id, from: today }]);
      opened.bound();
      await opened.reading.invoices.loadCoverage(windows);
      const plans = await plansOf(opened.database, opened.bound());
      const reads = plans.flatMap(({ plan }) => plan.filter((line) => coverageRead[kind].test(line)));
      // Recurring charges at the start of the window, and each kind from there on.
      expect(reads).to.have.length(4);
      expect(reads.filter((line) => !/start_date ?[<>]/.test(line))).to.eql([]);
    });

    it(`read and delete item days by period, without a full scan of the subscriptions, ${size} at a time`, async () => {
      const itemIds = chosen.of.slice(0, size).map((each) => each.item.id);
      opened.bound();
      await opened.reading.invoices.loadCoverageOfItems(itemIds);
      await opened.writing.invoices.replaceCoverage(itemIds, [], () => 0);
      const plans = await plansOf(opened.database, opened.bound());
      const reads = plans.flatMap(({ plan }) => plan.filter((line) => coverageRead[kind].test(line)));
      expect(reads).to.have.length(6);
      expect(reads.filter((line) => !/start_date ?[>=]/.test(line))).to.eql([]);
    });

    it(`use indexes for locks and updates, ${size} at a time`, async () => {
      const accounts = chosen.accounts.slice(0, size);
      const of = chosen.of.slice(0, size);
      const found = await walks(() =>
        opened.write(async (session) => {
          await session.lockAccounts(
            accounts.map(({ id }) => id),
            { waitMs: 100 },
          );
          await session.tryLockAccounts(accounts.map(({ recordId }) => recordId));
          await session.accounts.update(accounts);
          await session.subscriptions.setChargedThrough(
            of.map((each) => ({
              subscriptionId: each.subscription.id,
              chargedThrough: { at: now, date: today },
            })),
          );
          await session.invoices.setAmounts(
            of.map(({ invoice: { id, ...amounts } }) => ({ invoiceId: id, ...amounts })),
          );
          await session.invoices.setRepairable(of.map((each) => each.item));
          await session.invoices.saveCursors(
            await session.invoices.findCursors(of.map((each) => each.subscription.id)),
          );
          await session.invoices.replaceCoverage(
            of.map((each) => each.item.id),
            [],
            () => 0,
          );
          const payments = await session.payments.findByIds(of.map((each) => each.payment.id));
          await session.payments.updatePayments(payments);
          const transactions = await session.payments.findTransactionsByIds(
            of.map((each) => each.transaction.id),
          );
          await session.payments.updateTransactions(
            transactions.map((each) => ({ transaction: each, expected: 'UNKNOWN' })),
          );
          await session.unschedule(accounts.map(({ id }) => id));
          await session.unscheduleFuture(accounts[0]?.recordId ?? 0, now);
        }),
      );
      expect(found).to.eql([]);
    });
  }

  it('use indexes for pages of an account and for the first pages of a tenant', async () => {
    const { first } = chosen;
    const page = { offset: 0, limit: 100 };
    const found = await reads(async (session) => {
      await session.subscriptions.pageBundlesOfAccount(first.id, page);
      await session.invoices.pageOfAccount(first.id, page);
      await session.payments.pageOfAccount(first.id, page);
      const list = { accountIds: [first.id, newId()], filter: { withMigration: true, openOnly: true } };
      await session.invoices.listOfAccounts(list.accountIds, list.filter);
      await session.invoices.findItems(list);
      await session.usage.trackingIds(list, () => 100);
      await session.tags.findCarried([first.recordId], { objectType: 'BUNDLE', definitionIds: [newId()] });
      await session.tags.findByAccount(first.recordId, { objectType: null, includeDeleted: true });
      await session.customFields.findByAccount(first.recordId, { objectType: null });
      await Array.fromAsync(session.exports.auditEntriesOfAccount(first.recordId));
    });
    expect(found).to.eql([]);
  });

  it('use indexes for payments in an unusual state, and for a search by account', async () => {
    const { first } = chosen;
    const newest = { offset: 0, limit: -25 };
    const inStates = { kind: 'states', stateNames: ['PURCHASE_FAILED', 'REFUND_FAILED'] } as const;
    const value = first.id;
    const ofAccount = { property: 'accountId', type: 'uuid', operator: 'eq', value } as const;
    const isCount = (statement: string) =>
      statement.startsWith('select ? as total') || statement.startsWith('select $1 as total');
    const found = await reads(async (session) => {
      await session.payments.search(inStates, newest, { pluginName: null });
      const clauses = { kind: 'clauses', clauses: [ofAccount] } as const;
      await session.payments.search(clauses, newest, { pluginName: null });
    });
    // Excludes the counts of all payments, which stop at a limit.
    expect(found.filter((statement) => !isCount(statement))).to.eql([]);
  });

  it('use the text index to search accounts for a rare text', async () => {
    const { first } = chosen;
    const text = first.externalKey.slice(24, 31);
    opened.bound();
    // Beyond the last result, so that the search has to count.
    const { total } = await opened.reading.accounts.search(
      { kind: 'text', id: null, text },
      { offset: 1, limit: 100 },
    );
    expect(total).to.equal(1);
    const plans = await plansOf(opened.database, opened.bound());
    // The last statement counts the results of the search, and all accounts up to a limit.
    for (const { plan } of plans) expect(plan.join('\n')).to.contain('bw_accounts_text_index');
    if (kind === 'postgresql')
      expect(plans.slice(0, 2).flatMap(({ plan }) => plan.filter(isWalk))).to.eql([]);
    else expect(plans[1]?.plan.join('\n')).to.contain('USING COVERING INDEX bw_accounts_text_index');
  });

  const onPostgresqlOnly = kind === 'postgresql' ? it : () => undefined;
  onPostgresqlOnly('use the text index with and without row-level security for the role', async () => {
    const { first } = chosen;
    const statements: BoundStatement[] = [];
    for (const role of ['owner', 'bypassing', 'superuser'] as const) {
      const database = await connectedAs(role, opened.database);
      const storage = storageAt(database, (text, parameters) => statements.push({ text, parameters }));
      const { rows } = await storage.read(opened.tenant, ({ accounts }) =>
        accounts.search(
          { kind: 'text', id: null, text: first.externalKey.slice(24, 31) },
          // A full page: for a single row, PostgreSQL may estimate a scan as cheaper if the text happens to be in its
          // statistics.
          { offset: 0, limit: 100 },
        ),
      );
      await storage.close();
      expect(rows.map(({ id }) => id)).to.eql([first.id]);
      const [found] = await plansOf(
        database,
        statements.splice(0).filter(({ text }) => text.includes('bw_account_texts')),
      );
      expect(found?.plan.join('\n'), role).to.contain('bw_accounts_text_index');
      expect(found?.plan.filter(isWalk), role).to.eql([]);
    }
  });

  it('use indexes for bundles by exact id or key, and for ordered bundles of a tenant', async () => {
    const { first } = chosen;
    const page = { offset: 0, limit: 100 };
    const sought = await reads(async ({ subscriptions }) => {
      await subscriptions.searchBundles({ kind: 'text', id: first.id, text: first.id }, page);
      await subscriptions.searchBundles({ kind: 'text', id: null, text: 'seat-7' }, page);
    });
    // The total count stops at a limit.
    expect(sought).to.not.be.empty;
    expect(sought.filter((statement) => !statement.includes('as max'))).to.eql([]);
    const paged = await reads(({ subscriptions }) => subscriptions.pageBundles(page));
    expect(paged.join()).not.to.match(/Sort|TEMP B-TREE/);
  });

  describe('invoice searches (invoicing §15)', () => {
    const page = { offset: 0, limit: 100 };
    /** Returns the plans of the statements that read the page and of those before them. */
    const planOf = async (search: InvoiceSearch): Promise<readonly string[]> => {
      opened.bound();
      await opened.reading.invoices.search(search, page);
      const plans = await plansOf(opened.database, opened.bound());
      return plans.flatMap(({ text, plan }) => (text.includes('as max') ? [] : plan));
    };

    for (const [name, column, value] of [
      ['currency', 'currency', 'XTS'],
      ['status', 'status', 'VOID'],
      ['created_by', 'created_by', 'nobody'],
      ['invoice_date', 'invoice_date', '1999-01-01'],
      ['target_date', 'target_date', '1999-01-01'],
      ['created_day', 'created_date', 1],
      ['grouped', 'grp_id', newId()],
      ['account', 'account_id', newId()],
    ] as const)
      it(`use the index for a rare value of ${column}`, async () => {
        const plan = await planOf({
          kind: 'clauses',
          clauses: [{ ...searchedInvoiceField(column), operator: 'eq', value }],
        });
        expect(plan.join('\n')).to.contain(`bw_invoices_${name}_index`);
        expect(plan.filter(isWalk)).to.eql([]);
      });

    it('follow the index order for a common value, without a sort', async () => {
      for (const clause of [
        { property: 'currency', type: 'text', operator: 'eq', value: 'EUR' },
        { property: 'status', type: 'text', operator: 'eq', value: 'COMMITTED' },
        { property: 'isMigration', type: 'boolean', operator: 'eq', value: true },
        { property: 'isParentInvoice', type: 'boolean', operator: 'eq', value: true },
      ] as const) {
        const plan = await planOf({ kind: 'clauses', clauses: [clause] });
        expect(plan.join('\n'), clause.property).not.to.match(/Sort|TEMP B-TREE|Seq Scan/);
      }
      const owed = await planOf({ kind: 'balance', operator: 'gt', balance: decimal(1) });
      expect(owed.join('\n')).not.to.match(/Sort|TEMP B-TREE|Seq Scan/);
      expect(owed.join('\n')).to.contain('bw_invoices_counted_index');
    });

    it('use indexes to find an invoice by number, id or account id', async () => {
      const [first] = chosen.of;
      if (!first) throw new Error('no invoice');
      const byNumber = await planOf({ kind: 'number', invoiceNumber: first.invoice.invoiceNumber });
      expect(byNumber.join('\n')).to.contain('bw_invoices_number_unique');
      for (const id of [first.invoice.id, first.invoice.accountId]) {
        const plan = await planOf({ kind: 'id', id });
        expect(plan.join('\n')).to.contain('bw_invoices_id_unique');
        expect(plan.join('\n')).to.contain('bw_invoices_account_index');
        expect(plan.filter(isWalk)).to.eql([]);
      }
    });

    for (const [column, value, name] of [
      ['invoice_date', '2999-01-01', 'invoice_date'],
      ['target_date', '2999-01-01', 'target_date'],
      ['created_date', 253_402_300_799_000, 'created_day'],
    ] as const)
      it(`use the index before reading the rows for few invoices in a range of ${column}`, async () => {
        const clauses = [{ ...searchedInvoiceField(column), operator: 'gte', value }] as const;
        const plan = await planOf({ kind: 'clauses', clauses });
        expect(plan.join('\n')).to.contain(`bw_invoices_${name}_index`);
        expect(plan.filter(isWalk)).to.eql([]);
      });

    for (const [column, value, day] of [
      ['invoice_date', '1999-01-01', 'invoice_date'],
      ['target_date', '1999-01-01', 'target_date'],
      ['created_date', 1, 'created_day'],
    ] as const)
      it(`use the index day by day for many invoices in a range of ${column}`, async () => {
        await opened.storage.prepare({ isConsumed: isOfTopics, countThreshold: 1 });
        const clauses = [{ ...searchedInvoiceField(column), operator: 'gte', value }] as const;
        opened.bound();
        await opened.reading.invoices.search({ kind: 'clauses', clauses }, page);
        const statements = opened.bound();
        await opened.storage.prepare({ isConsumed: isOfTopics });
        const plans = await plansOf(opened.database, statements);
        const plan = plans.find(({ text }) => text.includes('with recursive days'))?.plan ?? [];
        const byDay = { sqlite: /bw_invoices_\w+_index \(/, postgresql: /Index Cond: / }[kind];
        const found = plan.filter((line) => byDay.test(line));
        expect(found, plan.join('\n')).to.have.length.of.at.least({ sqlite: 3, postgresql: 1 }[kind]);
        for (const line of found) expect(line).to.match(new RegExp(`\\b${day}\\W*[<>]`));
        expect(plan.join('\n')).to.contain(`bw_invoices_${day}_index`);
        expect(plan.filter(isWalk)).to.eql([]);
      });
  });

  it(`use indexes for a claim and its follow-ups among ${due} due and ${future} future entries`, async () => {
    const { queue } = opened.storage;
    const request = { node: 'n', limit: 100, topics, businessNow: now, systemNowMs: 1, leaseEndsAtMs: 2 };
    opened.bound();
    await queue.claim({ ...request, claimId: newId() });
    const plan = await claimPlan(opened.database, opened.bound());
    expect(plan.join('\n')).to.contain('bw_queue_entries_due_index');
    expect(plan.join('\n')).not.to.match(/Sort|TEMP B-TREE|Bitmap/);

    const found = await walks(async () => {
      const claimed = await queue.claim({ ...request, claimId: newId() });
      expect(claimed).to.have.length(100);
      const [first, second, ...others] = claimed;
      if (!first || !second) throw new Error('nothing claimed');
      await queue.renew(claimed, 5);
      await queue.markDone([first], 'handler');
      await queue.retry([{ entry: first, reason: 'r', availableAtMs: 10 }]);
      await queue.fail([{ entry: second, reason: 'r' }]);
      await queue.finish(others.slice(0, 50));
      await queue.release(others.slice(50), 10);
      await queue.nextDue(topics);
      await queue.backlog({ since: now, limit: 1_001 });
      await queue.backlogByTopic({ since: now, limit: 1_001 });
      const [account] = chosen.accounts;
      const cause = { userToken: newId(), accountRecordId: account?.recordId ?? 0 };
      await queue.countPending(opened.tenant.recordId, now, cause);
    });
    expect(found).to.eql([]);
  });

  it(`use an index for a claim of one account among ${due} due entries of other accounts`, async () => {
    const { queue } = opened.storage;
    const [owner] = chosen.accounts;
    const account = { tenantRecordId: opened.tenant.recordId, accountRecordId: owner?.recordId ?? 0 };
    const request = { node: 'n', limit: 100, topics, businessNow: now, systemNowMs: 1, leaseEndsAtMs: 2 };
    opened.bound();
    await queue.claim({ ...request, claimId: newId(), account });
    const plan = await claimPlan(opened.database, opened.bound());
    expect(plan.join('\n')).not.to.contain('bw_queue_entries_due_index');
    expect(plan.join('\n')).to.contain('bw_queue_entries_account_due_index');
  });

  it('search only due and failed entries when looking for late or abandoned entries', async () => {
    const { entries } = opened.storage;
    const look = {
      kind: 'NOTIFICATION',
      accountId: null,
      from: instant(0),
      before: now,
      limit: 100,
    } as const;
    for (const tenants of [null, [opened.tenant.recordId, 0]])
      for (const [part, index] of [
        ['AVAILABLE', 'bw_queue_entries_due_index'],
        ['PROCESSING', 'bw_queue_entries_claimed_index'],
        // PostgreSQL compares it with the other indexes, which cost nothing while the history is small.
        ...(kind === 'sqlite' ? [['FAILED', 'bw_queue_history_failed_index'] as const] : []),
      ] as const) {
        opened.bound();
        await entries.see({ ...look, tenants, part });
        const [found] = await plansOf(opened.database, opened.bound());
        expect(found?.plan.join('\n'), part).to.contain(index);
      }
  });
});

/** Returns the plan of a claim after the preceding statements of its transaction. */
async function claimPlan(
  database: TestDatabase,
  statements: readonly BoundStatement[],
): Promise<readonly string[]> {
  const claim = statements.find(({ text }) => text.includes('update bw_queue_entries'));
  if (!claim) throw new Error('no claim');
  if (database.kind === 'sqlite')
    return (await sqlitePlans(database.path, [claim])).flatMap(({ plan }) => plan);
  return withPostgresql(database.url, async (client) => {
    await client.query('begin');
    for (const { text } of statements.slice(0, statements.indexOf(claim))) await client.query(text);
    return (await postgresqlPlans(client, [claim])).flatMap(({ plan }) => plan);
  });
}

/** Inserts rows of two tenants, mostly of the first. */
async function fill(opened: OpenedStorage) {
  const { accountCount, due, future } = sizes[opened.database.kind];
  const accounts = await opened.newAccounts(accountCount);
  const of = accounts.map((each, index) => {
    const owner = ownerOf(each);
    const planName = `plan-${index % 30}`;
    const made = { bundle: bundle(owner), invoice: invoice(owner), payment: payment(owner) };
    const given = subscription(owner, { bundleId: made.bundle.id });
    return {
      ...made,
      owner,
      subscription: given,
      event: lifecycleEvent(owner, { subscriptionId: given.id, type: 'CREATE', planName }),
      state: blockingState(owner, { blockedId: given.id }),
      overdue: blockingState(owner, { blockedId: each.id, type: 'ACCOUNT', service: 'overdue-service' }),
      item: invoiceItem(owner, { invoiceId: made.invoice.id, subscriptionId: given.id }),
      method: paymentMethod(owner),
      transaction: transaction(owner, {
        paymentId: made.payment.id,
        effectiveDate: instant(now - index * 60_000),
      }),
      attempt: attempt(owner),
      row: invoicePayment(owner, { invoiceId: made.invoice.id, paymentId: made.payment.id }),
      tag: tag(owner),
      custom: customField(owner),
    };
  });
  const past = of.flatMap(({ owner }) => Array.from({ length: perAccount - 1 }, () => invoice(owner)));
  const overridePlans = of.map((_, index) =>
    overridePlan({ number: index + 1, planName: `gold-monthly-${index + 1}`, overrideHash: newId() }),
  );
  await opened.write(async (session) => {
    await session.catalogs.insertOverridePlans(overridePlans);
    await session.catalogEntries.apply({ addedRows: of.map(() => planRow({})) });
    await session.subscriptions.insertBundles(of.map((each) => each.bundle));
    await session.subscriptions.keepBundleKeys(of.map((each) => each.bundle.id));
    await session.subscriptions.insertSubscriptions(of.map((each) => each.subscription));
    await session.subscriptions.insertEvents(of.map((each) => each.event));
    await session.subscriptions.insertBlockingStates(of.flatMap(({ state, overdue }) => [state, overdue]));
    await session.overdue.saveAccounts(
      of.map(({ owner }) => ({ ...owner, isInvoicingOffOwned: true, stateName: 'LATE' })),
    );
    await session.invoices.insertInvoices([...of.map((each) => each.invoice), ...past]);
    await session.invoices.insertItems([
      ...of.map((each) => each.item),
      ...past.map((each) => invoiceItem(each, { invoiceId: each.id })),
    ]);
    for (let month = 1; month <= perAccount; month += 1) {
      await session.invoices.insertCoverage(
        of.flatMap((each) =>
          (['RECURRING', 'FIXED', 'FREE'] as const).map((rowKind) =>
            coverageRow({
              kind: rowKind,
              subscriptionId: each.subscription.id,
              itemId: each.item.id,
              startDate: localDate(2025, month, 1),
              endDate: rowKind === 'FIXED' ? null : localDate(2025, month + 1, 1),
              amount: decimal(month),
            }),
          ),
        ),
        () => 1,
      );
      await session.usage.insertIntervals(
        of.map((each) =>
          usageInterval({
            accountRecordId: each.owner.accountRecordId,
            subscriptionId: each.subscription.id,
            start: { at: now, date: localDate(2025, month, 1) },
            end: { at: now, date: localDate(2025, month + 1, 1) },
            invoiceId: each.invoice.id,
            itemIds: [each.item.id],
          }),
        ),
      );
    }
    await session.invoices.saveCursors(
      of.map((each) => ({
        accountRecordId: each.owner.accountRecordId,
        subscriptionId: each.subscription.id,
        settledThrough: today,
        dirtyFrom: null,
        nextDueDate: localDate(2026, 3, 1),
        catalogRevision: 1,
        itemsDate: null,
        itemsCount: 0,
        usage: null,
        ongoing: null,
      })),
    );
    await session.invoices.saveStates(
      of.map((each) => ({
        ...each.owner,
        maxTargetDate: null,
        accountCBA: hugeAmount,
        accountBalance: hugeAmount,
        version: 0,
      })),
    );
    await session.payments.insertMethods(of.map((each) => each.method));
    await session.payments.insertPayments(of.map((each) => each.payment));
    await session.payments.insertTransactions(of.map((each) => each.transaction));
    await session.payments.insertAttempts(of.map((each) => each.attempt));
    await session.payments.insertInvoicePayments(of.map((each) => each.row));
    await session.reports.saveFigures(
      of.map((_, index) => ({ name: `month:${index}`, figures: [], countedAt: now, progress: null })),
    );
    await session.tags.insert(of.map((each) => each.tag));
    await session.customFields.insert(of.map((each) => each.custom));
    const owner = (index: number): number => accounts[index % accountCount]?.recordId ?? 0;
    session.publish(
      Array.from({ length: due / 2 }, (_, index) => ({
        type: topics[0],
        accountRecordId: owner(index),
        payload: {},
      })),
    );
    session.schedule(
      Array.from({ length: due / 2 + future }, (_, index) => ({
        queueName: topics[1],
        accountRecordId: owner(index),
        effectiveDate: instant(now + (index < due / 2 ? -index : index)),
        payload: {},
        uniqueKey: `${index}`,
      })),
    );
  });
  const days = of.map(({ owner }, index) => ({
    accountRecordId: owner.accountRecordId,
    subscriptionRecordId: index + 1,
  }));
  for (let first = 0; first < days.length; first += 1_000) {
    const lines = days
      .slice(first, first + 1_000)
      .map((own) => submission('k', [point('sms', '1'), point('sms', '2', 1), point('sms', '3', 2)], own));
    await opened.storage.recordUsage(opened.tenant, lines);
  }
  const stranger = await opened.newTenant();
  await opened.storage.write(stranger, author(), (session) => session.accounts.insert([account({})]));
  const revision = await opened.reading.catalogs.revision();
  const [first, ...others] = accounts.slice(100, 200);
  if (!first) throw new Error('no account');
  return { accounts: [first, ...others], first, of: of.slice(100, 200), overridePlans, revision };
}

/** Reads the records of an account that views and dry runs read. */
async function readAccount(session: ReadSession, accountId: Uuid): Promise<void> {
  const { subscriptions, invoices, payments } = session;
  await subscriptions.findBundlesByAccounts([accountId]);
  await subscriptions.findBlocksOfAccounts([accountId]);
  await invoices.cursorsOfAccounts([accountId]);
  await payments.findByAccounts([accountId]);
  await payments.findMethodsByAccounts([accountId], { includeDeleted: false });
  await session.accounts.findEmails([accountId]);
  await session.coupons.redemptionsOf([1]);
}

function isOfTenants(text: string): boolean {
  return /\sfrom bw_tenants\s/.test(text);
}

/** Returns true for a plan line that scans a whole table or, with or without an index, all rows of a tenant. */
function isWalkOfTenant(line: string): boolean {
  return isWalk(line) || /Index Cond: \(tenant_record_id = [^)]*\)$/.test(line.trimEnd());
}

async function analyse(database: TestDatabase): Promise<void> {
  // SQLite runs without statistics in production, too.
  if (database.kind !== 'postgresql') return;
  await withPostgresql(database.url, async (client) => {
    await client.query('analyze');
    // Like autovacuum: unmerged entries make the text index appear more expensive.
    await client.query('vacuum bw_accounts');
  });
}

/** Matches a plan line that finds coverage rows by their index columns. */
const coverageRead = { sqlite: /SEARCH [cp] USING/, postgresql: /Index Cond: .*subscription_id/ };
