import { LockWait, type WriteSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { AnsweredCall, CallPorts, GatewayCalls } from '../calls/gateway-calls.ts';
import type { OpenCall } from '../gateways/call-operation.ts';
import type { OperationFacts } from '../planning/operation-facts.ts';
import { openOf } from '../planning/operation-plan.ts';
import { checkCommits, decidedOnKeys, firstCheck, hasOutsideEffect } from '../planning/reserved-call.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { paymentBusy } from '../state/payment-errors.ts';
import { StateMachines } from '../state-machines/state-machines.ts';
import type { LoadedPayments } from '../views/payment-view.ts';
import { loadAsked, loadOperationFacts } from './load-operation-facts.ts';
import type { ControlledOperation, OperationControl } from './operation-control.ts';
import { type Done, loadResult, recordedResult } from './payment-result.ts';
import { type Deciding, reserveOperation, type Work } from './reserve-operation.ts';

/** An operation that has ended, with its payment as it is then; without an outcome where nobody had to be asked. */
export type Ended = Done & { readonly loaded: LoadedPayments };

/** Work, and what comes before it. */
export interface PreparedWork extends Work {
  /** Whether what is open is asked about before anything else is decided (§4.1 rule 4). */
  readonly asksFirst: boolean;
  /** Whether control plugins may have to be asked. */
  readonly isControlled: boolean;
  /** The number of a new payment; null where there will be none, or it is taken in the transaction. */
  readonly paymentNumber: number | null;
}

/** What one look under the account's lock came to. */
export type Step =
  | { readonly kind: 'WAIT'; readonly accountId: Uuid; readonly patience: number }
  | { readonly kind: 'ASK'; readonly facts: OperationFacts; readonly timeoutMs: number }
  /** It may start: control plugins are asked now. */
  | { readonly kind: 'BEGUN'; readonly begun: ControlledOperation; readonly config: PaymentConfig }
  | { readonly kind: 'CALL'; readonly call: OpenCall; readonly control: ControlledOperation | null }
  | { readonly kind: 'ENDED'; readonly ended: Ended };

interface Planning extends Deciding {
  readonly context: CallContext;
  readonly work: PreparedWork;
  readonly config: PaymentConfig;
  readonly control: ControlledOperation | null;
  /** Who controls what has not begun yet. */
  readonly names: readonly string[];
}

/**
 * What is decided about an operation under the account's lock (§4.1, §5.1 rule 1): first whether it may start at all, and
 * once control plugins were asked again, with what they have left; then it is reserved.
 */
export class OperationSteps {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: GatewayCalls;
  readonly #control: OperationControl;
  readonly #stateMachines: StateMachines;

  constructor(
    ports: CallPorts,
    configOf: PaymentConfigOf,
    by: { readonly calls: GatewayCalls; readonly control: OperationControl },
  ) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = by.calls;
    this.#control = by.control;
    this.#stateMachines = new StateMachines(ports.gateways);
  }

  /** @param control what control plugins have let pass; null = none was asked yet. */
  async take(context: CallContext, work: PreparedWork, control: ControlledOperation | null): Promise<Step> {
    const { storage, gateways } = this.#ports;
    const request = control?.request ?? work.request;
    const decide = () =>
      storage.write(context.tenant, authorshipOf(context), async (session): Promise<Step> => {
        const accountId = request.accountId ?? (await loadAsked(session, request)).accountId;
        const [[locked], config, stateMachines] = await Promise.all([
          session.lockAccounts([accountId], { wait: LockWait.PAYMENT }),
          this.#configOf(session),
          this.#stateMachines.of(session),
        ]);
        const facts = await loadOperationFacts(session, request, locked);
        const isOpen = openOf(facts, session.authorship.createdDate).length > 0;
        if (work.asksFirst && isOpen) return { kind: 'ASK', facts, timeoutMs: config.pluginTimeoutMs };
        const names = work.isControlled && control === null ? this.#control.namesOf(work, config) : [];
        const rules = {
          now: session.authorship.createdDate,
          gateways,
          allowsOverRefund: config.allowsOverRefund,
          roundsFloatNoise: context.roundsFloatNoise,
          stateMachines,
          awaitsMethod: this.#control.areRegistered(names),
        };
        return this.#plan({ context, work, config, control, names, request, facts, rules, session });
      });
    return decidedOnKeys(decide).catch((error: unknown) => {
      if (error instanceof BillingError && error.code === ErrorCode.BUSY) throw paymentBusy(error.facts);
      throw error;
    });
  }

  async #plan(planning: Planning): Promise<Step> {
    const { context, work, config, control, names, facts, session } = planning;
    const plan = await work.plan(planning);
    if (plan.kind === 'WAIT')
      return { kind: 'WAIT', accountId: facts.account.id, patience: config.lockRetries };
    if (plan.kind === 'NEW' && names.length > 0) {
      checkCommits(context, plan);
      const begun = await this.#control.begin(session, context, { work, plan, facts, names });
      return { kind: 'BEGUN', begun, config };
    }
    if (plan.kind === 'NEW') return this.#reserve(plan, planning);
    // What waits for its outcome has an attempt of its own (§8.1 rule 4).
    if (control !== null) await this.#control.drop(session, control);
    return this.#reserve(plan, { ...planning, control: null });
  }

  /** What has no outside effect, and no plugin to tell of it, ends in the transaction that reserves it (§2.4 rule 1). */
  async #reserve(plan: Parameters<typeof reserveOperation>[0], planning: Planning): Promise<Step> {
    const { session, config, control } = planning;
    const attemptId = control?.attempt.id ?? null;
    const made = control?.ids ?? null;
    const { paymentNumber } = planning.work;
    const making = { ids: this.#ports.ids, attemptId, made, paymentNumber };
    const reserved = await reserveOperation(plan, { ...planning, ...making });
    if (reserved.kind === 'WAIT') return { ...reserved, patience: config.lockRetries };
    if (reserved.kind === 'SETTLED') {
      const loaded = await loadResult(session, reserved.paymentId);
      return { kind: 'ENDED', ended: { ...reserved, outcome: null, loaded } };
    }
    const { call } = reserved;
    const hears =
      plan.kind === 'COMPLETE'
        ? this.#control.mayHearEndOf(call.transaction)
        : this.#control.isHeard(control);
    if (!hasOutsideEffect(call) && !hears)
      return { kind: 'ENDED', ended: await this.#endAtOnce(session, call) };
    const check = firstCheck(call, config);
    if (check !== null) session.schedule([check]);
    return { kind: 'CALL', call, control };
  }

  async #endAtOnce(session: WriteSession, call: OpenCall): Promise<Ended> {
    const answered = await this.call(call);
    return { ...answered, loaded: recordedResult(await this.#calls.record(session, [answered])) };
  }

  /** Makes one call. */
  async call(call: OpenCall): Promise<AnsweredCall> {
    const [answered] = await this.#calls.call([call], 1);
    assertInvariant(answered, 'A call has an answer', { transactionId: call.transaction.id });
    return answered;
  }
}
