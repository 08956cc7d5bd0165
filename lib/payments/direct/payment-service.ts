import { LockWait } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf, pause } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { type CallPorts, GatewayCalls } from '../calls/gateway-calls.ts';
import type { OpenCall } from '../gateways/call-operation.ts';
import { GatewayInfo } from '../gateways/gateway-info.ts';
import type { PaymentResult } from '../payment-operations.ts';
import type { OperationFacts, OperationRequest } from '../planning/operation-facts.ts';
import {
  type CompletionChoice,
  type NotifiedOutcome,
  planCompletion,
  planNotified,
  planOperation,
} from '../planning/operation-plan.ts';
import { repairOnRead } from '../recovery/late-answers.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { failureOfCall, paymentBusy } from '../state/payment-errors.ts';
import { isFirstOperation } from '../state/payment-state.ts';
import { type ControlledOperation, OperationControl } from './operation-control.ts';
import { type Ended, OperationSteps, type PreparedWork } from './operation-steps.ts';
import { recordedResult, resultOf } from './payment-result.ts';
import type { Deciding, Work } from './reserve-operation.ts';

type AskedWork = Omit<PreparedWork, 'paymentNumber'>;

/**
 * Operations on payments (§4, §5, §8): controlled, decided and reserved under the account's lock, called without it,
 * recorded under it again.
 */
export class PaymentService {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: GatewayCalls;
  readonly #control: OperationControl;
  readonly #steps: OperationSteps;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new GatewayCalls(ports, configOf);
    this.#control = new OperationControl(ports, configOf);
    this.#steps = new OperationSteps(ports, configOf, { calls: this.#calls, control: this.#control });
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
    const isControlled = this.#control.mayHear(work);
    return this.#run(context, { ...work, asksFirst: true, isControlled });
  }

  /** Asks the gateway once more for a transaction that waits for its outcome (§6.1). */
  async complete(
    context: CallContext,
    request: OperationRequest,
    choice: CompletionChoice,
  ): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planCompletion({ choice, told: request }, facts, rules);
    return this.#run(context, { request, plan, asksFirst: false, isControlled: false });
  }

  /** Records how a pending transaction has ended; no gateway is asked (§6.2). */
  async settle(
    context: CallContext,
    request: OperationRequest,
    notified: NotifiedOutcome,
  ): Promise<PaymentResult> {
    const plan = ({ facts, rules }: Deciding) => planNotified(notified, facts, rules);
    return this.#run(context, { request, plan, asksFirst: false, isControlled: false });
  }

  async #run(context: CallContext, work: AskedWork): Promise<PaymentResult> {
    const ended = await this.#endInTime(context, work);
    const failure = failureOfCall(ended.outcome, ended);
    if (failure !== null) throw failure;
    return resultOf(ended.loaded, ended);
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
    const told = [{ payment, transactions: facts.transactions, results }];
    await repairOnRead(this.#ports, this.#configOf, { context, told });
  }

  /** Meets a running call with patience: looks again every 100 ms, as long as the tenant says (§5.3 rule 2). */
  async #endInTime(context: CallContext, asked: AskedWork): Promise<Ended> {
    const work = { ...asked, paymentNumber: await this.#numberFor(context, asked.request) };
    let { asksFirst } = work;
    let control: ControlledOperation | null = null;
    for (let looks = 0; ; ) {
      const controlled = control;
      const giveUp = (error: unknown) => this.#giveUp(context, controlled, error);
      const step = await this.#steps.take(context, { ...work, asksFirst }, controlled).catch(giveUp);
      switch (step.kind) {
        case 'ENDED':
          return step.ended;
        case 'CALL':
          return this.#callAndRecord(context, step.call, step.control);
        case 'ASK':
          asksFirst = false;
          await this.#ask(context, work.request, step);
          break;
        case 'BEGUN':
          control = await this.#control.ask(context, step.begun, step.config);
          break;
        case 'WAIT':
          if (looks >= step.patience) return giveUp(paymentBusy({ accountId: step.accountId }));
          looks += 1;
          await pause(this.#ports.systemClock, LOCK_WAIT_STEP_MS);
          break;
        default:
          return step satisfies never;
      }
    }
  }

  /** Of a payment that is perhaps not there yet. */
  async #numberFor(
    { tenant }: CallContext,
    { operation, paymentId }: OperationRequest,
  ): Promise<number | null> {
    const mayBegin = paymentId === null && isFirstOperation(operation);
    return mayBegin ? this.#ports.storage.takePaymentNumber(tenant) : null;
  }

  /** An error behind the prior calls is told to the plugins that made them. */
  async #giveUp(context: CallContext, control: ControlledOperation | null, error: unknown): Promise<never> {
    if (control !== null) await this.#control.failed(context, control, error);
    throw error;
  }

  async #callAndRecord(
    context: CallContext,
    call: OpenCall,
    control: ControlledOperation | null,
  ): Promise<Ended> {
    let answered = await this.#steps.call(call);
    try {
      const told = await this.#control.ended(context, answered, control);
      if (told !== null) answered = { ...answered, control: told };
      const recorded = answered;
      const authorship = { ...authorshipOf(context), createdDate: this.#ports.clock.now() };
      return await this.#ports.storage.write(context.tenant, authorship, async (session) => {
        await Promise.all([
          session.lockAccounts([call.account.id], { wait: LockWait.PAYMENT }),
          this.#configOf(session),
        ]);
        return { ...recorded, loaded: recordedResult(await this.#calls.record(session, [recorded])) };
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
