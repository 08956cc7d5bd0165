import { lockAccount } from '../../accounts/index.ts';
import { loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ControlledRun } from '../control/control-calls.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import type { ApiPayment, ControlledCharge } from '../planning/reservation-facts.ts';
import { checkCommits } from '../planning/reserved-call.ts';
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
  readonly #configOf: PaymentConfigOf;
  readonly #steps: ChargeSteps;
  /** The control plugins around these payments. */
  readonly control: ChargeControl;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
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
    { context, account, ...asked }: Reserving,
  ): Promise<readonly ReservedPayment[]> {
    const payments = await unpaidOf(session, account, asked);
    const { charges } = await this.reserveThese(session, { context, account, payments });
    return charges;
  }

  /**
   * Pays each unpaid invoice of the account after the change that the call makes, with the control plugins asked first:
   * they are called outside any transaction. The change stands, whatever becomes of the payments; a failure is logged.
   */
  async pay(context: CallContext, { accountId, ...asked }: PayingAll): Promise<void> {
    const load = async (session: WriteSession): Promise<AskedOf> => {
      const account = await lockAccount(session, accountId);
      return { account, payments: await unpaidOf(session, account, asked) };
    };
    try {
      const left = await this.ask(context, load);
      const { charges } = await this.#write(context, async (session) =>
        this.reserveThese(session, { context, ...(await load(session)), left }),
      );
      await this.make(context, charges, left.runs);
    } catch (error) {
      const facts = { err: error, accountId, paymentMethodId: asked.paymentMethodId };
      this.#ports.logger.error(facts, 'the unpaid invoices of an account were not paid with its method');
    }
  }

  /**
   * Asks the control plugins about what would be charged; attempts are stored for it, which end at once where a plugin
   * stops it. Without any plugin nothing is done.
   */
  async ask(context: CallContext, load: (session: WriteSession) => Promise<AskedOf>): Promise<LeftPayments> {
    if (!this.control.isHeard) return UNCONTROLLED;
    const begun = await this.#write(context, async (session) => {
      const { account, payments } = await load(session);
      const requests = payments.map((payment) => requestOf(account, payment));
      const all = await this.control.begin(session, { requests, accounts: [account] }, () => context);
      for (const { charge } of all) checkCommits(context, { ...charge, isControlled: true });
      return all;
    });
    const asked = await this.control.ask(begun);
    const stopped = asked.filter(({ run }) => run === null);
    if (stopped.length > 0)
      await this.#write(context, (session) =>
        this.control.abort(
          session,
          stopped.map(({ attemptId }) => attemptId),
        ),
      );
    return {
      controlled: new Map(
        asked.flatMap(({ request: { invoiceId, controlled }, run }) =>
          run && controlled ? [[invoiceId, controlled] as const] : [],
        ),
      ),
      stopped: new Map(stopped.map(({ request, error }) => [request.invoiceId, error])),
      runs: new Map(asked.flatMap(({ attemptId, run }) => (run ? [[attemptId, run] as const] : []))),
    };
  }

  /** Reserves these payments of invoices of the locked account, those that control plugins have stopped left out. */
  async reserveThese(
    session: WriteSession,
    { context, account, payments, paysEmptyInvoices = false, left = UNCONTROLLED }: ReservingThese,
  ): Promise<ReservedPayments> {
    const requests = payments.flatMap((payment) => {
      const controlled = left.controlled.get(payment.invoiceId);
      if (left.stopped.has(payment.invoiceId)) return [];
      return [requestOf(account, controlled ? { ...payment, controlled } : payment)];
    });
    const round = { requests, accounts: [account], paysEmptyInvoices };
    const charging = { parallelCalls: ONE, callerOf: () => context };
    const reserved = requests.length > 0 ? await this.#steps.reserve(session, round, charging) : NOTHING;
    for (const charge of reserved.charges) checkCommits(context, charge);
    const charged = new Set(reserved.charges.map(({ transaction }) => transaction.attemptId));
    await this.control.abort(
      session,
      [...left.runs.keys()].filter((attemptId) => !charged.has(attemptId)),
    );
    return reserved;
  }

  /** Ends what control plugins have let pass and an error has refused: they are told, and the error stays the answer. */
  async giveUp(context: CallContext, { runs }: LeftPayments): Promise<void> {
    if (runs.size === 0) return;
    try {
      const { pluginTimeoutMs: timeoutMs } = await this.#ports.storage.read(context.tenant, this.#configOf);
      await this.control.tellRefusal(runs.values(), { timeoutMs });
      await this.#write(context, (session) => this.control.abort(session, [...runs.keys()]));
    } catch (error) {
      const facts = { err: error, attemptIds: [...runs.keys()] };
      this.#ports.logger.error(facts, 'attempts of payments were not ended; the sweep of attempts ends them');
    }
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
      await this.#write(context, async (session) => {
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

  #write<T>(context: CallContext, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.#ports.storage.write(context.tenant, authorshipOf(context), work);
  }
}

async function unpaidOf(
  session: WriteSession,
  account: Account,
  { paymentMethodId, controlPlugins = null }: Paying,
): Promise<readonly AskedPayment[]> {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  const api = { ...WITH_DEFAULTS, methodId: paymentMethodId, controlPlugins };
  return invoices.map(({ id: invoiceId }) => ({ invoiceId, api }));
}

function requestOf({ recordId }: Account, payment: AskedPayment): PaymentRequest {
  return { ...payment, accountRecordId: recordId, retry: null };
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

/** One of a locked account. */
type AskedPayment = Pick<PaymentRequest, 'invoiceId' | 'api' | 'controlled'>;

export interface AskedOf {
  readonly account: Account;
  readonly payments: readonly AskedPayment[];
}

/** What control plugins have left of payments of one account (§2.3). */
export interface LeftPayments {
  /** By invoice: what they have let pass. */
  readonly controlled: ReadonlyMap<Uuid, ControlledCharge>;
  /** By invoice: why they have stopped it. */
  readonly stopped: ReadonlyMap<Uuid, unknown>;
  /** By attempt: whom to tell how it ends. */
  readonly runs: ReadonlyMap<Uuid, ControlledRun>;
}

const NOTHING: ReservedPayments = { planned: [], charges: [] };
const UNCONTROLLED: LeftPayments = { controlled: new Map(), stopped: new Map(), runs: new Map() };

/** Payments of invoices that a call asks for. */
interface ReservingThese {
  readonly context: CallContext;
  readonly account: Account;
  readonly payments: readonly AskedPayment[];
  /** Whether an invoice with nothing due is paid with 0, where the tenant says so; default false. */
  readonly paysEmptyInvoices?: boolean;
  /** What control plugins have left of them; default: none was asked. */
  readonly left?: LeftPayments;
}

interface ReservedPayments {
  readonly planned: readonly PlannedRequest<PaymentRequest>[];
  /** Those whose gateway is to be called once the transaction is committed. */
  readonly charges: readonly ReservedPayment[];
}

interface Paying {
  readonly paymentMethodId: Uuid;
  /** Control plugins by name; default those of the tenant. */
  readonly controlPlugins?: readonly string[] | null;
}

interface Reserving extends Paying {
  readonly context: CallContext;
  readonly account: Account;
}

interface PayingAll extends Paying {
  readonly accountId: Uuid;
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
