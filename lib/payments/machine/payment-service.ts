import { LockWait, type ReadSession, type Storage, type WriteSession } from '../../ports/storage/index.ts';
import {
  AttemptState,
  type CallContext,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
  type PaymentTransaction,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CallOutcome, ClaimedResults } from '../claims/gateway-claims.ts';
import { loadOperationFacts, loadPayments, loadRequestTarget } from '../loading/load-facts.ts';
import type { PaymentResult } from '../payment-operations.ts';
import { type PlannedCall, plannedOperation } from '../planning/call-records.ts';
import type { OperationFacts, OperationRequest, OperationRules } from '../planning/operation-facts.ts';
import {
  type CompletionChoice,
  type NewOperation,
  type NotifiedOutcome,
  type OperationPlan,
  openOf,
  planCompletion,
  planNotified,
  planOperation,
} from '../planning/operation-plan.ts';
import {
  type ConsultedRun,
  checkCommits,
  firstCheck,
  hasOutsideEffect,
  leaseUntil,
} from '../planning/reservation.ts';
import { type Consultation, endRuns } from '../plugins/attempt-control.ts';
import type { AnsweredCall, OpenCall } from '../plugins/call-gateway.ts';
import { contextOfAttempt, pluginsAmong } from '../plugins/control-calls.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { failureOfCall } from '../state/payment-errors.ts';
import { hasLapsed, isFirstOperation, typeOf } from '../state/payment-state.ts';
import { type LoadedPayments, viewPayments } from '../state/payment-view.ts';
import { type PaymentMachine, type Progress, type Step, writesOf } from './payment-machine.ts';
import type { RecordedPayments } from './record-outcomes.ts';

/** The input of a decision. It is read while the account is locked. */
export interface Deciding {
  readonly request: OperationRequest;
  readonly facts: OperationFacts;
  readonly rules: OperationRules;
  readonly session: WriteSession;
}

/** A requested operation, with a function that plans it once the data is loaded. */
export interface Operation {
  readonly request: OperationRequest;
  /** If true (the default), open outcomes are queried first (§4.1 rule 4) and control plugins are called. */
  readonly isNew?: boolean;
  /** True if the built-in invoice control is called first (§2.3 rule 9). */
  readonly isOfInvoice?: boolean;
  /** False for a retry on a date that a control plugin requested. Defaults to true. */
  readonly isApiPayment?: boolean;
  /** Plans the operation. By default, a new operation is planned from the request. */
  readonly plan?: ((deciding: Deciding) => OperationPlan | Promise<OperationPlan>) | undefined;
}

interface Looking extends Deciding {
  readonly context: CallContext;
  readonly work: Operation;
  readonly config: PaymentConfig;
  readonly consulted: ConsultedRun | null;
  /** Control plugins that have not been called yet, including the built-in plugin. */
  readonly names: readonly string[];
  /** The number of a new payment. If null, the number is reserved in the transaction. */
  readonly paymentNumber: number | null;
}

type OperationStep = Step<OpenCall, Ended>;

const RUN = 'operation';

/** Operations on payments (§4, §5, §8). */
export class PaymentService {
  readonly #machine: PaymentMachine;

  constructor(machine: PaymentMachine) {
    this.#machine = machine;
  }

  run(context: CallContext, request: OperationRequest): Promise<PaymentResult> {
    return this.runPlanned(context, { request });
  }

  /** Queries the gateway about a pending transaction (§6.1). */
  complete(
    context: CallContext,
    request: OperationRequest,
    choice: CompletionChoice,
  ): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planCompletion({ choice, told: request }, facts, rules);
    return this.runPlanned(context, { request, plan, isNew: false });
  }

  /** Records the reported outcome of a pending transaction without calling a gateway (§6.2). */
  settle(context: CallContext, request: OperationRequest, notified: NotifiedOutcome): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planNotified(notified, facts, rules);
    return this.runPlanned(context, { request, plan, isNew: false });
  }

  /** Runs an operation. If the operation has its own `plan` function, uses that function. */
  async runPlanned(context: CallContext, work: Operation): Promise<PaymentResult> {
    const { operation, paymentId } = work.request;
    // Reserve the number before the transaction starts, in case this call creates the payment.
    const mayBegin = paymentId === null && isFirstOperation(operation);
    const { storage } = this.#machine.ports;
    const paymentNumber = mayBegin ? await storage.takePaymentNumber(context.tenant) : null;
    const ended = await this.#machine.run<OpenCall, Ended>({
      parallelCalls: 1,
      write: writesOf(this.#machine.ports, context),
      look: (session, progress) => this.#look(session, progress, { context, work, paymentNumber }),
      record: (answered) => this.#record(context, answered),
      comesAgain: (error) =>
        work.isApiPayment === false && error instanceof BillingError && error.facts.isBusy === true,
    });
    const failure = failureOfCall(ended.outcome, ended);
    if (failure !== null) throw failure;
    return resultOf(ended.loaded, ended);
  }

  /**
   * Decides whether the operation may start, and decides again after the control plugins are called. Then reserves the
   * operation (§4.1, §5.1 rule 1).
   */
  async #look(
    session: WriteSession,
    { hasCalledGateway, consulted: { passed, stopped } }: Progress,
    asked: Pick<Looking, 'context' | 'work' | 'paymentNumber'>,
  ): Promise<OperationStep> {
    const { context, work } = asked;
    const stop = stopped.get(RUN);
    if (stop) throw stop.error;
    const { ports, configOf, stateMachines, control } = this.#machine;
    const consulted = passed.get(RUN)?.consulted ?? null;
    const request = consulted === null ? work.request : adjustedRequest(work.request, consulted);
    const accountId = request.accountId ?? (await loadRequestTarget(session, request)).accountId;
    const [[locked], config, tables] = await Promise.all([
      session.lockAccounts([accountId], { wait: LockWait.PAYMENT }),
      configOf(session),
      stateMachines.of(session),
    ]);
    const facts = await loadOperationFacts(session, request, locked);
    const { createdDate: now } = session.authorship;
    const { isNew = true } = work;
    if (isNew && !hasCalledGateway && openOf(facts, now).length > 0) {
      const { properties } = request;
      return { kind: 'ASK_GATEWAY', context, facts, properties, timeoutMs: config.pluginTimeoutMs };
    }
    const names = isNew && consulted === null ? this.#controlsOf(work, config) : [];
    const rules = {
      now,
      gateways: ports.gateways,
      allowsOverRefund: config.allowsOverRefund,
      roundsFloatNoise: context.roundsFloatNoise,
      stateMachines: tables,
      awaitsMethod: control.hears(names),
    };
    const looking = { ...asked, session, request, facts, rules, config, consulted, names };
    const { plan = planPlainly } = work;
    return this.#take(await plan(looking), looking);
  }

  /** Returns the names of the run's control plugins, in calling order (§2.3 rule 9). */
  #controlsOf({ isOfInvoice = false, request }: Operation, config: PaymentConfig) {
    const { controlPlugins: named } = request;
    if (!isOfInvoice && named === null && !this.#machine.control.isHeard) return [];
    const plugins = named ?? config.controlPlugins;
    return isOfInvoice ? [INVOICE_PAYMENT_CONTROL_PLUGIN, ...plugins] : plugins;
  }

  async #take(plan: OperationPlan, looking: Looking): Promise<OperationStep> {
    const { session, context, config, facts, consulted, names } = looking;
    if (plan.kind === 'WAIT') return createWaitStep(looking);
    if (plan.kind !== 'NEW') {
      // A transaction that has no outcome yet already has its own attempt (§8.1 rule 4).
      if (consulted !== null) await endRuns(session, [{ attemptId: consulted.attempt.id }]);
      if (plan.kind === 'COMPLETE') return this.#complete(plan, { ...looking, consulted: null });
      const { transaction } = plan;
      const loaded = await loadResult(session, transaction.paymentId);
      const { paymentId } = transaction;
      return { kind: 'DONE', result: { paymentId, transaction, outcome: null, loaded } };
    }
    checkCommits(context, plan);
    if (names.length > 0) {
      const run = this.#begin(plan, looking);
      await session.payments.insertAttempts([run.begun.attempt]);
      return { kind: 'CONSULT', runs: [run], config };
    }
    await endLapsedLeases(looking);
    const { request, paymentNumber } = looking;
    const isControlled = consulted !== null && pluginsAmong(consulted.attempt.pluginNames).length > 0;
    const { ids } = this.#machine.ports;
    const tools = { request, facts, consulted, ids, ...leaseOf(looking) };
    const planned = plannedOperation(plan, tools);
    await insert(session, planned, { facts, paymentNumber });
    return this.#nextStep({ ...planned, isControlled }, looking);
  }

  /** Leases the pending transaction, unless another node already holds a lease on it. */
  async #complete(
    { transaction, gateway, told, outcome }: Extract<OperationPlan, { kind: 'COMPLETE' }>,
    looking: Looking,
  ): Promise<OperationStep> {
    const { session, context, request, facts } = looking;
    const { account, payment } = facts;
    checkCommits(context, { gateway });
    await endLapsedLeases(looking);
    assertInvariant(payment, 'A completed transaction has no payment', { transactionId: transaction.id });
    const lease = leaseOf(looking);
    const leased = await session.payments.leaseTransactions([transaction.id], lease);
    if (leased.length === 0) return createWaitStep(looking);
    const call = {
      account,
      gateway,
      paymentId: payment.id,
      paymentMethodId: payment.paymentMethodId,
      properties: request.properties,
      transaction: { ...transaction, leaseUntil: lease.leaseUntil },
      // Control plugins may also be called after a transaction that began earlier (§6.1 rule 4).
      isControlled: transaction.attemptId !== null && this.#machine.control.isHeard,
      told,
      ...(outcome && { outcome }),
    };
    return this.#nextStep(call, looking);
  }

  /**
   * Returns the reserved operation. An operation without external effects is completed in the transaction that reserves
   * it (§2.4 rule 1).
   */
  async #nextStep(
    reserved: Omit<OpenCall, 'timeoutMs' | 'caller'>,
    { session, config, context }: Looking,
  ): Promise<OperationStep> {
    const call = { ...reserved, timeoutMs: config.pluginTimeoutMs, caller: context };
    if (!hasOutsideEffect(call)) {
      const answered = await this.#machine.call([call], 1);
      return { kind: 'DONE', result: await this.#storeAnswer(session, answered) };
    }
    const check = firstCheck(call, config);
    if (check !== null) session.schedule([check]);
    return { kind: 'CALL', calls: [call] };
  }

  async #record(context: CallContext, answered: readonly AnsweredCall[]) {
    const { ports, configOf } = this.#machine;
    const authorship = { ...authorshipOf(context), createdDate: ports.clock.now() };
    try {
      return await ports.storage.write(context.tenant, authorship, async (session) => {
        const accountIds = answered.map(({ account }) => account.id);
        await Promise.all([session.lockAccounts(accountIds, { wait: LockWait.PAYMENT }), configOf(session)]);
        return this.#storeAnswer(session, answered);
      });
    } catch (error) {
      this.#machine.logUnrecorded(error, answered);
      throw notRecorded(answered, error);
    }
  }

  async #storeAnswer(session: WriteSession, answered: readonly AnsweredCall[]) {
    const [call] = answered;
    assertInvariant(call, 'A gateway call has no answer');
    return { ...call, loaded: recordedResult(await this.#machine.record(session, answered)) };
  }

  /** Returns the run of a planned operation. It contains the amount, currency and method, which plugins can see. */
  #begin(plan: NewOperation, { context, work, request, facts, names }: Looking): Consultation {
    const { ids } = this.#machine.ports;
    const { account, payment, method } = facts;
    const { operation, properties } = request;
    const [paymentId, transactionId] = [ids.next(), ids.next()];
    const planned = { paymentId, transactionId, isNewPayment: payment === null, settles: null };
    const attempt: New<PaymentAttempt> = {
      id: ids.next(),
      accountId: account.id,
      accountRecordId: account.recordId,
      paymentMethodId: plan.method?.id ?? null,
      paymentExternalKey: payment?.externalKey ?? request.paymentExternalKey ?? paymentId,
      transactionId: null,
      transactionExternalKey: request.transactionExternalKey ?? transactionId,
      transactionType: typeOf(operation),
      stateName: AttemptState.INIT,
      amount: plan.amount,
      currency: plan.currency,
      pluginNames: names,
      pluginProperties: null,
      isApiPayment: work.isApiPayment ?? true,
      createdDate: context.createdDate,
    };
    const paymentPluginName = plan.gateway?.name ?? method?.pluginName ?? null;
    const about = contextOfAttempt(context, attempt, paymentPluginName);
    const run = { names, context: { ...about, paymentId: payment?.id ?? null }, properties };
    return { key: RUN, begun: { attempt, planned }, run };
  }
}

function planPlainly({ request, facts, rules }: Deciding) {
  return planOperation(request, facts, rules);
}

function createWaitStep({ facts: { account }, config }: Looking): OperationStep {
  return { kind: 'WAIT', accountId: account.id, patience: config.lockRetries, consultsAgain: false };
}

/** Returns the request with the changes of the control plugins and with the keys of its attempt. */
function adjustedRequest(
  request: OperationRequest,
  { attempt, amount, currency, paymentMethodId, properties }: ConsultedRun,
) {
  const { paymentExternalKey, transactionExternalKey } = attempt;
  const adjusted = { amount, currency, paymentMethodId, properties };
  return { ...request, ...adjusted, paymentExternalKey, transactionExternalKey };
}

function leaseOf({ rules: { now }, config: { pluginTimeoutMs: timeoutMs } }: Looking) {
  return { now, leaseUntil: leaseUntil(now, { count: 1, parallelCalls: 1, timeoutMs }) };
}

async function endLapsedLeases({ session, facts, rules: { now } }: Looking) {
  const lapsed = facts.transactions.filter((each) => hasLapsed(each, now)).map(({ id }) => id);
  await session.payments.endLeases(lapsed, { now });
}

async function insert(
  session: WriteSession,
  { newPayment, transaction }: PlannedCall,
  { facts: { payment }, paymentNumber: taken }: Pick<Looking, 'facts' | 'paymentNumber'>,
) {
  if (payment !== null) session.payments.noteUpdates([payment]); // Records that the payment changed (§5.1 rule 4).
  if (newPayment === null) {
    await session.payments.insertTransactions([transaction]);
    return;
  }
  const paymentNumber = taken ?? (await session.payments.takePaymentNumbers(1));
  await Promise.all([
    session.payments.insertPayments([{ ...newPayment, paymentNumber }]),
    session.payments.insertTransactions([transaction]),
  ]);
}

function notRecorded([call]: readonly AnsweredCall[], cause: unknown) {
  const { paymentId, transaction } = call ?? {};
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message:
      `The outcome of payment ${paymentId} could not be recorded; money may have moved. ` +
      'Recovery queries the payment gateway; read the payment before trying again',
    facts: { paymentId, transactionId: transaction?.id },
    cause,
  });
}

/** An operation that has ended. The outcome is null if the gateway was not called. */
export interface Done {
  readonly paymentId: Uuid;
  readonly transaction: Pick<PaymentTransaction, 'id'>;
  readonly outcome: CallOutcome | null;
}

export type Ended = Done & { readonly loaded: LoadedPayments };

export async function loadResult(session: ReadSession, paymentId: Uuid): Promise<LoadedPayments> {
  return loadPayments(session, await session.payments.findByIds([paymentId]), {});
}

export function recordedResult({ payments, transactions }: RecordedPayments): LoadedPayments {
  return {
    payments: [...payments.values()],
    transactions: Map.groupBy(transactions.values(), ({ paymentId }) => paymentId),
    attempts: null,
    pending: new Map(),
    pluginNames: new Map(),
  };
}

export async function readResult(
  storage: Pick<Storage<never>, 'read'>,
  context: CallContext,
  done: Done,
): Promise<PaymentResult> {
  const loaded = await storage.read(context.tenant, (session) => loadResult(session, done.paymentId));
  return resultOf(loaded, done);
}

/** Returns the payment after an operation, with the information from the gateway. */
export function resultOf(loaded: LoadedPayments, { paymentId, transaction, outcome }: Done): PaymentResult {
  const told: ReadonlyMap<Uuid, ClaimedResults> =
    outcome?.kind === 'RESULT' ? new Map([[paymentId, [outcome.result]]]) : new Map();
  const [payment] = viewPayments(loaded, told);
  const shown = payment?.transactions.find(({ id }) => id === transaction.id);
  assertInvariant(payment && shown, 'A recorded payment must be found', { paymentId });
  return { payment, transaction: shown };
}
