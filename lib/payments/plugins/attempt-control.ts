import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  AttemptState,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import type { BegunRun, ConsultedRun } from '../planning/reservation.ts';
import { attemptStateAfter, isRepeatable } from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { retryNotification } from '../state/payment-notifications.ts';
import {
  type ControlResult,
  readOutcome,
  type Settlement,
  settledTransaction,
} from '../state/transaction-outcome.ts';
import type { AnsweredCall, ControlCaller } from './call-gateway.ts';
import {
  ControlCalls,
  type ControlledRun,
  type ControlPorts,
  contextOfAttempt,
  pluginsAmong,
} from './control-calls.ts';

/** A run about which control plugins are consulted, in the form that the plugins see. */
export interface Consultation {
  readonly key: unknown;
  readonly begun: BegunRun;
  readonly run: ControlledRun;
}

export interface PassedRun {
  readonly consulted: ConsultedRun;
  readonly run: ControlledRun;
}

/** The decisions of the control plugins about runs, by key. */
export interface Consulted {
  readonly passed: ReadonlyMap<unknown, PassedRun>;
  readonly stopped: ReadonlyMap<unknown, Stopped>;
  readonly timeoutMs: number;
}

interface Stopped {
  readonly attemptId: Uuid;
  readonly error: unknown;
}

export const NOT_CONSULTED: Consulted = { passed: new Map(), stopped: new Map(), timeoutMs: 0 };

/** Returns the attempts of the runs that the plugins allowed. */
export function attemptsPassed({ passed }: Consulted): readonly { readonly attemptId: Uuid }[] {
  return [...passed.values()].map(({ consulted: { attempt } }) => ({ attemptId: attempt.id }));
}

/** The end of a run that created no transaction. By default, the attempt becomes ABORTED and loses its properties. */
export interface RunEnd extends Partial<Pick<PaymentAttempt, 'stateName' | 'pluginProperties'>> {
  readonly attemptId: Uuid;
  /** Date of the retry. Defaults to none. */
  readonly retryAt?: Instant | null;
}

/** A settlement whose outcome is not the result of a call. */
interface LaterSettlement extends Settlement {
  readonly pluginName?: string | null;
  /** User token of the work that reported the outcome. Defaults to the caller's token. */
  readonly userToken?: Uuid;
}

interface EndedRun extends Pick<LaterSettlement, 'pluginName' | 'fix'> {
  readonly transaction: PaymentTransaction;
  readonly attempt: PaymentAttempt;
}

type Ended = Pick<
  PaymentTransaction,
  'id' | 'paymentId' | 'status' | 'processedAmount' | 'processedCurrency'
>;

/** Calls the control plugins around payments (§2.3), and stores the attempts that record their runs (§8.1). */
export class AttemptControl {
  readonly #ports: ControlPorts & Pick<Ports, 'storage'>;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: ControlCalls;

  constructor(ports: ControlPorts & Pick<Ports, 'storage'>, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new ControlCalls(ports);
  }

  /** True if there are control plugins. Without plugins, a payment executes no additional statement. */
  get isHeard(): boolean {
    return this.#ports.paymentControls.size > 0;
  }

  hears(names: readonly string[]): boolean {
    return names.some((name) => this.#ports.paymentControls.has(name));
  }

  /** Calls the plugins before the runs, outside storage transactions. Logs payments that plugins stop. */
  async consult(asked: readonly Consultation[], config: PaymentConfig): Promise<Consulted> {
    const passed = new Map<unknown, PassedRun>();
    const stopped = new Map<unknown, Stopped>();
    await inParallel(asked, MAX_CONCURRENT_GATEWAY_CALLS, async ({ key, begun, run: before }) => {
      const attemptId = begun.attempt.id;
      try {
        const run = await this.#calls.prior(before, config);
        passed.set(key, { consulted: { ...begun, ...readAdjustments(run, begun) }, run });
      } catch (error) {
        stopped.set(key, { attemptId, error });
        this.#ports.logger.warn({ err: error, attemptId }, 'a control plugin stopped a payment');
      }
    });
    return { passed, stopped, timeoutMs: config.pluginTimeoutMs };
  }

  /**
   * Notifies the plugins of runs that were rejected after the plugins had allowed them (§2.3 rule 3). A plugin may then
   * set a retry date for an operation, but not for the payment of an invoice.
   */
  refused({ passed, timeoutMs }: Consulted): Promise<readonly RunEnd[]> {
    return inParallel([...passed.values()], MAX_CONCURRENT_GATEWAY_CALLS, async ({ run, consulted }) => {
      const { attempt, planned } = consulted;
      const told = await this.#calls.failed(run, timeoutMs);
      const attemptId = attempt.id;
      if (planned.settles !== null) return { attemptId };
      const retryAt = isRepeatable(attempt.transactionType) ? told.retryAt : null;
      const stateName = attemptStateAfter(TransactionStatus.PLUGIN_FAILURE, retryAt);
      return { attemptId, stateName, pluginProperties: told.properties, retryAt };
    });
  }

  /**
   * Reports the results of calls to the plugins before the results are recorded. A completion uses the plugins of its
   * attempt (§6.1 rule 4).
   */
  async notifyEnds<C extends AnsweredCall>(
    answered: readonly C[],
    { passed }: Consulted,
  ): Promise<readonly C[]> {
    if (passed.size === 0 && !this.isHeard) return answered;
    const runs = new Map([...passed.values()].map(({ run, consulted }) => [consulted.attempt.id, run]));
    return inParallel(answered, MAX_CONCURRENT_GATEWAY_CALLS, async (call) => {
      const { transaction, paymentId, timeoutMs } = call;
      const own = transaction.attemptId === null ? undefined : runs.get(transaction.attemptId);
      const run = own ?? (await this.#runOfCompletion(call));
      if (run === null || pluginsAmong(run.names).length === 0) return call;
      const ended = { id: transaction.id, paymentId, ...readOutcome(transaction, call.outcome) };
      return { ...call, control: await this.#tell(run, ended, timeoutMs) };
    });
  }

  async #runOfCompletion({ transaction, gateway, caller, properties }: AnsweredCall) {
    const { attemptId, status } = transaction;
    if (attemptId === null || status !== 'PENDING') return null;
    const [attempt] = await this.#ports.storage.read(caller.tenant, (session) =>
      session.payments.findAttemptsByIds([attemptId]),
    );
    if (!attempt) return null;
    return {
      names: attempt.pluginNames,
      context: contextOfAttempt(caller, attempt, gateway?.name ?? null),
      properties: properties.length > 0 ? properties : (attempt.pluginProperties ?? []),
    };
  }

  /**
   * Returns the settlements with the reactions of their attempts' control plugins (§8.4). Calls the plugins outside
   * transactions. Settlements without effect stay unchanged. Reads nothing if there are no plugins.
   */
  async heard<S extends LaterSettlement>(
    caller: ControlCaller,
    settlements: readonly S[],
    now: Instant,
  ): Promise<readonly S[]> {
    if (!this.isHeard || settlements.length === 0) return settlements;
    const { transactions, attempts, timeoutMs } = await this.#ports.storage.read(
      caller.tenant,
      async (session) => {
        const ids = settlements.map(({ transactionId }) => transactionId);
        const transactions = await session.payments.findTransactionsByIds(ids);
        const attemptIds = transactions.flatMap(({ attemptId }) => attemptId ?? []);
        return {
          transactions: new Map(transactions.map((each) => [each.id, each])),
          attempts: await session.payments.findAttemptsByIds(attemptIds),
          timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
        };
      },
    );
    return inParallel(settlements, MAX_CONCURRENT_GATEWAY_CALLS, async (settlement) => {
      const before = transactions.get(settlement.transactionId);
      const transaction = before && settledTransaction(before, settlement, now);
      const attempt = attempts.find(({ id }) => id === transaction?.attemptId);
      if (!transaction || !attempt || !this.hears(attempt.pluginNames)) return settlement;
      const by = { ...caller, userToken: settlement.userToken ?? caller.userToken };
      const told = { ...settlement, transaction, attempt };
      return { ...settlement, control: await this.tell(by, told, timeoutMs) };
    });
  }

  tell(caller: ControlCaller, asked: EndedRun, timeoutMs: number): Promise<ControlResult> {
    const { transaction, attempt, pluginName = null, fix } = asked;
    const about = contextOfAttempt(caller, attempt, pluginName);
    const context = fix ? { ...about, isApiPayment: !fix.allowsRetry } : about;
    const run = { names: attempt.pluginNames, properties: attempt.pluginProperties ?? [], context };
    return this.#tell(run, transaction, timeoutMs);
  }

  #tell(run: ControlledRun, ended: Ended, timeoutMs: number) {
    const { id: transactionId, paymentId, status, processedAmount, processedCurrency } = ended;
    const about = { paymentId, transactionId, processedAmount, processedCurrency };
    const told = { ...run, context: { ...run.context, ...about } };
    const isWell = status === 'SUCCESS' || status === 'PENDING';
    return isWell ? this.#calls.succeeded(told, timeoutMs) : this.#calls.failed(told, timeoutMs);
  }
}

export async function endRuns(session: WriteSession, ends: readonly RunEnd[]): Promise<void> {
  if (ends.length === 0) return;
  const endOf = new Map(ends.map(({ attemptId, ...end }) => [attemptId, end]));
  const stored = await session.payments.findAttemptsByIds([...endOf.keys()]);
  await session.payments.updateAttempts(
    stored.map((attempt) => {
      const { stateName = AttemptState.ABORTED, pluginProperties = [] } = endOf.get(attempt.id) ?? {};
      return { ...attempt, stateName, pluginProperties };
    }),
  );
  session.schedule(
    stored.flatMap(({ id: attemptId, accountRecordId }) => {
      const retryAt = endOf.get(attemptId)?.retryAt ?? null;
      if (retryAt === null) return [];
      return [retryNotification({ attemptId, paymentId: null, invoiceId: null }, accountRecordId, retryAt)];
    }),
  );
}

/**
 * Returns the plan with the adjustments of the plugins.
 * @throws BillingError PAYMENT_INTERNAL_ERROR (7019) if an invoice cannot be paid with the adjusted amount.
 */
function readAdjustments({ context, properties }: ControlledRun, { planned: { settles } }: BegunRun) {
  const { amount, currency, paymentMethodId } = context;
  const isPayable = amount?.greaterThan(0) || (amount?.isZero() && settles?.isZero());
  if (settles !== null && (currency === null || !isPayable))
    throw billingError(
      ErrorCode.PAYMENT_INTERNAL_ERROR,
      'A payment control plugin adjusts the amount to a value that cannot be paid',
      { attemptId: context.attemptId },
    );
  return { amount, currency, paymentMethodId, properties };
}
