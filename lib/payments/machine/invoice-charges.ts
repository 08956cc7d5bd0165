import { lockAccount } from '../../accounts/index.ts';
import { changeInvoices, loadUnpaidInvoices } from '../../invoicing/index.ts';
import { LockWait, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import { type Account, type CallContext, INVOICE_PAYMENT_CONTROL_PLUGIN } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { loadFacts } from '../loading/load-facts.ts';
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
  settledInvoices,
} from '../state/invoice-effect.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { invoicePaymentEvent } from '../state/payment-notifications.ts';
import { type PaymentMachine, type Step, writesOf } from './payment-machine.ts';

export interface PlannedRequest<R extends PaymentRequest> {
  readonly request: R;
  readonly plan: ReservationPlan;
}

export type Charge<R> = OpenCall & { readonly request: R };

/** Requests of accounts whose locks are held; those of other accounts are left out. */
export interface Round<R extends PaymentRequest> {
  readonly requests: readonly R[];
  readonly accounts: readonly Account[];
  /** Whether to pay an invoice with nothing due with 0, where the tenant allows that. */
  readonly paysEmptyInvoices: boolean;
  readonly parallelCalls: number;
  callerOf(request: R): ControlCaller;
  keyOf(request: R): unknown;
}

export interface Reserved<R extends PaymentRequest> {
  readonly kind: 'RESERVED';
  readonly planned: readonly PlannedRequest<R>[];
  /** Those whose gateway is to be called once the transaction is committed. */
  readonly calls: readonly Charge<R>[];
}

type Known<R extends PaymentRequest> = PlannedRequest<R> & Pick<KnownFacts, 'facts'>;
type Tools = PlanTools & { readonly config: PaymentConfig };
type Consulting = Extract<Step<never, never>, { kind: 'CONSULT' }>;

/** The payments of invoices, whoever asks for them (§9.2). */
export class InvoiceCharges {
  readonly #machine: PaymentMachine;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
  }

  /**
   * Reserves the payments, or begins their runs if control plugins are still to be asked. What plugins have stopped is left
   * out. Gateways without outside effect are called here: their outcome is part of the same transaction (§2.4 rule 1).
   */
  async look<R extends PaymentRequest>(
    session: WriteSession,
    round: Round<R>,
    consulted: Consulted,
  ): Promise<Consulting | Reserved<R>> {
    const requests = round.requests.flatMap((request) => {
      const key = round.keyOf(request);
      const passed = consulted.passed.get(key);
      if (consulted.stopped.has(key)) return [];
      return [passed ? { ...request, consulted: passed.consulted } : request];
    });
    const tools = await this.#toolsOf(session, { ...round, requests });
    const known = await this.#planned(session, { ...round, requests }, tools);
    const runs = new Map(known.map((each) => [each, this.#run(each, round, tools.config)]));
    const begun = [...runs.values()].flatMap((run) => run ?? []);
    if (begun.length > 0 && consulted === NOT_CONSULTED) {
      await session.payments.insertAttempts(begun.map(({ begun: { attempt } }) => attempt));
      return { kind: 'CONSULT', runs: begun, config: tools.config };
    }
    // What has become payable since plugins were asked comes again, and they are asked about it.
    const planned = known.map((each) =>
      runs.get(each) ? { ...each, plan: { kind: 'WAIT' as const } } : each,
    );
    return this.#reserve(session, { planned, round, consulted }, tools);
  }

  async #reserve<R extends PaymentRequest>(
    session: WriteSession,
    {
      planned,
      round: { callerOf, parallelCalls },
      consulted,
    }: {
      readonly planned: readonly PlannedRequest<R>[];
      readonly round: Round<R>;
      readonly consulted: Consulted;
    },
    { config }: Tools,
  ): Promise<Reserved<R>> {
    for (const { request, plan } of planned)
      if (plan.kind === 'CHARGE') checkCommits(callerOf(request), plan.charge);
    await storeReservations(session, planned, config);
    const { pluginTimeoutMs: timeoutMs } = config;
    const charges = planned.flatMap(({ request, plan }) =>
      plan.kind === 'CHARGE' ? [{ ...plan.charge, request, caller: callerOf(request), timeoutMs }] : [],
    );
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    if (direct.length > 0)
      await this.#machine.record(session, await this.#machine.call(direct, parallelCalls));
    const reserved = new Set(charges.map(({ attempt }) => attempt.id));
    await endRuns(
      session,
      attemptsPassed(consulted).filter(({ attemptId }) => !reserved.has(attemptId)),
    );
    return { kind: 'RESERVED', planned, calls: charges.filter(hasOutsideEffect) };
  }

  async #toolsOf<R extends PaymentRequest>(
    session: WriteSession,
    { requests, paysEmptyInvoices, parallelCalls }: Round<R>,
  ): Promise<Tools> {
    const { ports, configOf, stateMachines } = this.#machine;
    const config = await configOf(session);
    const now = session.authorship.createdDate;
    const calls = { count: requests.length, parallelCalls, timeoutMs: config.pluginTimeoutMs };
    return {
      ids: ports.ids,
      gateways: ports.gateways,
      now,
      leaseUntil: leaseUntil(now, calls),
      allowEmptyInvoice: paysEmptyInvoices && config.allowEmptyInvoice,
      stateMachines: await stateMachines.of(session),
      config,
    };
  }

  /** Plans each request on the data under the accounts' locks. A constant number of statements. */
  async #planned<R extends PaymentRequest>(
    session: WriteSession,
    { requests, accounts }: Round<R>,
    tools: Tools,
  ): Promise<readonly Known<R>[]> {
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

  /** The run about which control plugins are to be asked; null: none has to be, or they were. */
  #run<R extends PaymentRequest>(
    { request, plan, facts }: Known<R>,
    { callerOf, keyOf }: Round<R>,
    config: PaymentConfig,
  ): Consultation | null {
    const { control } = this.#machine;
    if (plan.kind !== 'CHARGE' || request.consulted !== undefined || !control.isHeard) return null;
    const plugins = pluginsOf(request, facts, config);
    if (!control.hears(plugins)) return null;
    checkCommits(callerOf(request), { ...plan.charge, isControlled: true });
    const { paymentId, newPayment, transaction, properties, gateway, ...charge } = plan.charge;
    const names = [INVOICE_PAYMENT_CONTROL_PLUGIN, ...plugins];
    const attempt = { ...charge.attempt, transactionId: null, pluginNames: names };
    const isNewPayment = newPayment !== null;
    const { id: transactionId, amount: settles } = transaction;
    const about = contextOfAttempt(callerOf(request), attempt, { paymentPluginName: gateway?.name ?? null });
    return {
      key: keyOf(request),
      begun: { attempt, planned: { paymentId, transactionId, isNewPayment, settles } },
      run: { names, context: { ...about, paymentId: isNewPayment ? null : paymentId }, properties },
    };
  }
}

/**
 * A retry, held back or not, runs with the plugins of its attempt (§8.3), a call with those that it names, else those of
 * the tenant.
 */
function pluginsOf(
  { retry, api, holdId }: PaymentRequest,
  facts: ReservationFacts,
  { controlPlugins }: PaymentConfig,
): readonly string[] {
  const { attempts, hold } = facts;
  const released = hold === null || hold.id !== holdId ? null : heldRetryOf(hold, facts);
  const origin = retry === null ? released?.origin : attempts.find(({ id }) => id === retry.attemptId);
  return origin ? pluginsAmong(origin.pluginNames) : (api?.controlPlugins ?? controlPlugins);
}

async function repairLostSuccesses(
  session: WriteSession,
  lost: KnownFacts['lost'],
  { ids }: Tools,
): Promise<void> {
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

/**
 * Inserts what makes the calls recoverable: payment, transaction UNKNOWN with its lease, attempt, invoice payment, and the
 * first recovery notification (§5.1 rule 1). A gateway without outside effect needs no recovery.
 */
async function storeReservations(
  session: WriteSession,
  planned: readonly PlannedRequest<PaymentRequest>[],
  config: PaymentConfig,
): Promise<void> {
  const { payments } = session;
  const decided = planned.flatMap(({ plan }) => (plan.kind === 'WAIT' ? [] : plan));
  const charges = decided.flatMap((plan) => (plan.kind === 'CHARGE' ? plan.charge : []));
  const stops = decided.flatMap((plan) => (plan.kind === 'STOP' ? plan : []));
  const newPayments = charges.flatMap(({ newPayment }) => newPayment ?? []);
  if (newPayments.length > 0) {
    const first = await payments.takePaymentNumbers(newPayments.length);
    await payments.insertPayments(
      newPayments.map((payment, index) => ({ ...payment, paymentNumber: first + index })),
    );
  }
  if (charges.length > 0) await payments.insertTransactions(charges.map(({ transaction }) => transaction));
  const begun = charges.filter(({ isControlled }) => isControlled !== true);
  const attempts = [...decided.flatMap(({ ended }) => ended), ...begun.map(({ attempt }) => attempt)];
  if (attempts.length > 0) await payments.insertAttempts(attempts);
  const spent = decided.flatMap((plan) => plan.spent ?? []);
  if (spent.length > 0) await payments.updateAttempts(spent);
  const newRows = charges.flatMap(({ newRow }) => newRow ?? []);
  if (newRows.length > 0) await payments.insertInvoicePayments(newRows);
  const changedRows = charges.flatMap((charge) => charge.changedRow ?? []);
  if (changedRows.length > 0) await payments.updateInvoicePayments(changedRows);
  await payments.insertHolds(stops.flatMap(({ newHold }) => newHold ?? []));
  await payments.endHolds(decided.flatMap(({ endedHold }) => endedHold ?? []));
  session.schedule(charges.filter(hasOutsideEffect).flatMap((charge) => firstCheck(charge, config) ?? []));
  session.publish(stops.flatMap(({ events }) => events));
}

export type ReservedPayment = Charge<PaymentRequest>;

/** One call at a time, so that what the method can still pay goes to the oldest invoice. */
const ONE = 1;

interface AskedPayments extends Partial<Pick<Round<PaymentRequest>, 'paysEmptyInvoices'>> {
  readonly context: CallContext;
  readonly account: Account;
  readonly payments: readonly { readonly invoiceId: Uuid; readonly api: ApiPayment }[];
}

interface Paying {
  readonly paymentMethodId: Uuid;
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
