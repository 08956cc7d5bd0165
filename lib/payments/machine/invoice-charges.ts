import { lockAccount } from '../../accounts/index.ts';
import { changeInvoices, loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import { type Account, type CallContext, INVOICE_PAYMENT_CONTROL_PLUGIN } from '../../records/index.ts';
import { allEnded, authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { loadFacts } from '../loading/load-facts.ts';
import type { PlannedCharge } from '../planning/call-records.ts';
import { type PaymentRequest, planReservation, type ReservationPlan } from '../planning/plan-reservation.ts';
import {
  type ApiPayment,
  checkCommits,
  firstCheck,
  hasOutsideEffect,
  heldRetryOf,
  type KnownFacts,
  leaseUntil,
  type PlanTools,
  type ReservationFacts,
} from '../planning/reservation.ts';
import {
  attemptsPassed,
  type Consultation,
  type Consulted,
  endRuns,
  NOT_CONSULTED,
} from '../plugins/attempt-control.ts';
import type { AnsweredCall, ControlCaller, OpenCall } from '../plugins/call-gateway.ts';
import { contextOfAttempt, pluginsAmong } from '../plugins/control-calls.ts';
import {
  asSettled,
  changedRow,
  eventOfResult,
  invoicePaymentResult,
  type SettledRecords,
  settledInvoices,
} from '../state/invoice-effect.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { invoicePaymentEvent } from '../state/payment-notifications.ts';
import { type PaymentMachine, type Step, type StepOf, writesOf } from './payment-machine.ts';

export type Charge<R> = OpenCall & { readonly request: R };

/** The current requests and the accounts whose locks are held. Requests for other accounts are skipped. */
interface Round<R extends PaymentRequest> {
  readonly requests: readonly R[];
  readonly accounts: readonly Account[];
  readonly consulted: Consulted;
  /** If true, an invoice whose balance is 0 gets a payment of 0, provided that the tenant allows such payments. */
  readonly paysEmptyInvoices: boolean;
  readonly parallelCalls: number;
  callerOf(request: R): ControlCaller;
  keyOf(request: R): unknown;
}

interface Reserved<R extends PaymentRequest> {
  readonly kind: 'RESERVED';
  readonly planned: readonly Planned<R>[];
  /** Gateway calls to make after the commit. */
  readonly calls: readonly Charge<R>[];
}

type Planned<R extends PaymentRequest> = Pick<KnownFacts, 'facts'> & {
  readonly request: R;
  readonly plan: ReservationPlan;
};
type Tools = PlanTools & { readonly config: PaymentConfig };

/**
 * Reserves payments of invoices (§9.2). If control plugins must be consulted first, begins the runs instead. Skips
 * payments that a plugin stopped. Gateways without external effects are called here, in the same transaction (§2.4 rule
 * 1).
 */
export async function reserveCharges<R extends PaymentRequest>(
  machine: PaymentMachine,
  session: WriteSession,
  { requests: asked, ...round }: Round<R>,
): Promise<StepOf<'CONSULT'> | Reserved<R>> {
  const { consulted, callerOf, keyOf, parallelCalls } = round;
  const requests = asked.flatMap((request) => {
    const passed = consulted.passed.get(keyOf(request));
    if (consulted.stopped.has(keyOf(request))) return [];
    return [passed ? { ...request, consulted: passed.consulted } : request];
  });
  const tools = await toolsOf(machine, session, { ...round, requests });
  const { config } = tools;
  const known = await planAll(session, { ...round, requests }, tools);
  const runs = new Map(known.map((each) => [each, runOf(each, round, { ...machine, config })]));
  const begun = [...runs.values()].flatMap((run) => run ?? []);
  if (begun.length > 0 && consulted === NOT_CONSULTED) {
    await session.payments.insertAttempts(begun.map(({ begun: { attempt } }) => attempt));
    return { kind: 'CONSULT', runs: begun, config };
  }
  // Payments that became possible after the plugins were consulted wait for the next round.
  const planned = known.map((each) => (runs.get(each) ? { ...each, plan: { kind: 'WAIT' as const } } : each));
  const charges = planned.flatMap(({ request, plan }) => {
    if (plan.kind !== 'CHARGE') return [];
    checkCommits(callerOf(request), plan.charge);
    return [{ ...plan.charge, request, caller: callerOf(request), timeoutMs: config.pluginTimeoutMs }];
  });
  const stored = await storeReservations(session, planned, config);
  const direct = charges.filter((charge) => !hasOutsideEffect(charge));
  if (direct.length > 0) {
    const inserted = direct.every(isFirstOperation) ? stored : null;
    await machine.record(session, await machine.call(direct, parallelCalls), inserted);
  }
  const reserved = new Set(charges.map(({ attempt }) => attempt.id));
  const unused = attemptsPassed(consulted).filter(({ attemptId }) => !reserved.has(attemptId));
  await endRuns(session, unused);
  return { kind: 'RESERVED', planned, calls: charges.filter(hasOutsideEffect) };
}

async function toolsOf(
  { ports: { ids, gateways }, configOf, stateMachines }: PaymentMachine,
  session: WriteSession,
  { requests: { length: count }, paysEmptyInvoices, parallelCalls }: Round<PaymentRequest>,
): Promise<Tools> {
  const config = await configOf(session);
  const now = session.authorship.createdDate;
  return {
    ids,
    gateways,
    now,
    leaseUntil: leaseUntil(now, { count, parallelCalls, timeoutMs: config.pluginTimeoutMs }),
    allowEmptyInvoice: paysEmptyInvoices && config.allowEmptyInvoice,
    stateMachines: await stateMachines.of(session),
    config,
  };
}

/** Plans each request while the accounts are locked. Executes a constant number of statements. */
async function planAll<R extends PaymentRequest>(
  session: WriteSession,
  { requests, accounts }: Round<R>,
  tools: Tools,
): Promise<readonly Planned<R>[]> {
  if (requests.length === 0) return [];
  let known = await loadFacts(session, requests, accounts);
  const lost = [...known.values()].flatMap((each) => each.lost);
  if (lost.length > 0) {
    await repairLostSuccesses(session, lost, tools);
    known = await loadFacts(session, requests, accounts);
  }
  return requests.flatMap((request) => {
    const facts = known.get(request)?.facts;
    return facts ? [{ request, facts, plan: planReservation(request, facts, tools) }] : [];
  });
}

/**
 * Returns the run about which control plugins must be consulted, or null if no consultation is needed or it has already
 * taken place.
 */
function runOf<R extends PaymentRequest>(
  { request, plan, facts }: Planned<R>,
  { callerOf, keyOf }: Pick<Round<R>, 'callerOf' | 'keyOf'>,
  { control, config }: Pick<PaymentMachine, 'control'> & Pick<Tools, 'config'>,
): Consultation | null {
  if (plan.kind !== 'CHARGE' || request.consulted !== undefined || !control.isHeard) return null;
  const plugins = pluginsOf(request, facts, config);
  if (!control.hears(plugins)) return null;
  checkCommits(callerOf(request), { ...plan.charge, isControlled: true });
  const { paymentId, newPayment, transaction, properties, gateway, ...charge } = plan.charge;
  const names = [INVOICE_PAYMENT_CONTROL_PLUGIN, ...plugins];
  const attempt = { ...charge.attempt, transactionId: null, pluginNames: names };
  const isNewPayment = newPayment !== null;
  const { id: transactionId, amount: settles } = transaction;
  const about = contextOfAttempt(callerOf(request), attempt, gateway?.name ?? null);
  return {
    key: keyOf(request),
    begun: { attempt, planned: { paymentId, transactionId, isNewPayment, settles } },
    run: { names, context: { ...about, paymentId: isNewPayment ? null : paymentId }, properties },
  };
}

/**
 * Returns the control plugins of a run. A retry uses the plugins of its attempt (§8.3). A call uses the plugins named
 * in the request or, if the request does not specify plugins, the plugins of the tenant.
 */
function pluginsOf(
  { retry, api, holdId }: PaymentRequest,
  facts: ReservationFacts,
  { controlPlugins }: PaymentConfig,
) {
  const { attempts, hold } = facts;
  const released = hold?.id === holdId && hold !== null ? heldRetryOf(hold, facts) : null;
  const origin = retry === null ? released?.origin : attempts.find(({ id }) => id === retry.attemptId);
  return origin ? pluginsAmong(origin.pluginNames) : (api?.controlPlugins ?? controlPlugins);
}

async function repairLostSuccesses(session: WriteSession, lost: KnownFacts['lost'], { ids }: Tools) {
  const repairs = lost.map(({ row, transaction, invoice, attempt }) => {
    const settled = asSettled(transaction, row, attempt);
    const result = invoicePaymentResult(settled, invoice.currency);
    return { ...changedRow(row, result), accountId: invoice.accountId };
  });
  const invoices = new Map(lost.map(({ invoice }) => [invoice.id, invoice]));
  await session.payments.updateInvoicePayments(repairs.map(({ after }) => after));
  session.publish(
    repairs.map(({ accountId, after }) =>
      invoicePaymentEvent({ type: eventOfResult(after), accountId, row: after, attempt: null }),
    ),
  );
  await changeInvoices(session, { changes: settledInvoices(repairs, invoices) }, ids);
}

/** Returns true if the reservation of the charge inserts all of its records, because none of them exist yet. */
function isFirstOperation({ newPayment, newRow }: PlannedCharge): boolean {
  return newPayment !== null && newRow !== null;
}

/**
 * Inserts the records from which the calls can be recovered, and the notification for the first recovery (§5.1 rule 1).
 * @returns the inserted records, with the invoices.
 */
async function storeReservations(
  session: WriteSession,
  planned: readonly Pick<Planned<PaymentRequest>, 'plan' | 'facts'>[],
  config: PaymentConfig,
): Promise<SettledRecords> {
  const { payments } = session;
  const decided = planned.flatMap(({ plan }) => (plan.kind === 'WAIT' ? [] : plan));
  const charges = decided.flatMap((plan) => (plan.kind === 'CHARGE' ? plan.charge : []));
  const stops = decided.flatMap((plan) => (plan.kind === 'STOP' ? plan : []));
  const newPayments = charges.flatMap(({ newPayment }) => newPayment ?? []);
  const first = newPayments.length > 0 ? await payments.takePaymentNumbers(newPayments.length) : 0;
  const begun = charges.filter(({ isControlled }) => isControlled !== true);
  const [inserted, transactions, attempts, , rows] = await allEnded([
    payments.insertPayments(
      newPayments.map((payment, index) => ({ ...payment, paymentNumber: first + index })),
    ),
    payments.insertTransactions(charges.map(({ transaction }) => transaction)),
    payments.insertAttempts([
      ...decided.flatMap(({ ended }) => ended),
      ...begun.map(({ attempt }) => attempt),
    ]),
    payments.updateAttempts(decided.flatMap((plan) => plan.spent ?? [])),
    payments.insertInvoicePayments(charges.flatMap(({ newRow }) => newRow ?? [])),
    payments.updateInvoicePayments(charges.flatMap((charge) => charge.changedRow ?? [])),
    payments.insertHolds(stops.flatMap(({ newHold }) => newHold ?? [])),
    payments.endHolds(decided.flatMap(({ endedHold }) => endedHold ?? [])),
  ]);
  session.schedule(charges.filter(hasOutsideEffect).flatMap((charge) => firstCheck(charge, config) ?? []));
  session.publish(stops.flatMap(({ events }) => events));
  return {
    transactions,
    openInvoiceRefunds: [],
    payments: new Map(inserted.map((payment) => [payment.id, payment])),
    attempts: new Map(attempts.map((attempt) => [attempt.id, attempt])),
    rows,
    latest: new Map(rows.map((row) => [row.id, row])),
    invoices: new Map(planned.map(({ facts: { invoice } }) => [invoice.id, invoice])),
  };
}

export type ReservedPayment = Charge<PaymentRequest>;

/** Number of concurrent calls. With one call at a time, the oldest invoice is always paid first. */
const ONE = 1;

interface PaymentsRequest {
  readonly context: CallContext;
  readonly account: Account;
  readonly payments: readonly { readonly invoiceId: Uuid; readonly api: ApiPayment }[];
  readonly paysEmptyInvoices?: boolean;
}

interface Paying {
  readonly paymentMethodId: Uuid;
  readonly controlPlugins?: readonly string[] | null;
}

/**
 * Makes the invoice payments that a call requests for an account (§9.6, §10.1 rule 7). The payments run one after
 * another.
 */
export class AccountCharges {
  readonly #machine: PaymentMachine;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
  }

  /** @param look Locks the account and reserves the payments with `reserve`. May run several times. */
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

  /**
   * Reserves payments of the locked account. For control plugins, each payment is identified by the id of its invoice.
   */
  reserve(
    session: WriteSession,
    { context, account, payments, paysEmptyInvoices = false }: PaymentsRequest,
    consulted: Consulted,
  ) {
    return reserveCharges(this.#machine, session, {
      requests: payments.map((each) => ({ ...each, accountRecordId: account.recordId, retry: null })),
      accounts: [account],
      consulted,
      paysEmptyInvoices,
      parallelCalls: ONE,
      callerOf: () => context,
      keyOf: ({ invoiceId }: PaymentRequest) => invoiceId,
    });
  }

  /**
   * Reserves payments of all unpaid invoices in the caller's transaction (§9.2). If plugins must be consulted first,
   * reserves no payments.
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
   * Pays the invoices that were reserved in the caller's transaction, or that control plugins allow. Call this after
   * the transaction. Failures are only logged.
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

  /** Records the results. If this fails, logs the error; recovery then resolves the payments. */
  async #record(context: CallContext, answered: readonly AnsweredCall[]) {
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

/** Returns the step that makes the calls of a reservation. If there are no calls, returns the result. */
export function callsOrDone<C extends OpenCall, R>(calls: readonly C[], result: R): Step<C, R> {
  return calls.length > 0 ? { kind: 'CALL', calls } : { kind: 'DONE', result };
}

async function unpaidOf(
  session: ReadSession,
  account: Account,
  { paymentMethodId: methodId, controlPlugins = null }: Paying,
) {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  const api = { ...WITH_DEFAULTS, methodId, controlPlugins };
  return invoices.map(({ id: invoiceId }) => ({ invoiceId, api }));
}
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
 * Checks that the account has a default payment method.
 * @throws BillingError INVALID_PARAMETER (60002) if there is no method to pay with (§10.1 rule 2).
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
