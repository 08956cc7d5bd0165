import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { decimal, SystemTag, type TenantBilling, type Uuid } from '../../lib/index.ts';
import { type DatabaseKind, eachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { isLongRun, sampled } from '../support/long-run.ts';
import { plainHasher } from '../support/plain-hasher.ts';
import type { Account } from '../support/plain-views.ts';
import { recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';
import { killableGateway, killableStorage } from './killable.ts';

/** Beyond the payment lease and the following checks. */
const LATER = [{ minutes: 2 }, { minutes: 10 }, { hours: 1 }, { hours: 2 }];

interface Subject {
  readonly account: Account;
  readonly invoices: readonly { readonly id: Uuid; readonly itemId: Uuid }[];
  readonly paymentId: Uuid | null;
}

interface Operation {
  readonly name: string;
  prepare(): Promise<Subject>;
  run(acme: TenantBilling, subject: Subject): Promise<unknown>;
  parts(subject: Subject): Promise<readonly unknown[]>;
}

eachDatabase((kind, open) => {
  describe('payment process killed at any step', function () {
    this.timeout(isLongRun ? 0 : 300_000);
    let engine: TestEngine;

    before(async () => {
      engine = await openEngine(open, { now: '2024-03-01T10:00:00Z', catalog: null });
    });
    after(() => engine.close());

    const operations: readonly Operation[] = [
      {
        name: 'a capture',
        prepare: async () => {
          const account = await engine.payingAccount({ currency: 'USD' });
          const { payment } = await engine.acme.payments.authorize({ accountId: account.id, amount: '10' });
          return { account, invoices: [], paymentId: payment.id };
        },
        run: (acme, { paymentId }) =>
          acme.payments.capture({ paymentId, amount: '6', transactionExternalKey: `capture ${paymentId}` }),
        parts: async ({ paymentId }) => [(await paymentOf(paymentId)).totals.capturedAmount.toNumber()],
      },
      {
        name: 'a refund with adjustments',
        prepare: async () => {
          const account = await engine.payingAccount({ currency: 'USD' });
          const invoices = [await charge(account, '10')];
          await engine.settle();
          const [payment] = await engine.acme.payments.ofAccount(account.id);
          return { account, invoices, paymentId: payment?.id ?? null };
        },
        run: (acme, { paymentId, invoices: [invoice] }) => {
          if (paymentId === null || invoice === undefined) throw new Error('there is nothing to refund');
          return acme.invoicePayments.refund({
            paymentId,
            amount: '5',
            isAdjusted: true,
            adjustments: [{ invoiceItemId: invoice.itemId, amount: '4' }],
            transactionExternalKey: `refund ${paymentId}`,
          });
        },
        parts: async ({ paymentId, invoices: [invoice] }) => {
          const { totals } = await paymentOf(paymentId);
          const { balance, items } = await invoiceOf(invoice);
          const adjusted = items
            .filter(({ itemType }) => itemType === 'ITEM_ADJ')
            .map((item) => Number(item.amount));
          return [{ refunded: totals.refundedAmount.toNumber(), balance: Number(balance), adjusted }];
        },
      },
      {
        name: 'a payment of all invoices',
        prepare: async () => {
          const account = await engine.payingAccount({ currency: 'USD' });
          await engine.acme.tags.add({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
          const invoices = [await charge(account, '10'), await charge(account, '7')];
          await engine.settle();
          return { account, invoices, paymentId: null };
        },
        run: (acme, { account }) => acme.invoicePayments.payAll({ accountId: account.id }),
        parts: async ({ invoices }) => {
          const read = await Promise.all(invoices.map((invoice) => invoiceOf(invoice)));
          return read.map(({ amount, balance }) => ({ amount: Number(amount), balance: Number(balance) }));
        },
      },
    ];

    for (const operation of operations)
      it(`completes ${operation.name} at most once`, async () => {
        const before = await operation.parts(await operation.prepare());
        const { steps, subject } = await dieAt(operation, Number.POSITIVE_INFINITY);
        const after = await operation.parts(subject);
        expect(after).to.not.deep.equal(before);
        expect(steps).to.be.greaterThan(30);
        const ended: unknown[] = [];
        for (const step of stepsOn(kind, steps)) {
          const { subject: hit } = await dieAt(operation, step);
          await expectWhole(hit, step);
          const found = await operation.parts(hit);
          ended.push(...found);
          for (const [index, part] of found.entries())
            expect([before[index], after[index]], `step ${step} of ${steps}`).to.deep.include(part);
          // A retry completes it, once.
          await operation.run(engine.acme, hit).catch(() => null);
          await quiet();
          await expectWhole(hit, step);
          expect(await operation.parts(hit), `again after step ${step} of ${steps}`).to.eql(after);
        }
        expect(ended.length).to.be.greaterThan(5);
        // Some deaths came before the point of no return, others after it.
        expect(ended).to.deep.include(before[0]).and.to.deep.include(after[0]);
        expect(await Array.fromAsync(engine.billing.checks.breaches())).to.eql([]);
      });

    /** A process works on a new subject and dies at that step. Then all due work completes. */
    async function dieAt(operation: Operation, step: number) {
      const subject = await operation.prepare();
      const process = new DyingProcess(Number.POSITIVE_INFINITY);
      const dying = await Billing.open({
        storage: { ...killableStorage(engine.storage, process), close: () => Promise.resolve() },
        clock: engine.clock,
        logger: recordingLogger(),
        hasher: plainHasher(),
        gateways: [killableGateway(engine.gateway, process)],
        nodeName: `dying-${subject.account.id}`,
      });
      const acme = dying.as({ tenant: engine.tenant, user: 'test' });
      process.dieIn(step);
      const ended = await operation.run(acme, subject).then(
        () => null,
        (error: unknown) => error,
      );
      const steps = process.steps;
      if (Number.isFinite(step)) expect(process.isDead, `step ${step} was reached`).to.equal(true);
      else if (ended !== null) throw ended;
      process.end();
      await dying.close();
      await quiet();
      return { subject, steps };
    }

    async function quiet(): Promise<void> {
      for (const span of LATER) {
        engine.clock.advance(span);
        await engine.settle();
      }
    }

    /** Checks that gateway, payments and invoices agree, and that nothing is pending. */
    async function expectWhole({ account, invoices }: Subject, step: number): Promise<void> {
      const about = `after a death at step ${step}`;
      const payments = await engine.acme.payments.ofAccount(account.id);
      const transactions = payments.flatMap((payment) => payment.transactions);
      expect(
        transactions.filter(({ status }) => status === 'UNKNOWN' || status === 'PENDING'),
        about,
      ).to.eql([]);
      const succeeded = transactions.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
      const moved = engine.ledger
        .all()
        .filter(({ accountId, status }) => accountId === account.id && status === 'PROCESSED')
        .map(({ kbTransactionPaymentId }) => kbTransactionPaymentId);
      expect(moved.toSorted(), about).to.eql(succeeded.toSorted());
      const rows = await engine.storage.read(engine.tenant, (session) =>
        session.payments.findInvoicePaymentsByInvoices(invoices.map(({ id }) => id)),
      );
      for (const invoice of invoices) {
        const { amount, balance, id } = await invoiceOf(invoice);
        const paid = rows.filter((row) => row.invoiceId === id && row.status === 'SUCCESS');
        const sum = paid.reduce((total, row) => total.plus(row.amount), decimal(0));
        expect(Number(balance), `${about}: the balance is that of the ledger`).to.equal(
          Number(amount.minus(sum)),
        );
      }
    }

    async function charge(account: Account, amount: string) {
      const items = [{ amount: decimal(amount) }];
      const [item] = await engine.acme.invoices.addCharges({
        accountId: account.id,
        items,
        autoCommit: true,
      });
      if (!item) throw new Error('no charge was made');
      return { id: item.invoiceId, itemId: item.id };
    }

    function invoiceOf(invoice: Subject['invoices'][number] | undefined) {
      if (invoice === undefined) throw new Error('there is no invoice');
      return engine.acme.invoices.get(invoice.id);
    }

    function paymentOf(paymentId: Uuid | null) {
      if (paymentId === null) throw new Error('there is no payment');
      return engine.acme.payments.get(paymentId);
    }
  });
});

/** Every seventh step, on PostgreSQL every twelfth; all in the long run. */
function stepsOn(kind: DatabaseKind, steps: number): readonly number[] {
  const all = Array.from({ length: steps }, (_, index) => index + 1);
  return sampled(all, { sqlite: 7, postgresql: 12 }[kind]);
}
