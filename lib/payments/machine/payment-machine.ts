import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext, PluginProperty } from '../../records/index.ts';
import { type ActivityPorts, authorshipOf, inParallel, pause } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { LOCK_WAIT_STEP_MS } from '../../values/limits.ts';
import { StateMachines } from '../loading/state-machines.ts';
import type { OperationFacts } from '../planning/operation-facts.ts';
import { retryOnKeyConflict } from '../planning/reservation.ts';
import {
  AttemptControl,
  attemptsPassed,
  type Consultation,
  type Consulted,
  endRuns,
  NOT_CONSULTED,
  type RunEnd,
} from '../plugins/attempt-control.ts';
import { type AnsweredCall, callOperation, type OpenCall } from '../plugins/call-gateway.ts';
import { GatewayInfo } from '../plugins/gateway-info.ts';
import type { SettledRecords } from '../state/invoice-effect.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { paymentBusy } from '../state/payment-errors.ts';
import { readOutcome } from '../state/transaction-outcome.ts';
import { LaterOutcomes, type RecordedPayments, recordOutcomes } from './record-outcomes.ts';

export type PaymentPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways' | 'paymentControls'
> &
  ActivityPorts;

/** The result of one decision, which is made while the accounts are locked. */
export type Step<C extends OpenCall, R> =
  /** Another call is running. The decision must be repeated soon. */
  | {
      readonly kind: 'WAIT';
      readonly accountId: Uuid;
      /** Maximum number of decisions before the operation gives up, as set by the tenant (§5.3 rule 2). */
      readonly patience: number;
      /** True if the runs have ended and control plugins must be consulted again. */
      readonly consultsAgain: boolean;
    }
  /** Some outcomes are unknown. The gateway must be queried before a decision (§4.1 rule 4). */
  | {
      readonly kind: 'ASK_GATEWAY';
      readonly context: CallContext;
      readonly facts: OperationFacts;
      readonly properties: readonly PluginProperty[];
      readonly timeoutMs: number;
    }
  /** The attempts are stored. The control plugins must be called now (§8.1). */
  | { readonly kind: 'CONSULT'; readonly runs: readonly Consultation[]; readonly config: PaymentConfig }
  /** The payment is reserved. The gateways must be called after the commit. */
  | { readonly kind: 'CALL'; readonly calls: readonly C[] }
  | { readonly kind: 'DONE'; readonly result: R };

export type StepOf<K extends Step<never, never>['kind']> = Extract<Step<never, never>, { readonly kind: K }>;

export interface Progress {
  readonly hasCalledGateway: boolean;
  readonly consulted: Consulted;
}

/** One or more payments that a user requested, or a batch of payments from the queue. */
export interface PaymentWork<C extends OpenCall, R> {
  readonly parallelCalls: number;
  /** Runs a write transaction on behalf of the caller. */
  write<T>(work: (session: WriteSession) => Promise<T>): Promise<T>;
  /** Locks the accounts, makes a decision, and stores the records from which a call can be recovered (§5.1 rule 1). */
  look(session: WriteSession, progress: Progress): Promise<Step<C, R>>;
  /** Stores the results, using `PaymentMachine.record`. */
  record(answered: readonly (C & AnsweredCall)[]): Promise<R>;
  /** Returns true if the work will be retried after the error. Control plugins are then not notified (§5.3 rule 2). */
  comesAgain(error: unknown): boolean;
}

type Author = Pick<PaymentWork<never, unknown>, 'write' | 'comesAgain'>;

/**
 * Processes payments in three steps: reserve, call and record (§5.1). Calls the control plugins before and after them.
 */
export class PaymentMachine {
  readonly ports: PaymentPorts;
  readonly configOf: PaymentConfigOf;
  readonly control: AttemptControl;
  readonly stateMachines: StateMachines;
  readonly #gatewayInfo: GatewayInfo;
  readonly #later: LaterOutcomes;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.ports = ports;
    this.configOf = configOf;
    this.control = new AttemptControl(ports, configOf);
    this.stateMachines = new StateMachines(ports.gateways);
    this.#gatewayInfo = new GatewayInfo(ports);
    this.#later = new LaterOutcomes(ports, configOf);
  }

  /** Resolves when all late results have been recorded. */
  idle(): Promise<void> {
    return this.#later.idle();
  }

  async run<C extends OpenCall, R>(work: PaymentWork<C, R>): Promise<R> {
    let progress: Progress = { hasCalledGateway: false, consulted: NOT_CONSULTED };
    for (let looks = 0; ; ) {
      const { consulted } = progress;
      const refuse = (error: unknown) => this.#refuse(work, consulted, error);
      const look = () => work.write((session) => work.look(session, progress));
      const step = await retryOnKeyConflict(look).catch((error: unknown) =>
        refuse(
          error instanceof BillingError && error.code === ErrorCode.BUSY ? paymentBusy(error.facts) : error,
        ),
      );
      switch (step.kind) {
        case 'DONE':
          return step.result;
        case 'CALL':
          return this.finish(work, step.calls, consulted);
        case 'ASK_GATEWAY':
          await this.#callGatewayOnce(step);
          progress = { ...progress, hasCalledGateway: true };
          break;
        case 'CONSULT':
          progress = { ...progress, consulted: await this.#consult(work, step) };
          break;
        case 'WAIT':
          if (looks >= step.patience) return refuse(paymentBusy({ accountId: step.accountId }));
          if (step.consultsAgain) progress = { ...progress, consulted: NOT_CONSULTED };
          looks += 1;
          await pause(this.ports.systemClock, LOCK_WAIT_STEP_MS);
          break;
        default:
          return step satisfies never;
      }
    }
  }

  /** Makes the reserved calls after the commit, and records their results. */
  async finish<C extends OpenCall, R>(
    work: Pick<PaymentWork<C, R>, 'parallelCalls' | 'record'>,
    calls: readonly C[],
    consulted: Consulted = NOT_CONSULTED,
  ): Promise<R> {
    const answered = await this.call(calls, work.parallelCalls);
    try {
      return await work.record(await this.control.notifyEnds(answered, consulted));
    } finally {
      this.#later.follow(answered);
    }
  }

  call<C extends OpenCall>(
    calls: readonly C[],
    parallelCalls: number,
  ): Promise<readonly (C & AnsweredCall)[]> {
    return inParallel(calls, parallelCalls, async (call) => {
      const answered = { ...call, ...(await callOperation(call, this.ports)) };
      this.#warnOfUnknown(answered);
      return answered;
    });
  }

  /**
   * Records the results while the accounts are locked. Returns the payments with all their transactions.
   * @param inserted The records of the payments, if this session has inserted them.
   */
  record(
    session: WriteSession,
    answered: readonly AnsweredCall[],
    inserted: SettledRecords | null = null,
  ): Promise<RecordedPayments> {
    const settlements = answered.map(({ paymentId, transaction, outcome, control, properties }) => ({
      paymentId,
      transactionId: transaction.id,
      outcome,
      source: 'CALL' as const,
      leaseUntil: transaction.leaseUntil,
      ...(properties.length > 0 && { properties }),
      ...(control && { control }),
    }));
    const { configOf, ports } = this;
    return recordOutcomes(session, settlements, { ids: ports.ids, configOf, inserted });
  }

  /** Logs that results could not be recorded. Recovery will resolve them. */
  logUnrecorded(error: unknown, answered: readonly AnsweredCall[]): void {
    for (const { paymentId, transaction } of answered)
      this.ports.logger.error(
        { err: error, paymentId, transactionId: transaction.id },
        'the result of a gateway call was not recorded; recovery will query the gateway',
      );
  }

  /**
   * Reads the payment's transactions from the gateway, but only once. If the gateway does not respond, the operation
   * continues.
   */
  async #callGatewayOnce({ context, facts, ...asking }: StepOf<'ASK_GATEWAY'>) {
    const { payment, method, transactions } = facts;
    if (payment === null || method === null) return;
    const asked = [{ payment, pluginName: method.pluginName }];
    const results = (await this.#gatewayInfo.transactionsOf(context, asked, asking)).get(payment.id);
    if (results) await this.#later.repair(context, [{ payment, transactions, results }]);
  }

  /** Calls the control plugins, and ends the runs that they stop. */
  async #consult(work: Author, { runs, config }: StepOf<'CONSULT'>) {
    const consulted = await this.control.consult(runs, config);
    const stopped = [...consulted.stopped.values()];
    if (stopped.length > 0) await this.#end(work, () => Promise.resolve(stopped), null);
    return consulted;
  }

  /** Reports the rejection to the plugins that have already been called, then throws the error. */
  async #refuse(work: Author, consulted: Consulted, error: unknown): Promise<never> {
    const ends = async (): Promise<readonly RunEnd[]> =>
      work.comesAgain(error) ? attemptsPassed(consulted) : this.control.refused(consulted);
    if (consulted.passed.size > 0) await this.#end(work, ends, error);
    throw error;
  }

  /** Ends runs. If an error occurs, logs it, and the sweep of attempts ends the runs later. */
  async #end(work: Author, endsOf: () => Promise<readonly RunEnd[]>, because: unknown) {
    try {
      const ends = await endsOf();
      await work.write((session) => endRuns(session, ends));
    } catch (error) {
      const facts = { err: error, because };
      this.ports.logger.error(facts, 'attempts of payments were not ended; the sweep of attempts ends them');
    }
  }

  /** Logs the gateway and the reason for an unknown outcome, because the caller learns neither. */
  #warnOfUnknown({ gateway, paymentId, transaction, outcome }: AnsweredCall) {
    const { status, gatewayErrorMsg: reason } = readOutcome(transaction, outcome);
    if (gateway === null || status !== 'UNKNOWN') return;
    const facts = { pluginName: gateway.name, paymentId, transactionId: transaction.id, reason };
    this.ports.logger.warn(facts, 'a payment gateway left the outcome of a transaction unknown');
  }
}

export function writesOf({ storage }: Pick<Ports, 'storage'>, context: CallContext) {
  return <T>(work: (session: WriteSession) => Promise<T>): Promise<T> =>
    storage.write(context.tenant, authorshipOf(context), work);
}
