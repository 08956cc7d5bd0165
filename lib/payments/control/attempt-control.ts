import type { Ports } from '../../ports/index.ts';
import { type PaymentAttempt, type PaymentTransaction, TransactionStatus } from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import { type ControlResult, type Settlement, settledTransaction } from '../state/transaction-outcome.ts';
import { type ControlCaller, ControlCalls, type ControlPorts, contextOfAttempt } from './control-calls.ts';

/** An outcome that came by another way than the answer to the call, with the transaction as it was. */
export interface LateSettlement {
  readonly settlement: Settlement;
  readonly transaction: PaymentTransaction;
  /** Name of the gateway, where it is known. */
  readonly pluginName?: string | null;
  /** Token of the work that has brought it; default that of the caller. */
  readonly userToken?: Uuid;
}

interface Limits {
  readonly timeoutMs: number;
  readonly now: Instant;
}

/** Tells the control plugins of attempts how their transactions have ended later (§8.4). */
export class AttemptControl {
  readonly #ports: ControlPorts & Pick<Ports, 'storage'>;
  readonly #calls: ControlCalls;

  constructor(ports: ControlPorts & Pick<Ports, 'storage'>) {
    this.#ports = ports;
    this.#calls = new ControlCalls(ports);
  }

  /** Whether there are plugins at all that could be told. */
  get isHeard(): boolean {
    return this.#ports.paymentControls.size > 0;
  }

  /**
   * The settlements with what the control plugins of their attempts make of them; called outside any storage transaction.
   * Those that change nothing, and those of attempts without a registered plugin, stay as they are.
   */
  async heard(
    caller: ControlCaller,
    settlements: readonly LateSettlement[],
    limits: Limits,
  ): Promise<readonly Settlement[]> {
    const attempts = await this.#attemptsOf(caller, settlements, limits);
    if (attempts.size === 0) return settlements.map(({ settlement }) => settlement);
    return inParallel(settlements, MAX_CONCURRENT_GATEWAY_CALLS, async (late) => {
      const attempt = attempts.get(late.transaction.id);
      if (attempt === undefined) return late.settlement;
      const by = { ...caller, userToken: late.userToken ?? caller.userToken };
      return { ...late.settlement, control: await this.tell(by, { ...late, attempt }, limits) };
    });
  }

  /** Tells the plugins of an attempt what its transaction has become. */
  async tell(
    caller: ControlCaller,
    { settlement, transaction, attempt, pluginName }: LateSettlement & { readonly attempt: PaymentAttempt },
    { timeoutMs, now }: Limits,
  ): Promise<ControlResult> {
    const ended = settledTransaction(transaction, settlement, now) ?? transaction;
    const { status, processedAmount, processedCurrency, id: transactionId, paymentId } = ended;
    const run = {
      names: attempt.pluginNames,
      properties: attempt.pluginProperties ?? [],
      context: {
        ...contextOfAttempt(caller, attempt, { paymentPluginName: pluginName ?? null }),
        ...(settlement.fix && { isApiPayment: !settlement.fix.allowsRetry }),
        ...{ paymentId, transactionId, processedAmount, processedCurrency },
      },
    };
    const isWell = status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING;
    return isWell ? this.#calls.succeeded(run, { timeoutMs }) : this.#calls.failed(run, { timeoutMs });
  }

  /** Whether one of the attempt's plugins is registered. */
  hears({ pluginNames }: Pick<PaymentAttempt, 'pluginNames'>): boolean {
    return pluginNames.some((name) => this.#ports.paymentControls.has(name));
  }

  /** By transaction: the attempts of those that change and have a registered plugin. */
  async #attemptsOf(
    { tenant }: ControlCaller,
    settlements: readonly LateSettlement[],
    { now }: Limits,
  ): Promise<ReadonlyMap<Uuid, PaymentAttempt>> {
    if (!this.isHeard) return new Map();
    const changed = settlements.filter(
      ({ transaction, settlement }) => settledTransaction(transaction, settlement, now) !== undefined,
    );
    const ids = changed.flatMap(({ transaction: { attemptId } }) => attemptId ?? []);
    if (ids.length === 0) return new Map();
    const attempts = await this.#ports.storage.read(tenant, (session) =>
      session.payments.findAttemptsByIds(ids),
    );
    const heard = new Map(attempts.filter((each) => this.hears(each)).map((each) => [each.id, each]));
    return new Map(
      changed.flatMap(({ transaction: { id, attemptId } }) => {
        const attempt = attemptId === null ? undefined : heard.get(attemptId);
        return attempt ? [[id, attempt] as const] : [];
      }),
    );
  }
}
