import type { Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  AttemptState,
  type PaymentAttempt,
  type PaymentTransaction,
  TransactionStatus,
} from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import type { BegunRun, ConsultedRun } from '../planning/reservation.ts';
import { attemptStateAfter, isRepeatable } from '../state/outcome-consequences.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { paymentError } from '../state/payment-errors.ts';
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

/** A run about which control plugins are asked, and what they are told of it. */
export interface Consultation {
  readonly key: unknown;
  readonly begun: BegunRun;
  readonly run: ControlledRun;
}

export interface PassedRun {
  readonly consulted: ConsultedRun;
  readonly run: ControlledRun;
}

/** What control plugins have said of the runs of a work, by key. */
export interface Consulted {
  readonly passed: ReadonlyMap<unknown, PassedRun>;
  readonly stopped: ReadonlyMap<unknown, { readonly attemptId: Uuid; readonly error: unknown }>;
  readonly timeoutMs: number;
}

export const NOT_CONSULTED: Consulted = { passed: new Map(), stopped: new Map(), timeoutMs: 0 };

/** Returns the attempts of the runs that have passed, such as to end them. */
export function attemptsPassed({ passed }: Consulted): readonly { readonly attemptId: Uuid }[] {
  return [...passed.values()].map(({ consulted: { attempt } }) => ({ attemptId: attempt.id }));
}

/** How a run has ended without a transaction; default: ABORTED, without properties. */
export interface RunEnd extends Partial<Pick<PaymentAttempt, 'stateName' | 'pluginProperties'>> {
  readonly attemptId: Uuid;
  /** When it is made again; default: never. */
  readonly retryAt?: Instant | null;
}

/** A settlement that came another way than as the answer to a call. */
interface LaterSettlement extends Settlement {
  readonly pluginName?: string | null;
  /** Token of the work that has brought it; default: that of the caller. */
  readonly userToken?: Uuid;
}

type Ended = Pick<
  PaymentTransaction,
  'id' | 'paymentId' | 'status' | 'processedAmount' | 'processedCurrency'
>;

/** The control plugins around payments (§2.3), and the attempts that record their runs (§8.1). */
export class AttemptControl {
  readonly #ports: ControlPorts & Pick<Ports, 'storage'>;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: ControlCalls;

  constructor(ports: ControlPorts & Pick<Ports, 'storage'>, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new ControlCalls(ports);
  }

  /** Whether there are plugins; without any a payment takes not a statement more. */
  get isHeard(): boolean {
    return this.#ports.paymentControls.size > 0;
  }

  hears(names: readonly string[]): boolean {
    return names.some((name) => this.#ports.paymentControls.has(name));
  }

  /** Makes the prior calls, outside any storage transaction. What stops a payment is logged. */
  async consult(asked: readonly Consultation[], config: PaymentConfig): Promise<Consulted> {
    const passed = new Map<unknown, PassedRun>();
    const stopped = new Map<unknown, { readonly attemptId: Uuid; readonly error: unknown }>();
    await inParallel(asked, MAX_CONCURRENT_GATEWAY_CALLS, async ({ key, begun, run: before }) => {
      const attemptId = begun.attempt.id;
      try {
        const run = await this.#calls.prior(before, config);
        passed.set(key, { consulted: { ...begun, ...adjustedBy(run, begun) }, run });
      } catch (error) {
        stopped.set(key, { attemptId, error });
        this.#ports.logger.warn({ err: error, attemptId }, 'control plugins have stopped a payment');
      }
    });
    return { passed, stopped, timeoutMs: config.pluginTimeoutMs };
  }

  /**
   * Tells the plugins of runs that an error has refused behind their prior calls (§2.3 rule 3). A date that they give
   * repeats an operation, not the payment of an invoice.
   */
  refused({ passed, timeoutMs }: Consulted): Promise<readonly RunEnd[]> {
    const runs = [...passed.values()];
    return inParallel(
      runs,
      MAX_CONCURRENT_GATEWAY_CALLS,
      async ({ run, consulted: { attempt, planned } }) => {
        const told = await this.#calls.failed(run, timeoutMs);
        const attemptId = attempt.id;
        if (planned.settles !== null) return { attemptId };
        const retryAt = isRepeatable(attempt.transactionType) ? told.retryAt : null;
        const stateName = attemptStateAfter(TransactionStatus.PLUGIN_FAILURE, retryAt);
        return { attemptId, stateName, pluginProperties: told.properties, retryAt };
      },
    );
  }

  /** Tells the plugins how calls have ended, before that is recorded; those of a completion are its attempt's (§6.1 rule 4). */
  async tellEnds<C extends AnsweredCall>(
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
    if (attemptId === null || status !== TransactionStatus.PENDING) return null;
    const [attempt] = await this.#ports.storage.read(caller.tenant, (session) =>
      session.payments.findAttemptsByIds([attemptId]),
    );
    if (!attempt) return null;
    return {
      names: attempt.pluginNames,
      context: contextOfAttempt(caller, attempt, { paymentPluginName: gateway?.name ?? null }),
      properties: properties.length > 0 ? properties : (attempt.pluginProperties ?? []),
    };
  }

  /**
   * Returns the settlements with the reactions of the plugins of their attempts (§8.4), which are called outside any storage
   * transaction. Without plugins nothing is read; settlements that change nothing stay as they are.
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
      return {
        ...settlement,
        control: await this.tell(by, { ...settlement, transaction, attempt }, timeoutMs),
      };
    });
  }

  tell(
    caller: ControlCaller,
    {
      transaction,
      attempt,
      pluginName = null,
      fix,
    }: Pick<LaterSettlement, 'pluginName' | 'fix'> & {
      readonly transaction: PaymentTransaction;
      readonly attempt: PaymentAttempt;
    },
    timeoutMs: number,
  ): Promise<ControlResult> {
    const about = contextOfAttempt(caller, attempt, { paymentPluginName: pluginName });
    const context = fix ? { ...about, isApiPayment: !fix.allowsRetry } : about;
    const run = { names: attempt.pluginNames, properties: attempt.pluginProperties ?? [], context };
    return this.#tell(run, transaction, timeoutMs);
  }

  #tell(run: ControlledRun, ended: Ended, timeoutMs: number): Promise<ControlResult> {
    const { id: transactionId, paymentId, status, processedAmount, processedCurrency } = ended;
    const about = { paymentId, transactionId, processedAmount, processedCurrency };
    const told = { ...run, context: { ...run.context, ...about } };
    const isWell = status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING;
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

/** @throws BillingError PAYMENT_INTERNAL_ERROR (7019) if an invoice cannot be paid with the adjusted amount. */
function adjustedBy({ context, properties }: ControlledRun, { planned: { settles } }: BegunRun) {
  const { amount, currency, paymentMethodId } = context;
  const isPayable = amount?.greaterThan(0) || (amount?.isZero() && settles?.isZero());
  if (settles !== null && (currency === null || !isPayable))
    throw paymentError(
      ErrorCode.PAYMENT_INTERNAL_ERROR,
      'A payment control plugin adjusts the amount to something that cannot be paid',
      { attemptId: context.attemptId },
    );
  return { amount, currency, paymentMethodId, properties };
}
