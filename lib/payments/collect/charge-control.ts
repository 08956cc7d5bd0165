import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  AttemptState,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
  TransactionStatus,
} from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import {
  type ControlCaller,
  ControlCalls,
  type ControlledRun,
  contextOfAttempt,
  pluginsAmong,
} from '../control/control-calls.ts';
import type { PlannedCharge } from '../planning/charge-records.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import { type ControlledCharge, heldRetryOf, type ReservationFacts } from '../planning/reservation-facts.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { readOutcome } from '../state/transaction-outcome.ts';
import type { AnsweredCharge, ChargeSteps, PaymentPorts } from './charge-steps.ts';
import type { PlannedRequest } from './reserve-payments.ts';

/** A request about which control plugins are asked. */
export interface BegunCharge<R extends PaymentRequest> {
  readonly request: R;
  readonly controlled: Pick<ControlledCharge, 'attempt' | 'planned'>;
  readonly run: ControlledRun;
  readonly config: PaymentConfig;
  /** What it would be, were it not controlled. */
  readonly charge: Pick<PlannedCharge, 'gateway'>;
}

/** A request as control plugins have left it: without a run they have stopped it, or failed. */
export interface AskedCharge<R extends PaymentRequest> {
  readonly request: R;
  readonly attemptId: Uuid;
  readonly run: ControlledRun | null;
  /** Why they have stopped it. */
  readonly error?: unknown;
}

/** The control plugins around payments of invoices (§2.3, §8.1). */
export class ChargeControl {
  readonly #ports: PaymentPorts;
  readonly #steps: ChargeSteps;
  readonly #calls: ControlCalls;

  constructor(ports: PaymentPorts, steps: ChargeSteps) {
    this.#ports = ports;
    this.#steps = steps;
    this.#calls = new ControlCalls(ports);
  }

  /** Whether there are plugins at all; without any a payment takes not a statement more. */
  get isHeard(): boolean {
    return this.#ports.paymentControls.size > 0;
  }

  /**
   * Stores an attempt for each request that would be charged and has a registered plugin, without properties: secrets
   * must not be stored before a plugin can strip them. The accounts are locked.
   */
  async begin<R extends PaymentRequest>(
    session: WriteSession,
    { requests, accounts }: { readonly requests: readonly R[]; readonly accounts: readonly Account[] },
    callerOf: (request: R) => ControlCaller,
  ): Promise<readonly BegunCharge<R>[]> {
    const round = { requests, accounts, paysEmptyInvoices: true };
    const parallelCalls = MAX_CONCURRENT_GATEWAY_CALLS;
    const { planned, config } = await this.#steps.plan(session, round, { parallelCalls });
    const begun = planned.flatMap((each) => this.#begun(each, callerOf(each.request), config) ?? []);
    if (begun.length > 0)
      await session.payments.insertAttempts(begun.map(({ controlled }) => controlled.attempt));
    return begun;
  }

  /** Makes the prior calls, outside any storage transaction. What stops a payment is logged. */
  async ask<R extends PaymentRequest>(begun: readonly BegunCharge<R>[]): Promise<readonly AskedCharge<R>[]> {
    return inParallel(
      begun,
      MAX_CONCURRENT_GATEWAY_CALLS,
      async ({ request, controlled, run: before, config }) => {
        const { attempt } = controlled;
        const limits = { timeoutMs: config.pluginTimeoutMs, overwritesMethod: config.overwritesMethod };
        try {
          const run = await this.#calls.prior(before, limits);
          const passed = {
            ...request,
            controlled: { ...controlled, ...adjustedBy(run, controlled.planned) },
          };
          return { request: passed, attemptId: attempt.id, run };
        } catch (error) {
          const facts = { err: error, attemptId: attempt.id, invoiceId: request.invoiceId };
          this.#ports.logger.warn(facts, 'control plugins have stopped the payment of an invoice');
          return { request, attemptId: attempt.id, run: null, error };
        }
      },
    );
  }

  /** Ends attempts of requests that were not reserved after all. */
  async abort(session: WriteSession, attemptIds: readonly Uuid[]): Promise<void> {
    if (attemptIds.length === 0) return;
    const stored = await session.payments.findAttemptsByIds(attemptIds);
    const ended = { stateName: AttemptState.ABORTED, pluginProperties: [] };
    await session.payments.updateAttempts(stored.map((attempt) => ({ ...attempt, ...ended })));
  }

  /** Tells the plugins of what was refused behind their prior calls (§2.3 rule 3); no date of theirs repeats it. */
  async tellRefusal(runs: Iterable<ControlledRun>, limits: { readonly timeoutMs: number }): Promise<void> {
    await inParallel([...runs], MAX_CONCURRENT_GATEWAY_CALLS, (run) => this.#calls.failed(run, limits));
  }

  /** Tells the plugins how the calls have ended, before that is recorded. */
  async tell<R extends PaymentRequest>(
    answered: readonly AnsweredCharge<R>[],
    runs: ReadonlyMap<Uuid, ControlledRun>,
  ): Promise<readonly AnsweredCharge<R>[]> {
    if (runs.size === 0) return answered;
    return inParallel(answered, MAX_CONCURRENT_GATEWAY_CALLS, async (charge) => {
      const { transaction, paymentId, timeoutMs } = charge;
      const run = transaction.attemptId === null ? undefined : runs.get(transaction.attemptId);
      if (run === undefined) return charge;
      const { status, processedAmount, processedCurrency } = readOutcome(transaction, charge.outcome);
      const ids = { paymentId, transactionId: transaction.id };
      const told = { ...run, context: { ...run.context, ...ids, processedAmount, processedCurrency } };
      const isWell = status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING;
      const control = isWell
        ? await this.#calls.succeeded(told, { timeoutMs })
        : await this.#calls.failed(told, { timeoutMs });
      return { ...charge, control };
    });
  }

  #begun<R extends PaymentRequest>(
    { request, plan, facts }: PlannedRequest<R> & { readonly facts: ReservationFacts },
    caller: ControlCaller,
    config: PaymentConfig,
  ): BegunCharge<R> | null {
    if (plan.kind !== 'CHARGE') return null;
    const plugins = pluginsOf(request, facts, config);
    if (!plugins.some((name) => this.#ports.paymentControls.has(name))) return null;
    const { charge } = plan;
    const names = [INVOICE_PAYMENT_CONTROL_PLUGIN, ...plugins];
    const attempt: New<PaymentAttempt> = { ...charge.attempt, transactionId: null, pluginNames: names };
    const { paymentId, newPayment, transaction, properties, gateway } = charge;
    const about = contextOfAttempt(caller, attempt, { paymentPluginName: gateway?.name ?? null });
    const { id: transactionId, amount } = transaction;
    const isNewPayment = newPayment !== null;
    const context = { ...about, paymentId: isNewPayment ? null : paymentId };
    return {
      request,
      controlled: { attempt, planned: { paymentId, transactionId, isNewPayment, amount } },
      run: { names, context, properties },
      config,
      charge,
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

/** @throws BillingError PAYMENT_INTERNAL_ERROR (7019) for an amount that cannot be paid: 0 is where no more is due. */
function adjustedBy({ context, properties }: ControlledRun, planned: ControlledCharge['planned']) {
  const { amount, currency, paymentMethodId } = context;
  const isPaid = amount?.greaterThan(0) || (amount?.isZero() && planned.amount.isZero());
  if (amount === null || currency === null || !isPaid)
    throw new BillingError({
      code: ErrorCode.PAYMENT_INTERNAL_ERROR,
      message: 'A payment control plugin adjusts the amount to something that cannot be paid',
      facts: { attemptId: context.attemptId },
    });
  return { amount, currency, paymentMethodId, properties };
}
