import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { TransactionStatus } from '../../records/index.ts';
import { type ActivityPorts, inParallel } from '../../runtime/index.ts';
import { type Answer, callOperation, type OpenCall } from '../gateways/call-operation.ts';
import { type RecordedPayments, recordOutcomes } from '../outcomes/record-outcomes.ts';
import { LateAnswers } from '../recovery/late-answers.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { type ControlResult, readOutcome } from '../state/transaction-outcome.ts';

export type CallPorts = Pick<
  Ports,
  'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways' | 'paymentControls'
> &
  ActivityPorts;

/** A call with its answer, and what control plugins made of it. */
export type AnsweredCall = OpenCall & Answer & { readonly control?: ControlResult };

/** Call and record (§5.1 rules 2 and 3): what follows a reservation, whoever has made it. */
export class GatewayCalls {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #late: LateAnswers;

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#late = new LateAnswers(ports, configOf);
  }

  /** Resolves when no late answer that has arrived is still being recorded. */
  idle(): Promise<void> {
    return this.#late.idle();
  }

  /** Makes the calls, so many at once. */
  call<C extends OpenCall>(calls: readonly C[], parallelCalls: number): Promise<readonly (C & Answer)[]> {
    return inParallel(calls, parallelCalls, async (call) => {
      const answer = await callOperation(call, this.#ports);
      this.#warnOfUnknown(call, answer);
      return { ...call, ...answer };
    });
  }

  /**
   * Records what gateways have answered; the locks of the accounts are held.
   * @returns the payments and all their transactions as they are afterwards.
   */
  async record(session: WriteSession, answered: readonly AnsweredCall[]): Promise<RecordedPayments> {
    const settlements = answered.map(({ paymentId, transaction, outcome, control, properties }) => ({
      paymentId,
      transactionId: transaction.id,
      outcome,
      source: 'CALL' as const,
      leaseUntil: transaction.leaseUntil,
      ...(properties.length > 0 && { properties }),
      ...(control && { control }),
    }));
    const now = session.authorship.createdDate;
    const config = await this.#configOf(session);
    return recordOutcomes(session, settlements, { ids: this.#ports.ids, config, now });
  }

  /** Callers hear that the outcome is unknown; which gateway has left it so, and by what, is for its operator. */
  #warnOfUnknown({ gateway, paymentId, transaction }: OpenCall, { outcome }: Answer): void {
    const { status, gatewayErrorMsg } = readOutcome(transaction, outcome);
    if (gateway === null || status !== TransactionStatus.UNKNOWN) return;
    const facts = {
      pluginName: gateway.name,
      paymentId,
      transactionId: transaction.id,
      reason: gatewayErrorMsg,
    };
    this.#ports.logger.warn(facts, 'a payment gateway has left the outcome of a transaction unknown');
  }

  /** Leaves calls that are still running to be recorded when they answer. */
  followLateAnswers(answered: readonly AnsweredCall[]): void {
    for (const { late, account, paymentId, transaction, caller } of answered) {
      if (late === null) continue;
      const { id: transactionId, leaseUntil } = transaction;
      const call = { ...caller, accountId: account.id, paymentId, transactionId, leaseUntil };
      this.#late.follow({ ...call, answer: late });
    }
  }
}
