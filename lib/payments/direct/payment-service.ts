import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf, pause } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { type AnsweredCall, type CallPorts, GatewayCalls } from '../calls/gateway-calls.ts';
import type { OpenCall } from '../gateways/call-operation.ts';
import { GatewayInfo } from '../gateways/gateway-info.ts';
import {
  type CompletionChoice,
  type NotifiedOutcome,
  planCompletion,
  planNotified,
} from '../planning/completion-plan.ts';
import type { OperationFacts } from '../planning/operation-facts.ts';
import { failureOfCall } from '../planning/operation-failure.ts';
import { openOf, planOperation } from '../planning/operation-plan.ts';
import type { OperationRequest } from '../planning/operation-request.ts';
import { repairOnRead } from '../recovery/repair-on-read.ts';
import { firstCheck, hasOutsideEffect } from '../reservation/reserved-call.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { paymentBusy } from '../state/payment-errors.ts';
import type { LoadedPayments } from '../state/payment-view.ts';
import { StateMachines } from '../state-machines/state-machines.ts';
import type { PaymentResult } from './direct-payment-operations.ts';
import { loadOperationFacts } from './load-operation-facts.ts';
import { type ControlledOperation, OperationControl } from './operation-control.ts';
import { type Done, loadResult, resultOf } from './payment-result.ts';
import { type Deciding, reserveOperation, type Work } from './reserve-operation.ts';

/** An operation that has ended, with its payment as it is then; without an outcome where nobody had to be asked. */
type Ended = Done & { readonly loaded: LoadedPayments };

/** Work, and whether what is open is asked about before anything else is decided. */
type AskingWork = Work & { readonly asksFirst?: boolean };

/** What one look under the account's lock came to. */
type Step =
  | { readonly kind: 'WAIT'; readonly accountId: Uuid; readonly patience: number }
  | { readonly kind: 'ASK'; readonly facts: OperationFacts; readonly timeoutMs: number }
  | { readonly kind: 'CALL'; readonly call: OpenCall }
  | { readonly kind: 'ENDED'; readonly ended: Ended };

/**
 * Operations on payments (§4, §5, §8): controlled, decided and reserved under the account's lock, called without it,
 * recorded under it again.
 */
export class PaymentService {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: GatewayCalls;
  readonly #control: OperationControl;
  readonly #gatewayInfo: GatewayInfo;
  readonly #stateMachines = new StateMachines();

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new GatewayCalls(ports, configOf);
    this.#control = new OperationControl(ports, configOf);
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  /** Resolves when no late answer that has arrived is still being recorded. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }

  /** Runs the operation and answers when its outcome is recorded. */
  async run(context: CallContext, request: OperationRequest): Promise<PaymentResult> {
    return this.runPlanned(context, { request, plan: planPlainly });
  }

  /** Runs an operation that is decided in another way than a plain one. */
  async runPlanned(context: CallContext, work: Work): Promise<PaymentResult> {
    if (!this.#control.mayHear(work)) return this.#run(context, { ...work, asksFirst: true }, null);
    await this.#repair(context, work.request);
    return this.#run(context, work, await this.#control.begin(context, work));
  }

  /** Asks the gateway once more for a transaction that waits for its outcome (§6.1). */
  async complete(
    context: CallContext,
    request: OperationRequest,
    choice: CompletionChoice,
  ): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planCompletion(choice, facts, rules);
    return this.#run(context, { request, plan }, null);
  }

  /** Records how a pending transaction has ended; no gateway is asked (§6.2). */
  async settle(
    context: CallContext,
    request: OperationRequest,
    notified: NotifiedOutcome,
  ): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planNotified(notified, facts, rules);
    return this.#run(context, { request, plan }, null);
  }

  async #run(
    context: CallContext,
    work: AskingWork,
    control: ControlledOperation | null,
  ): Promise<PaymentResult> {
    const ended = await this.#endInTime(context, work, control);
    const failure = failureOfCall(ended.outcome, ended);
    if (failure !== null) throw failure;
    return resultOf(ended.loaded, ended);
  }

  /** What is open is asked about before a plugin is (§4.1 rules 4 and 6). */
  async #repair(context: CallContext, request: OperationRequest): Promise<void> {
    const asked = await this.#ports.storage.read(context.tenant, async (session) => ({
      facts: await loadOperationFacts(session, request),
      timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
    }));
    if (openOf(asked.facts, this.#ports.clock.now()).length > 0) await this.#ask(context, request, asked);
  }

  /** Asks the gateway about what is open (§4.1 rule 4); one that cannot say blocks nothing by itself. */
  async #ask(
    context: CallContext,
    request: OperationRequest,
    { facts, timeoutMs }: { readonly facts: OperationFacts; readonly timeoutMs: number },
  ): Promise<void> {
    const { payment, method } = facts;
    if (payment === null || method === null) return;
    const asked = [{ payment, pluginName: method.pluginName }];
    const asking = { properties: request.properties, timeoutMs };
    const results = (await this.#gatewayInfo.transactionsOf(context, asked, asking)).get(payment.id);
    if (!results) return;
    const completeLedger = this.#ports.gateways.get(method.pluginName)?.capabilities?.completeLedger === true;
    const told = [{ payment, transactions: facts.transactions, results, completeLedger }];
    await repairOnRead(this.#ports, this.#configOf, { context, told });
  }

  /** Meets a running call with patience: looks again every 100 ms, as long as the tenant says (§5.3 rule 2). */
  async #endInTime(
    context: CallContext,
    work: AskingWork,
    control: ControlledOperation | null,
  ): Promise<Ended> {
    const failed = async (error: unknown): Promise<never> => {
      if (control !== null) await this.#control.failed(context, control);
      throw error;
    };
    let asksFirst = work.asksFirst === true;
    for (let looks = 0; ; ) {
      const step = await this.#reserve(context, { ...work, asksFirst }, control).catch(failed);
      if (step.kind === 'ENDED') return step.ended;
      if (step.kind === 'CALL') return this.#callAndRecord(context, step.call, control);
      if (step.kind === 'ASK') {
        asksFirst = false;
        await this.#ask(context, work.request, step);
        continue;
      }
      if (looks >= step.patience) return failed(paymentBusy({ accountId: step.accountId }));
      looks += 1;
      await pause(this.#ports.systemClock, LOCK_WAIT_STEP_MS);
    }
  }

  /** What has no outside effect, and no plugin to tell of it, ends in the transaction that reserves it (§2.4 rule 1). */
  async #reserve(context: CallContext, work: AskingWork, control: ControlledOperation | null): Promise<Step> {
    const { storage, ids, gateways } = this.#ports;
    const request = control?.request ?? work.request;
    return storage
      .write(context.tenant, authorshipOf(context), async (session): Promise<Step> => {
        const config = await this.#configOf(session);
        const accountId = request.accountId ?? (await loadOperationFacts(session, request)).account.id;
        const [locked] = await session.lockAccounts([accountId], { wait: LockWait.PAYMENT });
        const facts = await loadOperationFacts(session, request, locked);
        const { pluginTimeoutMs: timeoutMs } = config;
        const isOpen = openOf(facts, session.authorship.createdDate).length > 0;
        if (work.asksFirst && isOpen) return { kind: 'ASK', facts, timeoutMs };
        const rules = {
          now: session.authorship.createdDate,
          gateways,
          allowsOverRefund: config.allowsOverRefund,
          stateMachines: await this.#stateMachines.of(session, [...gateways.keys()]),
        };
        const attemptId = control?.attempt.id ?? null;
        const made = control?.ids ?? null;
        const deciding = { request, facts, rules, session };
        const reserved = await reserveOperation(work, { ...deciding, context, config, ids, attemptId, made });
        if (reserved.kind === 'WAIT') return { ...reserved, patience: config.lockRetries };
        if (reserved.kind === 'SETTLED') {
          const loaded = await loadResult(session, reserved.paymentId);
          return { kind: 'ENDED', ended: { ...reserved, outcome: null, loaded } };
        }
        if (!hasOutsideEffect(reserved.call) && !this.#control.isHeard(control)) {
          return { kind: 'ENDED', ended: await this.#endAtOnce(session, reserved.call) };
        }
        const check = firstCheck(reserved.call, config);
        if (check !== null) session.schedule([check]);
        return reserved;
      })
      .catch((error: unknown) => {
        if (error instanceof BillingError && error.code === ErrorCode.BUSY) throw paymentBusy(error.facts);
        throw error;
      });
  }

  async #endAtOnce(session: WriteSession, call: OpenCall): Promise<Ended> {
    const answered = await this.#call(call);
    await this.#calls.record(session, [answered]);
    return { ...answered, loaded: await loadResult(session, call.paymentId) };
  }

  async #callAndRecord(
    context: CallContext,
    call: OpenCall,
    control: ControlledOperation | null,
  ): Promise<Ended> {
    let answered = await this.#call(call);
    try {
      const told = await this.#control.ended(context, answered, control);
      if (told !== null) answered = { ...answered, control: told };
      const recorded = answered;
      const authorship = { ...authorshipOf(context), createdDate: this.#ports.clock.now() };
      return await this.#ports.storage.write(context.tenant, authorship, async (session) => {
        await session.lockAccounts([call.account.id], { wait: LockWait.PAYMENT });
        await this.#calls.record(session, [recorded]);
        return { ...recorded, loaded: await loadResult(session, call.paymentId) };
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
  }

  async #call(call: OpenCall): Promise<AnsweredCall> {
    const [answered] = await this.#calls.call([call], 1);
    assertInvariant(answered, 'A call has an answer', { transactionId: call.transaction.id });
    return answered;
  }
}

function planPlainly({ request, facts, rules }: Deciding) {
  return planOperation(request, facts, rules);
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
