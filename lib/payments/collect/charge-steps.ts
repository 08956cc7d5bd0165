import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import { recordOutcomes } from '../outcomes/record-outcomes.ts';
import { LateAnswers } from '../recovery/late-answers.ts';
import { hasOutsideEffect } from '../reservation/charge-records.ts';
import { leaseUntil } from '../reservation/lease.ts';
import type { PaymentRequest } from '../reservation/plan-reservation.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { type Answer, type Caller, type OpenCharge, purchase } from './purchase.ts';
import { type PlannedRequest, reservePayments } from './reserve-payments.ts';

export type PaymentPorts = Pick<Ports, 'storage' | 'clock' | 'systemClock' | 'ids' | 'logger' | 'gateways'>;

/** Who pays, and how many gateways are called at once. */
export interface Charging<R extends PaymentRequest> {
  readonly parallelCalls: number;
  callerOf(request: R): Caller;
}

/** Requests of accounts whose locks are held. */
interface Round<R extends PaymentRequest> {
  readonly requests: readonly R[];
  readonly accounts: readonly Account[];
  /** Whether to pay an invoice with nothing due with 0, where the tenant allows that. */
  readonly paysEmptyInvoices: boolean;
}

export type RequestedCharge<R> = OpenCharge & { readonly request: R };
export type AnsweredCharge<R> = RequestedCharge<R> & Answer;

/** Reserve, call, record (§5.1): the steps of a charge, whoever asks for it. */
export class ChargeSteps {
  readonly #ports: PaymentPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #late: LateAnswers;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#late = new LateAnswers(ports, configOf);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#late.idle();
  }

  /**
   * Reserves the payments. Gateways without outside effect are called here: their outcome is part of the same transaction
   * (§2.4 rule 1).
   * @returns what was planned, and the charges whose gateway has to be called once the transaction is committed.
   */
  async reserve<R extends PaymentRequest>(
    session: WriteSession,
    { requests, accounts, paysEmptyInvoices }: Round<R>,
    charging: Charging<R>,
  ): Promise<{
    readonly planned: readonly PlannedRequest<R>[];
    readonly charges: readonly RequestedCharge<R>[];
  }> {
    const config = await this.#configOf(session);
    const { pluginTimeoutMs: timeoutMs } = config;
    const { ids, gateways } = this.#ports;
    const now = session.authorship.createdDate;
    const calls = { count: requests.length, parallelCalls: charging.parallelCalls, timeoutMs };
    const planned = await reservePayments(
      session,
      { requests, accounts },
      {
        ids,
        gateways,
        now,
        leaseUntil: leaseUntil(now, calls),
        allowEmptyInvoice: paysEmptyInvoices && config.allowEmptyInvoice,
        config,
      },
    );
    const charges = planned.flatMap(({ request, plan }) =>
      plan.kind === 'CHARGE'
        ? [{ ...plan.charge, request, caller: charging.callerOf(request), timeoutMs }]
        : [],
    );
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    if (direct.length > 0) await this.record(session, await this.call(direct, charging.parallelCalls));
    return { planned, charges: charges.filter(hasOutsideEffect) };
  }

  /** Calls the gateway of each charge. */
  call<R>(
    charges: readonly RequestedCharge<R>[],
    parallelCalls: number,
  ): Promise<readonly AnsweredCharge<R>[]> {
    return inParallel(charges, parallelCalls, async (charge) => ({
      ...charge,
      ...(await purchase(charge, this.#ports)),
    }));
  }

  /** Records what gateways have answered; the caller holds the locks of the accounts. */
  async record(session: WriteSession, answered: readonly AnsweredCharge<unknown>[]): Promise<void> {
    const settlements = answered.map(({ paymentId, transaction, outcome }) => ({
      paymentId,
      transactionId: transaction.id,
      outcome,
      source: 'CALL' as const,
    }));
    const now = session.authorship.createdDate;
    const config = await this.#configOf(session);
    await recordOutcomes(session, settlements, { ids: this.#ports.ids, config, now });
  }

  /** Has calls that are still running recorded once they answer. */
  followLateAnswers(answered: readonly AnsweredCharge<unknown>[]): void {
    for (const { late, account, paymentId, transaction, caller } of answered) {
      if (late === null) continue;
      const call = { ...caller, accountId: account.id, paymentId, transactionId: transaction.id };
      this.#late.follow({ ...call, answer: late });
    }
  }
}
