import { loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ControlledRun } from '../control/controlled-run.ts';
import type { ApiPayment } from '../reservation/api-request.ts';
import { checkCommits } from '../reservation/check-commits.ts';
import type { PaymentRequest } from '../reservation/plan-reservation.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { ChargeControl } from './charge-control.ts';
import { type AnsweredCharge, ChargeSteps, type PaymentPorts, type RequestedCharge } from './charge-steps.ts';
import type { PlannedRequest } from './reserve-payments.ts';

/** A reserved payment of an unpaid invoice, to be charged after the commit. */
export type ReservedPayment = RequestedCharge<PaymentRequest>;

/** One call at a time, so that what the method can still pay goes to the oldest invoice. */
const ONE = 1;

/**
 * Pays the unpaid invoices of an account with one of its methods because a call asks for it (§10.1 rule 7): reserves the
 * payments together with the change that the call makes, and charges them after its commit, the oldest invoice first.
 */
export class UnpaidInvoicePayments {
  readonly #ports: PaymentPorts;
  readonly #steps: ChargeSteps;
  /** The control plugins around these payments. */
  readonly control: ChargeControl;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#steps = new ChargeSteps(ports, configOf);
    this.control = new ChargeControl(ports, this.#steps);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#steps.idle();
  }

  /**
   * Reserves the payment of each unpaid invoice of the locked account; what cannot be paid now is passed over (§9.2).
   * @returns the charges to pass to `make` once the transaction is committed.
   */
  async reserve(
    session: WriteSession,
    { context, account, paymentMethodId }: Reserving,
  ): Promise<readonly ReservedPayment[]> {
    const invoices = await loadUnpaidInvoices(session, [account.id]);
    const api = { ...WITH_DEFAULTS, methodId: paymentMethodId };
    const payments = invoices.map(({ id: invoiceId }) => ({ invoiceId, api }));
    const { charges } = await this.reserveThese(session, { context, account, payments });
    return charges;
  }

  /** Reserves these payments of invoices of the locked account. */
  async reserveThese(
    session: WriteSession,
    { context, account, payments, paysEmptyInvoices = false }: ReservingThese,
  ): Promise<ReservedPayments> {
    if (payments.length === 0) return { planned: [], charges: [] };
    const requests = payments.map((payment) => ({
      ...payment,
      accountRecordId: account.recordId,
      retry: null,
    }));
    const reserved = await this.#steps.reserve(
      session,
      { requests, accounts: [account], paysEmptyInvoices },
      { parallelCalls: ONE, callerOf: () => context },
    );
    for (const charge of reserved.charges) checkCommits(context, charge);
    return reserved;
  }

  /**
   * Calls the gateway for each and records what it says; whatever comes between, recovery ends the story.
   * @param runs by attempt, those of which control plugins hear.
   */
  async make(
    context: CallContext,
    charges: readonly ReservedPayment[],
    runs: ReadonlyMap<Uuid, ControlledRun> = new Map(),
  ): Promise<readonly AnsweredCharge<PaymentRequest>[]> {
    const [first] = charges;
    if (!first) return [];
    const answered = await this.control.tell(await this.#steps.call(charges, ONE), runs);
    try {
      await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.lockAccounts([first.account.id], { wait: LockWait.PAYMENT });
        await this.#steps.record(session, answered);
      });
    } catch (error) {
      const facts = { err: error, accountId: first.account.id, count: answered.length };
      this.#ports.logger.error(
        facts,
        'the results of gateway calls were not recorded; recovery will ask the gateway',
      );
    }
    this.#steps.followLateAnswers(answered);
    return answered;
  }
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

/** Payments of invoices that a call asks for. */
interface ReservingThese {
  readonly context: CallContext;
  readonly account: Account;
  readonly payments: readonly Pick<PaymentRequest, 'invoiceId' | 'api' | 'controlled'>[];
  /** Whether an invoice with nothing due is paid with 0, where the tenant says so; default false. */
  readonly paysEmptyInvoices?: boolean;
}

interface ReservedPayments {
  readonly planned: readonly PlannedRequest<PaymentRequest>[];
  /** Those whose gateway is to be called once the transaction is committed. */
  readonly charges: readonly ReservedPayment[];
}

interface Reserving {
  readonly context: CallContext;
  readonly account: Account;
  readonly paymentMethodId: Uuid;
}

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
