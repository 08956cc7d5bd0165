import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { CallContext, Payment, PaymentTransaction } from '../../records/index.ts';
import { authorshipOf, pause } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { type AnsweredCall, type CallPorts, GatewayCalls } from '../calls/gateway-calls.ts';
import type { OpenCall } from '../gateways/call-operation.ts';
import { GatewayInfo } from '../gateways/gateway-info.ts';
import { repairOnRead } from '../recovery/repair-on-read.ts';
import { leaseUntil } from '../reservation/lease.ts';
import { firstCheck, hasOutsideEffect } from '../reservation/reserved-call.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { paymentBusy } from '../state/payment-errors.ts';
import {
  type CompletionChoice,
  type NotifiedOutcome,
  planCompletion,
  planNotified,
} from './completion-plan.ts';
import type { PaymentResult } from './direct-payment-operations.ts';
import { loadOperationFacts } from './load-operation-facts.ts';
import { failureOfCall } from './operation-failure.ts';
import {
  type OperationFacts,
  type OperationPlan,
  type OperationRules,
  openOf,
  planOperation,
} from './operation-plan.ts';
import { newOperation } from './operation-records.ts';
import type { OperationRequest } from './operation-request.ts';
import { resultOf } from './payment-result.ts';

/** A reserved call, or what ended within the reservation. */
type Reserved =
  | { readonly kind: 'WAIT'; readonly accountId: Uuid }
  | {
      readonly kind: 'SETTLED';
      readonly paymentId: Uuid;
      readonly transaction: Pick<PaymentTransaction, 'id'>;
    }
  | { readonly kind: 'CALL'; readonly call: OpenCall }
  | { readonly kind: 'DONE'; readonly call: AnsweredCall };

/** What is asked for, and how it is decided once the facts are known. */
export interface Work {
  readonly request: OperationRequest;
  plan(
    facts: OperationFacts,
    rules: OperationRules,
    session: WriteSession,
  ): OperationPlan | Promise<OperationPlan>;
}

/** A transaction that is to be asked for again, or whose outcome is told. */
interface Completing {
  readonly work: Work;
  readonly facts: OperationFacts;
  readonly config: PaymentConfig;
  readonly plan: Extract<OperationPlan, { kind: 'COMPLETE' }>;
  readonly open: Pick<OpenCall, 'timeoutMs' | 'caller'>;
}

/** One call of its own. */
const ALONE = { count: 1, parallelCalls: 1 } as const;

/**
 * Operations on payments (§4, §5): decided and reserved under the account's lock, called without it, recorded under
 * it again.
 */
export class PaymentService {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: GatewayCalls;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new GatewayCalls(ports, configOf);
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  /** Resolves when no late answer that has arrived is still being recorded. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }

  /** Runs the operation and answers when its outcome is recorded. */
  async run(context: CallContext, request: OperationRequest): Promise<PaymentResult> {
    return this.runPlanned(context, {
      request,
      plan: (facts, rules) => planOperation(request, facts, rules),
    });
  }

  /** Asks the gateway once more for a transaction that waits for its outcome (§6.1). */
  async complete(
    context: CallContext,
    request: OperationRequest,
    choice: CompletionChoice,
  ): Promise<PaymentResult> {
    return this.#run(context, { request, plan: (facts, rules) => planCompletion(choice, facts, rules) });
  }

  /** Records how a pending transaction has ended; no gateway is asked (§6.2). */
  async settle(
    context: CallContext,
    request: OperationRequest,
    notified: NotifiedOutcome,
  ): Promise<PaymentResult> {
    return this.#run(context, { request, plan: (facts, rules) => planNotified(notified, facts, rules) });
  }

  /** Runs an operation that is decided in another way than a plain one. */
  async runPlanned(context: CallContext, work: Work): Promise<PaymentResult> {
    await this.#repair(context, work.request);
    return this.#run(context, work);
  }

  async #run(context: CallContext, work: Work): Promise<PaymentResult> {
    const reserved = await this.#reserveInTime(context, work);
    if (reserved.kind === 'SETTLED') return resultOf(this.#ports.storage, context, reserved);
    const answered =
      reserved.kind === 'DONE' ? reserved.call : await this.#callAndRecord(context, reserved.call);
    const failure = failureOfCall(answered.outcome, answered);
    if (failure !== null) throw failure;
    return resultOf(this.#ports.storage, context, answered);
  }

  /** What is open is asked about first (§4.1 rule 4); a gateway that cannot say blocks nothing by itself. */
  async #repair(context: CallContext, request: OperationRequest): Promise<void> {
    const { storage, clock } = this.#ports;
    const { facts, timeoutMs } = await storage.read(context.tenant, async (session) => ({
      facts: await loadOperationFacts(session, request),
      timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
    }));
    const { payment, method } = facts;
    if (payment === null || method === null || openOf(facts, clock.now()).length === 0) return;
    const asked = [{ payment, pluginName: method.pluginName }];
    const asking = { properties: request.properties, timeoutMs };
    const results = (await this.#gatewayInfo.transactionsOf(context, asked, asking)).get(payment.id);
    if (!results) return;
    const completeLedger = this.#ports.gateways.get(method.pluginName)?.capabilities?.completeLedger === true;
    const told = [{ payment, transactions: facts.transactions, results, completeLedger }];
    await repairOnRead(this.#ports, this.#configOf, { context, told });
  }

  /** Meets a running call with patience: looks again every 100 ms, as long as the tenant says (§5.3 rule 2). */
  async #reserveInTime(context: CallContext, work: Work): Promise<Exclude<Reserved, { kind: 'WAIT' }>> {
    for (let looks = 0; ; looks += 1) {
      const { reserved, patience } = await this.#reserve(context, work);
      if (reserved.kind !== 'WAIT') return reserved;
      if (looks >= patience) throw paymentBusy({ accountId: reserved.accountId });
      await pause(this.#ports.systemClock, LOCK_WAIT_STEP_MS);
    }
  }

  async #reserve(
    context: CallContext,
    work: Work,
  ): Promise<{ readonly reserved: Reserved; readonly patience: number }> {
    const { storage } = this.#ports;
    return storage
      .write(context.tenant, authorshipOf(context), async (session) => {
        const config = await this.#configOf(session);
        const { account } = await loadOperationFacts(session, work.request);
        await session.lockAccounts([account.id], { wait: LockWait.PAYMENT });
        const facts = await loadOperationFacts(session, work.request);
        const reserved = await this.#reserveUnderLock(session, { context, work, facts, config });
        return { reserved, patience: config.lockRetries };
      })
      .catch((error: unknown) => {
        if (error instanceof BillingError && error.code === ErrorCode.BUSY) throw paymentBusy(error.facts);
        throw error;
      });
  }

  async #reserveUnderLock(
    session: WriteSession,
    {
      context,
      work,
      facts,
      config,
    }: {
      readonly context: CallContext;
      readonly work: Work;
      readonly facts: OperationFacts;
      readonly config: PaymentConfig;
    },
  ): Promise<Reserved> {
    const { ids, gateways } = this.#ports;
    const { request } = work;
    const { account } = facts;
    const now = session.authorship.createdDate;
    const { pluginTimeoutMs: timeoutMs } = config;
    const rules = { now, gateways, allowsOverRefund: config.allowsOverRefund };
    const plan = await work.plan(facts, rules, session);
    const open = { timeoutMs, caller: context };
    if (plan.kind === 'WAIT') return { kind: 'WAIT', accountId: account.id };
    if (plan.kind === 'SETTLED') return { ...plan, paymentId: plan.transaction.paymentId };
    if (plan.kind === 'COMPLETE')
      return this.#reserveCompletion(session, { work, facts, config, plan, open });
    const lease = leaseUntil(now, { ...ALONE, timeoutMs });
    const planned = newOperation(request, facts, { plan, ids, now, leaseUntil: lease, attemptId: null });
    await this.#insert(session, { planned, payment: facts.payment });
    const call = { ...planned, ...open };
    return this.#finishIfDirect(session, call, config);
  }

  /** A completion leases what is pending (§5.1 rule 1); one whose outcome is told already asks nobody. */
  async #reserveCompletion(
    session: WriteSession,
    { work: { request }, facts: { account, payment }, config, plan, open }: Completing,
  ): Promise<Reserved> {
    const now = session.authorship.createdDate;
    const lease = leaseUntil(now, { ...ALONE, timeoutMs: open.timeoutMs });
    const { transaction, gateway, outcome } = plan;
    assertInvariant(payment, 'What is completed belongs to a payment', { transactionId: transaction.id });
    const leased = await session.payments.leaseTransactions([transaction.id], { now, leaseUntil: lease });
    if (leased.length === 0) return { kind: 'WAIT', accountId: account.id };
    const { id: paymentId, paymentMethodId } = payment;
    const told = { amount: request.amount, currency: request.currency };
    const leasedTransaction = { ...transaction, leaseUntil: lease };
    const { properties } = request;
    const call = { ...open, account, gateway, paymentId, paymentMethodId, properties, told };
    return this.#finishIfDirect(
      session,
      { ...call, transaction: leasedTransaction, ...(outcome && { outcome }) },
      config,
    );
  }

  async #insert(
    session: WriteSession,
    {
      planned: { newPayment, transaction },
      payment,
    }: { readonly planned: ReturnType<typeof newOperation>; readonly payment: Payment | null },
  ): Promise<void> {
    if (newPayment !== null) {
      const paymentNumber = await session.payments.takePaymentNumbers(1);
      await session.payments.insertPayments([{ ...newPayment, paymentNumber }]);
    } else if (payment !== null) await session.payments.updatePayments([payment]); // §5.1 rule 4: its audit row
    await session.payments.insertTransactions([transaction]);
  }

  /** What has no outside effect ends in the transaction that reserves it (§2.4 rule 1). */
  async #finishIfDirect(session: WriteSession, call: OpenCall, config: PaymentConfig): Promise<Reserved> {
    if (hasOutsideEffect(call)) {
      const check = firstCheck(call, config);
      if (check !== null) session.schedule([check]);
      return { kind: 'CALL', call };
    }
    const [answered] = await this.#calls.call([call], ALONE.parallelCalls);
    assertInvariant(answered, 'A call has an answer', { transactionId: call.transaction.id });
    await this.#calls.record(session, [answered]);
    return { kind: 'DONE', call: answered };
  }

  async #callAndRecord(context: CallContext, call: OpenCall): Promise<AnsweredCall> {
    const [answered] = await this.#calls.call([call], ALONE.parallelCalls);
    assertInvariant(answered, 'A call has an answer', { transactionId: call.transaction.id });
    try {
      const authorship = { ...authorshipOf(context), createdDate: this.#ports.clock.now() };
      await this.#ports.storage.write(context.tenant, authorship, async (session) => {
        await session.lockAccounts([call.account.id], { wait: LockWait.PAYMENT });
        await this.#calls.record(session, [answered]);
      });
    } catch (error) {
      const facts = { err: error, paymentId: call.paymentId, transactionId: call.transaction.id };
      this.#ports.logger.error(
        facts,
        'the result of a gateway call was not recorded; recovery will ask the gateway',
      );
      throw notRecorded(call, error);
    } finally {
      this.#calls.followLateAnswers([answered]);
    }
    return answered;
  }
}

function notRecorded({ paymentId, transaction }: OpenCall, cause: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.PAYMENT_INTERNAL_ERROR,
    message:
      `The outcome of payment ${paymentId} could not be recorded, money may have moved. ` +
      'Recovery asks the payment gateway; read the payment before trying again',
    facts: { paymentId, transactionId: transaction.id },
    cause,
  });
}
