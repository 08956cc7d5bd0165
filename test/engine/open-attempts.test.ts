import type {
  Account,
  New,
  PaymentAttempt,
  PaymentControl,
  PaymentControlContext,
  TransactionStatus,
  Uuid,
} from '../../lib/index.ts';
import { decimal, formatInstant } from '../../lib/index.ts';
import { AttemptSweep, paymentConfig } from '../../lib/payments/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../lib/tenants/index.ts';
import { eachDatabaseByTurns, expect, migrated, storageOf } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';

const HOUR_MS = 3_600_000;

eachDatabaseByTurns.describe('open payment attempts (payments §7.2 rule 4)', (open) => {
  let stage: PaymentStage;
  let account: Account;
  let heard: PaymentControlContext[];

  const retryDate = new Date('2012-06-02T00:00:00Z');
  const listener: PaymentControl = {
    name: 'listener',
    onSuccessCall: async (context) => {
      heard.push(context);
      return null;
    },
    onFailureCall: async (context) => {
      heard.push(context);
      return { nextRetryDate: retryDate };
    },
  };

  beforeEach(async () => {
    heard = [];
    stage = await PaymentStage.open(storageOf(await open(migrated)), '2012-05-31T00:00:00Z');
    account = await stage.account();
  });
  afterEach(() => stage.stop());

  async function sweep(): Promise<void> {
    const { storage, clock, timers: systemClock, ids, logger, tenant } = stage;
    const paymentControls = new Map([[listener.name, listener]]);
    const configOf = async () => paymentConfig(DEFAULT_TENANT_SETTINGS);
    const ports = { storage, clock, systemClock, ids, logger, paymentControls };
    await new AttemptSweep(ports, configOf).sweep({
      olderThanMs: 12 * HOUR_MS,
      tenantOf: async () => tenant,
    });
  }

  /** Leaves an attempt in INIT with a transaction of this status, or without one. */
  async function left(status: TransactionStatus | null, { isOfInvoice = false, isApiPayment = true } = {}) {
    const invoiceId = isOfInvoice ? await stage.invoice(account, '10') : null;
    const paymentId = stage.ids.next();
    const transactionId = stage.ids.next();
    const attemptId = stage.ids.next();
    const createdDate = stage.clock.now();
    const of = { accountId: account.id, accountRecordId: account.recordId, createdDate };
    const attempt: New<PaymentAttempt> = {
      ...of,
      id: attemptId,
      paymentMethodId: account.paymentMethodId,
      paymentExternalKey: paymentId,
      transactionId: null,
      transactionExternalKey: transactionId,
      transactionType: 'PURCHASE',
      stateName: 'INIT',
      amount: null,
      currency: 'USD',
      pluginNames: ['listener', 'nobody'],
      pluginProperties: null,
      isApiPayment,
    };
    await stage.storage.write(stage.tenant, stage.authorship(), async (session) => {
      await session.payments.insertAttempts([attempt]);
      if (status === null) return;
      const paymentNumber = await session.payments.takePaymentNumbers(1);
      await session.payments.insertPayments([
        {
          ...of,
          id: paymentId,
          paymentNumber,
          externalKey: paymentId,
          paymentMethodId: account.paymentMethodId ?? paymentId,
          stateName: null,
          lastSuccessStateName: null,
        },
      ]);
      await session.payments.insertTransactions([
        {
          id: transactionId,
          paymentId,
          accountRecordId: account.recordId,
          attemptId,
          externalKey: transactionId,
          transactionType: 'PURCHASE',
          effectiveDate: createdDate,
          status,
          amount: null,
          currency: 'USD',
          processedAmount: null,
          processedCurrency: null,
          gatewayErrorCode: null,
          gatewayErrorMsg: null,
          paymentResponse: null,
          invoiceRefund: null,
          leaseUntil: null,
          createdDate,
        },
      ]);
      if (invoiceId === null) return;
      await session.payments.insertInvoicePayments([
        {
          id: stage.ids.next(),
          accountRecordId: account.recordId,
          invoiceId,
          type: 'ATTEMPT',
          status: 'INIT',
          paymentId,
          paymentDate: createdDate,
          amount: decimal(0),
          currency: 'USD',
          processedCurrency: 'USD',
          transactionExternalKey: transactionId,
          linkedInvoicePaymentId: null,
          createdDate,
        },
      ]);
    });
    return attemptId;
  }

  const stateOf = (id: Uuid): Promise<string | undefined> =>
    stage.storage.read(
      stage.tenant,
      async (session) => (await session.payments.findAttemptsByIds([id]))[0]?.stateName,
    );

  it('become ABORTED if they have no transaction, but only after they are old enough', async () => {
    const id = await left(null);
    stage.clock.set('2012-05-31T12:00:00Z');
    await sweep();
    expect(await stateOf(id)).to.equal('INIT');
    stage.clock.set('2012-05-31T12:00:01Z');
    await sweep();
    expect(await stateOf(id)).to.equal('ABORTED');
    expect(heard).to.eql([]);
  });

  it('are not changed if their transaction is UNKNOWN, because recovery handles the transaction', async () => {
    const id = await left('UNKNOWN');
    stage.clock.set('2012-06-01T00:00:00Z');
    await sweep();
    expect(await stateOf(id)).to.equal('INIT');
  });

  for (const status of ['SUCCESS', 'PENDING'] as const)
    it(`are completed and reported to their plugins if their transaction is ${status}`, async () => {
      const id = await left(status);
      stage.clock.set('2012-06-01T00:00:00Z');
      await sweep();
      expect(await stateOf(id)).to.equal('SUCCESS');
      expect(heard).to.have.length(1);
      expect(heard[0]).to.include({ attemptId: id, isApiPayment: true, userName: 'Janitor' });
      await sweep();
      expect(heard).to.have.length(1);
    });

  it('are retried after a failed transaction if a plugin requests a retry', async () => {
    const id = await left('PAYMENT_FAILURE');
    stage.clock.set('2012-06-01T00:00:00Z');
    await sweep();
    expect(await stateOf(id)).to.equal('RETRIED');
    const pending = await stage.storage.read(stage.tenant, (session) =>
      session.notifications.findPending([`payment-retry:${id}`]),
    );
    expect(pending.map(({ effectiveDate }) => effectiveDate)).to.eql([retryDate.getTime()]);
  });

  it('are changed once and retried once, even if several nodes check attempts at the same time', async () => {
    const id = await left('PAYMENT_FAILURE');
    stage.clock.set('2012-06-01T00:00:00Z');
    await Promise.all([sweep(), sweep(), sweep()]);
    const { audit, pending } = await stage.storage.read(stage.tenant, async (session) => ({
      audit: await session.audit.findByTargets([id]),
      pending: await session.notifications.findPending([`payment-retry:${id}`]),
    }));
    expect(audit.map(({ changeType }) => changeType)).to.eql(['INSERT', 'UPDATE']);
    expect(pending).to.have.length(1);
    expect(await stateOf(id)).to.equal('RETRIED');
  });

  it('are retried on the earlier of the requested and the scheduled date if their payments are automatic', async () => {
    const id = await left('PLUGIN_FAILURE', { isOfInvoice: true, isApiPayment: false });
    stage.clock.set('2012-06-01T00:00:00Z');
    await sweep();
    const pending = await stage.storage.read(stage.tenant, (session) =>
      session.notifications.findPending([`payment-retry:${id}`]),
    );
    expect(pending.map((each) => formatInstant(each.effectiveDate))).to.eql(['2012-06-01T00:05:00.000Z']);
  });
});
