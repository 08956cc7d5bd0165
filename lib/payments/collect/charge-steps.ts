import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { type AnsweredCall, type CallPorts, GatewayCalls } from '../calls/gateway-calls.ts';
import type { Answer, Caller, OpenCall } from '../gateways/call-operation.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import { hasOutsideEffect, leaseUntil } from '../planning/reserved-call.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { StateMachines } from '../state-machines/state-machines.ts';
import { type PlannedRequest, planPayments, reservePayments } from './reserve-payments.ts';

export type PaymentPorts = CallPorts;

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

export type RequestedCharge<R> = OpenCall & { readonly request: R };
export type AnsweredCharge<R> = RequestedCharge<R> & Answer & Pick<AnsweredCall, 'control'>;

/** Reserve, call, record (§5.1): the steps of an invoice's charge, whoever asks for it. */
export class ChargeSteps extends GatewayCalls {
  readonly #ports: PaymentPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #stateMachines: StateMachines;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    super(ports, configOf);
    this.#ports = ports;
    this.#configOf = configOf;
    this.#stateMachines = new StateMachines(ports.gateways);
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
    const round = { requests, accounts, paysEmptyInvoices };
    const tools = await this.#toolsOf(session, round, charging);
    const { pluginTimeoutMs: timeoutMs } = tools.config;
    const planned = await reservePayments(session, round, tools);
    const charges = planned.flatMap(({ request, plan }) =>
      plan.kind === 'CHARGE'
        ? [{ ...plan.charge, request, caller: charging.callerOf(request), timeoutMs }]
        : [],
    );
    const direct = charges.filter((charge) => !hasOutsideEffect(charge));
    if (direct.length > 0) await this.record(session, await this.call(direct, charging.parallelCalls));
    return { planned, charges: charges.filter(hasOutsideEffect) };
  }
  /** What would become of the requests, and the settings by which that is decided; nothing is written. */
  async plan<R extends PaymentRequest>(
    session: WriteSession,
    round: Round<R>,
    charging: Pick<Charging<R>, 'parallelCalls'>,
  ) {
    const tools = await this.#toolsOf(session, round, charging);
    return { planned: await planPayments(session, round, tools), config: tools.config };
  }

  async #toolsOf<R extends PaymentRequest>(
    session: WriteSession,
    { requests, paysEmptyInvoices }: Round<R>,
    { parallelCalls }: Pick<Charging<R>, 'parallelCalls'>,
  ) {
    const config = await this.#configOf(session);
    const { ids, gateways } = this.#ports;
    const now = session.authorship.createdDate;
    const calls = { count: requests.length, parallelCalls, timeoutMs: config.pluginTimeoutMs };
    return {
      ids,
      gateways,
      now,
      leaseUntil: leaseUntil(now, calls),
      allowEmptyInvoice: paysEmptyInvoices && config.allowEmptyInvoice,
      stateMachines: await this.#stateMachines.of(session),
      config,
    };
  }
}
