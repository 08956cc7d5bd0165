import { lockAccount } from '../../accounts/index.ts';
import { loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import type { ApiPayment } from '../planning/reservation.ts';
import { type Consulted, NOT_CONSULTED } from '../plugins/attempt-control.ts';
import type { AnsweredCall } from '../plugins/call-gateway.ts';
import { type Charge, InvoiceCharges, type Round } from './invoice-charges.ts';
import { type PaymentMachine, type Step, writesOf } from './payment-machine.ts';

/** A reserved payment of an invoice, to be charged after the commit. */
export type ReservedPayment = Charge<PaymentRequest>;

/** One call at a time, so that what the method can still pay goes to the oldest invoice. */
const ONE = 1;

/** Payments of invoices of one locked account. */
interface AskedPayments extends Partial<Pick<Round<PaymentRequest>, 'paysEmptyInvoices'>> {
  readonly context: CallContext;
  readonly account: Account;
  readonly payments: readonly { readonly invoiceId: Uuid; readonly api: ApiPayment }[];
}

interface Paying {
  readonly paymentMethodId: Uuid;
  /** Control plugins by name; default those of the tenant. */
  readonly controlPlugins?: readonly string[] | null;
}

/** Payments of the invoices of an account that a call asks for (§9.6, §10.1 rule 7), one after the other. */
export class AccountCharges {
  readonly #machine: PaymentMachine;
  readonly #charges: InvoiceCharges;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
    this.#charges = new InvoiceCharges(machine);
  }

  /** @param look locks the account and reserves what is asked for by `reserve`, each time that it is looked at. */
  run<R>(
    context: CallContext,
    look: (session: WriteSession, consulted: Consulted) => Promise<Step<ReservedPayment, R>>,
    resultOf: (answered: readonly AnsweredCall[]) => R,
  ): Promise<R> {
    return this.#machine.run<ReservedPayment, R>({
      parallelCalls: ONE,
      write: writesOf(this.#machine.ports, context),
      look: (session, { consulted }) => look(session, consulted),
      record: async (answered) => {
        await this.#record(context, answered);
        return resultOf(answered);
      },
      comesAgain: () => false,
    });
  }

  /** Reserves the payments of the locked account; identifies them by their invoices for control plugins. */
  reserve(
    session: WriteSession,
    { context, account, payments, paysEmptyInvoices = false }: AskedPayments,
    consulted: Consulted,
  ) {
    const requests = payments.map((payment): PaymentRequest => {
      return { ...payment, accountRecordId: account.recordId, retry: null };
    });
    const round = {
      requests,
      accounts: [account],
      paysEmptyInvoices,
      parallelCalls: ONE,
      callerOf: () => context,
      keyOf: ({ invoiceId }: PaymentRequest) => invoiceId,
    };
    return this.#charges.look(session, round, consulted);
  }

  /**
   * Reserves the payments of all unpaid invoices of the locked account in the transaction of the change that the call makes;
   * none if control plugins have to be asked first, outside any transaction. What cannot be paid now is passed over (§9.2).
   */
  async reserveUnpaid(
    session: WriteSession,
    context: CallContext,
    { account, ...paying }: Paying & { readonly account: Account },
  ): Promise<readonly ReservedPayment[]> {
    if (this.#machine.control.isHeard) return [];
    const payments = await unpaidOf(session, account, paying);
    const step = await this.reserve(session, { context, account, payments }, NOT_CONSULTED);
    return step.kind === 'RESERVED' ? step.calls : [];
  }

  /**
   * Pays each unpaid invoice of the account, the oldest first, after that change: what is reserved, or what control plugins
   * let pass. The change stands, whatever becomes of the payments; a failure is logged.
   */
  async payUnpaid(
    context: CallContext,
    {
      accountId,
      calls,
      ...paying
    }: Paying & { readonly accountId: Uuid; readonly calls: readonly ReservedPayment[] },
  ): Promise<void> {
    const record = (answered: readonly AnsweredCall[]) => this.#record(context, answered);
    if (calls.length > 0) await this.#machine.finish({ parallelCalls: ONE, record }, calls);
    if (!this.#machine.control.isHeard) return;
    try {
      await this.run<void>(
        context,
        async (session, consulted) => {
          const account = await lockAccount(session, accountId);
          const payments = await unpaidOf(session, account, paying);
          const step = await this.reserve(session, { context, account, payments }, consulted);
          return step.kind === 'CONSULT' ? step : callsOrDone(step.calls, undefined);
        },
        () => undefined,
      );
    } catch (error) {
      const facts = { err: error, accountId, paymentMethodId: paying.paymentMethodId };
      this.#machine.ports.logger.error(
        facts,
        'the unpaid invoices of an account were not paid with its method',
      );
    }
  }

  /** Whatever comes between, recovery ends the story. */
  async #record(context: CallContext, answered: readonly AnsweredCall[]): Promise<void> {
    const { storage, clock } = this.#machine.ports;
    const authorship = { ...authorshipOf(context), createdDate: clock.now() };
    const accountIds = new Set(answered.map(({ account }) => account.id));
    try {
      await storage.write(context.tenant, authorship, async (session) => {
        await session.lockAccounts([...accountIds], { wait: LockWait.PAYMENT });
        await this.#machine.record(session, answered);
      });
    } catch (error) {
      this.#machine.logUnrecorded(error, answered);
    }
  }
}

/** What follows a reservation: its calls, or the result if nobody has to be called. */
export function callsOrDone<R>(calls: readonly ReservedPayment[], result: R): Step<ReservedPayment, R> {
  return calls.length > 0 ? { kind: 'CALL', calls } : { kind: 'DONE', result };
}

/** The payments of all unpaid invoices of an account, with one of its methods. */
async function unpaidOf(
  session: ReadSession,
  account: Account,
  { paymentMethodId: methodId, controlPlugins = null }: Paying,
): Promise<AskedPayments['payments']> {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  return invoices.map(({ id: invoiceId }) => ({
    invoiceId,
    api: { ...WITH_DEFAULTS, methodId, controlPlugins },
  }));
}

/** What a call that only says "pay what is unpaid" leaves open. */
export const WITH_DEFAULTS: ApiPayment = Object.freeze({
  methodId: null,
  amount: null,
  paymentKey: null,
  transactionKey: null,
  properties: [],
  controlPlugins: null,
  waits: false,
});

/**
 * Unpaid invoices can be paid with a method only if it is or becomes the default, or the account has one (§10.1 rule 2).
 * @throws BillingError INVALID_PARAMETER (60002).
 */
export async function checkPayable(
  session: ReadSession,
  account: Account,
  isDefault: boolean,
): Promise<void> {
  if (isDefault || account.paymentMethodId !== null) return;
  const unpaid = await loadUnpaidInvoices(session, [account.id]);
  if (unpaid.length === 0) return;
  throw invalidParameter(
    `payAllUnpaidInvoices needs a default payment method, which account ${account.id} does not have; ` +
      'send isDefault=true too',
    { accountId: account.id },
  );
}
