import { type Account, type BlockingState, type NewNotification, QueueName } from '../../lib/index.ts';
import type { WorkAheadRequest, WriteSession } from '../../lib/ports/storage/index.ts';
import { addMilliseconds, instant, localDate } from '../../lib/values/time/index.ts';
import { eachDatabase, expect } from '../support/index.ts';
import { freshStorage } from '../support/storage/opened-storage.ts';
import {
  author,
  blockingState,
  invoicePayment,
  newId,
  now,
  ownerOf,
  payment,
  transaction,
} from '../support/storage/stored-records.ts';

const OVERDUE = 'overdue-service';
const MINUTE_MS = 60_000;

eachDatabase.describe('storage reads for overdue', (open, kind) => {
  const opened = freshStorage(kind, open);
  let one: Account;
  let other: Account;
  beforeEach(async () => {
    const [first, second] = await opened.newAccounts(2);
    one = first;
    other = second;
  });

  const read = <T>(work: (session: WriteSession) => Promise<T>): Promise<T> => opened.write(work);
  const at = (minutes: number) => ({
    at: addMilliseconds(now, minutes * MINUTE_MS),
    date: localDate(2026, 2, 1),
  });

  it('return the last active state of a service per account up to an instant', async () => {
    const state = (account: Account, stateName: string, changes: Partial<BlockingState>) =>
      blockingState(ownerOf(account), {
        blockedId: account.id,
        type: 'ACCOUNT',
        service: OVERDUE,
        stateName,
        ...changes,
      });
    await opened.writing.subscriptions.insertBlockingStates([
      state(one, 'early', { effective: at(1), sequence: 1 }),
      state(one, 'first of two', { effective: at(2), sequence: 2 }),
      state(one, 'last of two', { effective: at(2), sequence: 3 }),
      state(one, 'withdrawn', { effective: at(3), sequence: 4, isActive: false }),
      state(one, 'of another service', { effective: at(3), sequence: 5, service: 'test' }),
      state(one, 'later', { effective: at(9), sequence: 6 }),
      state(other, 'of the other', { effective: at(2), sequence: 1 }),
    ]);
    const found = (minutes: number) =>
      read(({ subscriptions }) =>
        subscriptions.findLatestBlockingStates([one.id, other.id], { service: OVERDUE, at: at(minutes).at }),
      ).then((states) => states.map(({ stateName }) => stateName));
    expect(await found(0)).to.eql([]);
    expect(await found(1)).to.eql(['early']);
    expect(await found(5)).to.eql(['last of two', 'of the other']);
    expect(await found(9)).to.have.members(['later', 'of the other']);
  });

  it('return the newest failed purchase for each invoice', async () => {
    const [invoiceId, second, elsewhere] = [newId(), newId(), newId()];
    const failed = (account: Account, paidInvoice: typeof invoiceId, changes: object) => {
      const made = payment(ownerOf(account));
      const row = invoicePayment(ownerOf(account), { invoiceId: paidInvoice, paymentId: made.id });
      const declined = transaction(ownerOf(account), {
        paymentId: made.id,
        status: 'PAYMENT_FAILURE',
        leaseUntil: null,
        invoiceRefund: null,
        ...changes,
      });
      return { made, row, declined };
    };
    const all = [
      failed(one, invoiceId, { paymentResponse: 'EXPIRED_CARD' }),
      failed(one, invoiceId, { paymentResponse: 'DECLINE' }),
      failed(one, invoiceId, { paymentResponse: 'OTHER', status: 'SUCCESS' }),
      failed(one, invoiceId, { paymentResponse: 'OTHER', transactionType: 'REFUND' }),
      failed(one, elsewhere, { paymentResponse: 'INVALID_CARD' }),
      failed(other, second, { paymentResponse: null, status: 'PLUGIN_FAILURE' }),
    ];
    await opened.write(async ({ payments }) => {
      await payments.insertPayments(all.map(({ made }) => made));
      await payments.insertTransactions(all.map(({ declined }) => declined));
      await payments.insertInvoicePayments(all.map(({ row }) => row));
    });
    const found = await read(({ payments }) => payments.findLastFailures([invoiceId, second]));
    const inOrder = found.toSorted((a, b) => a.transactionRecordId - b.transactionRecordId);
    expect(inOrder.map(({ transactionRecordId: _, ...failure }) => failure)).to.eql([
      { invoiceId, paymentResponse: 'DECLINE' },
      { invoiceId: second, paymentResponse: null },
    ]);
    expect(await read(({ payments }) => payments.findLastFailures([]))).to.eql([]);
  });

  it('report that overdue processing set AUTO_INVOICING_OFF until the tag is removed', async () => {
    const rows = [one, other].map((account) => ({
      ...ownerOf(account),
      isInvoicingOffOwned: true,
      stateName: 'LATE',
    }));
    await opened.writing.overdue.saveAccounts(rows);
    await opened.writing.overdue.saveAccounts([
      { ...ownerOf(other), isInvoicingOffOwned: false, stateName: null },
    ]);
    const owned = async () =>
      (await read(({ overdue }) => overdue.findAccounts([one.id, other.id]))).map(
        ({ accountId, isInvoicingOffOwned }) => [accountId, isInvoicingOffOwned],
      );
    expect(await owned()).to.eql([
      [one.id, true],
      [other.id, false],
    ]);
    await opened.writing.overdue.disownInvoicingOff([one.id]);
    expect(await owned()).to.eql([
      [one.id, false],
      [other.id, false],
    ]);
  });

  it('find earlier work on given topics for an account or its relatives, up to an instant', async () => {
    const due = (account: Account, minutes: number, queueName: QueueName): NewNotification => ({
      queueName,
      accountRecordId: account.recordId,
      effectiveDate: at(minutes).at,
      payload: {},
      uniqueKey: null,
    });
    const { NEXT_BILLING_DATE, PAYMENT_RETRY, OVERDUE_CHECK } = QueueName;
    await opened.write(async (session) => {
      session.schedule([
        due(one, 1, NEXT_BILLING_DATE),
        due(one, 3, PAYMENT_RETRY),
        due(one, 4, OVERDUE_CHECK),
        due(one, 9, PAYMENT_RETRY),
        due(other, 2, PAYMENT_RETRY),
      ]);
      session.publish([{ type: 'INVOICE_CREATION', accountRecordId: other.recordId, payload: {} }]);
    });
    const topics: readonly string[] = [NEXT_BILLING_DATE, PAYMENT_RETRY, 'INVOICE_CREATION'];
    const ahead = (request: Partial<WorkAheadRequest>) =>
      read(({ notifications }) =>
        notifications.findEarlierWork({
          work: [
            { asker: one.recordId, accountRecordId: one.recordId, dueBy: at(5).at },
            { asker: other.recordId, accountRecordId: other.recordId, dueBy: at(1).at },
          ],
          topics,
          availableByMs: 1_000,
          ...request,
        }),
      );
    expect(await ahead({})).to.have.deep.members([
      { asker: one.recordId, lastDue: at(3).at, availableAtMs: null, isUnderWay: false },
      { asker: other.recordId, lastDue: author().createdDate, availableAtMs: null, isUnderWay: false },
    ]);
    const ofParent = { asker: other.recordId, accountRecordId: one.recordId, dueBy: at(2).at };
    expect(await ahead({ work: [ofParent] })).to.eql([
      { asker: other.recordId, lastDue: at(1).at, availableAtMs: null, isUnderWay: false },
    ]);
    expect(await ahead({ topics: [OVERDUE_CHECK] })).to.eql([
      { asker: one.recordId, lastDue: at(4).at, availableAtMs: null, isUnderWay: false },
    ]);
    const claimed = await opened.storage.queue.claim({
      node: 'node',
      claimId: newId(),
      limit: 10,
      topics: [PAYMENT_RETRY],
      businessNow: instant(at(3).at),
      systemNowMs: 0,
      leaseEndsAtMs: 10,
      account: { tenantRecordId: opened.tenant.recordId, accountRecordId: one.recordId },
    });
    expect(claimed).to.have.length(1);
    expect(await ahead({ topics: [PAYMENT_RETRY] })).to.eql([
      { asker: one.recordId, lastDue: at(3).at, availableAtMs: null, isUnderWay: true },
    ]);
    await opened.storage.queue.release(claimed, 700);
    expect(await ahead({ topics: [PAYMENT_RETRY] })).to.eql([
      { asker: one.recordId, lastDue: at(3).at, availableAtMs: 700, isUnderWay: false },
    ]);
    expect(await ahead({ topics: [PAYMENT_RETRY], availableByMs: 699 })).to.eql([]);
  });
});
