import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  AttemptState,
  type CallContext,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
  TransactionStatus,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { AnsweredCall, CallPorts } from '../calls/gateway-calls.ts';
import {
  ControlCalls,
  type ControlledRun,
  contextOfAttempt,
  pluginsAmong,
} from '../control/control-calls.ts';
import type { OperationFacts, OperationRequest } from '../planning/operation-facts.ts';
import type { OperationPlan } from '../planning/operation-plan.ts';
import { attemptStateAfter, isRepeatable } from '../state/ended-attempt.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import { retryNotification } from '../state/payment-notifications.ts';
import { typeOf } from '../state/payment-state.ts';
import { type ControlResult, readOutcome } from '../state/transaction-outcome.ts';
import type { Work } from './reserve-operation.ts';

/** What a run is asked to be: of an invoice, or again by the engine itself. */
type ControlledWork = Pick<Work, 'request' | 'isOfInvoice' | 'isApiPayment'>;

/** A run that is recorded by an attempt (§8.1). */
export interface ControlledOperation {
  readonly attempt: New<PaymentAttempt>;
  /** As the plugins have left it, with the keys of the attempt. */
  readonly request: OperationRequest;
  readonly run: ControlledRun;
  readonly ids: NewPaymentIds;
}

/** Ids of what a run may make: the keys of its attempt are made of them where none are given. */
export interface NewPaymentIds {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
}

/** An operation that may start, and whom it concerns. */
interface Beginning {
  readonly work: ControlledWork;
  readonly plan: Extract<OperationPlan, { kind: 'NEW' }>;
  readonly facts: OperationFacts;
  /** Of the control plugins, the built-in one among them. */
  readonly names: readonly string[];
}

/** The control plugins around operations on payments, and the attempts that record their runs (§8.1). */
export class OperationControl {
  readonly #ports: CallPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #calls: ControlCalls;

  constructor(ports: CallPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#calls = new ControlCalls(ports);
  }

  /** Whether there may be something to control, or an attempt to write; without any of it no name is looked up. */
  mayHear({ isOfInvoice, request: { controlPlugins } }: ControlledWork): boolean {
    if (isOfInvoice) return true;
    return controlPlugins === null ? this.#ports.paymentControls.size > 0 : controlPlugins.length > 0;
  }

  /** Names of what controls the run, in their order (§2.3 rule 9). */
  namesOf({ isOfInvoice, request }: ControlledWork, { controlPlugins }: PaymentConfig): readonly string[] {
    const plugins = request.controlPlugins ?? controlPlugins;
    return isOfInvoice ? [INVOICE_PAYMENT_CONTROL_PLUGIN, ...plugins] : plugins;
  }

  /** Whether one of these is a plugin that can be asked. */
  areRegistered(names: readonly string[]): boolean {
    return names.some((name) => this.#ports.paymentControls.has(name));
  }

  /** Records the attempt of what may start, without properties: secrets must not be stored before a plugin can strip them. */
  async begin(
    session: WriteSession,
    context: CallContext,
    beginning: Beginning,
  ): Promise<ControlledOperation> {
    const begun = newOperationAttempt(context, beginning, this.#ports.ids);
    await session.payments.insertAttempts([begun.attempt]);
    return begun;
  }

  /**
   * Makes the prior calls.
   * @throws BillingError as `ControlCalls.prior`; the attempt is ABORTED then.
   */
  async ask(
    context: CallContext,
    begun: ControlledOperation,
    { pluginTimeoutMs: timeoutMs, overwritesMethod }: PaymentConfig,
  ): Promise<ControlledOperation> {
    try {
      const run = await this.#calls.prior(begun.run, { timeoutMs, overwritesMethod });
      return { ...begun, run, request: { ...begun.request, ...adjusted(run) } };
    } catch (error) {
      await this.#ending(begun, error, () => this.#write(context, (session) => this.drop(session, begun)));
      throw error;
    }
  }

  /** Ends the attempt of a run that is not made after all; nobody is told. */
  async drop(session: WriteSession, { attempt }: ControlledOperation): Promise<void> {
    await end(session, attempt, { stateName: AttemptState.ABORTED });
  }

  /** Whether plugins may have to hear how a transaction ends that was begun before (§6.1 rule 4). */
  mayHearEndOf({ attemptId }: Pick<AnsweredCall['transaction'], 'attemptId'>): boolean {
    return attemptId !== null && this.#ports.paymentControls.size > 0;
  }

  /** Whether a plugin hears of the run, besides the built-in control, which is none. */
  isHeard(control: ControlledOperation | null): boolean {
    return control !== null && pluginsAmong(control.run.names).length > 0;
  }

  /**
   * Tells the plugins how a call has ended, before it is recorded; those of a completion are the ones of its attempt
   * (§6.1 rule 4). Null = nobody was to be told.
   */
  async ended(
    context: CallContext,
    call: AnsweredCall,
    control: ControlledOperation | null,
  ): Promise<ControlResult | null> {
    const run = control?.run ?? (await this.#runOfAttempt(context, call));
    if (run === null || pluginsAmong(run.names).length === 0) return null;
    const { transaction, paymentId, timeoutMs } = call;
    const { status, processedAmount, processedCurrency } = readOutcome(transaction, call.outcome);
    const ids = { paymentId, transactionId: transaction.id };
    const told = { ...run, context: { ...run.context, ...ids, processedAmount, processedCurrency } };
    const isWell = status === TransactionStatus.SUCCESS || status === TransactionStatus.PENDING;
    return isWell ? this.#calls.succeeded(told, { timeoutMs }) : this.#calls.failed(told, { timeoutMs });
  }

  async #runOfAttempt(context: CallContext, { transaction, gateway, ...call }: AnsweredCall) {
    const { attemptId } = transaction;
    if (attemptId === null) return null;
    const [attempt] = await this.#ports.storage.read(context.tenant, (session) =>
      session.payments.findAttemptsByIds([attemptId]),
    );
    if (!attempt || pluginsAmong(attempt.pluginNames).length === 0) return null;
    const about = contextOfAttempt(context, attempt, { paymentPluginName: gateway?.name ?? null });
    const properties = call.properties.length > 0 ? call.properties : (attempt.pluginProperties ?? []);
    return { names: attempt.pluginNames, context: about, properties };
  }

  /**
   * An error behind the prior calls ends the attempt, or lets it run again (§2.3 rule 3); there is no transaction. What
   * the engine itself repeats and finds busy comes again: nobody is told of that (§5.3 rule 2). Whatever goes wrong here
   * is logged, and the sweep ends the attempt: the error is what the caller has to know.
   */
  async failed(context: CallContext, control: ControlledOperation, error: unknown): Promise<void> {
    const { attempt, run } = control;
    const comesAgain = !attempt.isApiPayment && error instanceof BillingError && error.facts.isBusy === true;
    await this.#ending(control, error, async () => {
      if (comesAgain) return this.#write(context, (session) => this.drop(session, control));
      const config = await this.#ports.storage.read(context.tenant, this.#configOf);
      const told = await this.#calls.failed(run, { timeoutMs: config.pluginTimeoutMs });
      const retryAt = isRepeatable(attempt.transactionType) ? told.retryAt : null;
      const stateName = attemptStateAfter('PLUGIN_FAILURE', retryAt);
      const pluginProperties = told.properties;
      return this.#write(context, (session) =>
        end(session, attempt, { stateName, pluginProperties, retryAt }),
      );
    });
  }

  async #ending(
    { attempt }: ControlledOperation,
    because: unknown,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      const facts = { err: error, because, attemptId: attempt.id };
      this.#ports.logger.error(
        facts,
        'the attempt of an operation was not ended; the sweep of attempts ends it',
      );
    }
  }

  #write(context: CallContext, work: (session: WriteSession) => Promise<void>): Promise<void> {
    return this.#ports.storage.write(context.tenant, authorshipOf(context), work);
  }
}

function adjusted({ context, properties }: ControlledRun): Partial<OperationRequest> {
  const { amount, currency, paymentMethodId } = context;
  return { amount, currency, paymentMethodId, properties };
}

async function end(
  session: WriteSession,
  attempt: New<PaymentAttempt>,
  { retryAt = null, ...ending }: Partial<PaymentAttempt> & Partial<Pick<ControlResult, 'retryAt'>>,
): Promise<void> {
  const [stored] = await session.payments.findAttemptsByIds([attempt.id]);
  if (!stored) return;
  await session.payments.updateAttempts([{ ...stored, pluginProperties: [], ...ending }]);
  if (retryAt === null) return;
  const job = { attemptId: attempt.id, paymentId: null, invoiceId: null };
  session.schedule([retryNotification(job, attempt.accountRecordId, retryAt)]);
}

/** The run of what is planned: plugins are told of the amount, the currency and the method that it comes to. */
function newOperationAttempt(
  context: CallContext,
  { work, plan, facts, names }: Beginning,
  ids: IdGenerator,
): ControlledOperation {
  const { account, payment, method } = facts;
  const made = { paymentId: ids.next(), transactionId: ids.next() };
  const paymentExternalKey = payment?.externalKey ?? work.request.paymentExternalKey ?? made.paymentId;
  const transactionExternalKey = work.request.transactionExternalKey ?? made.transactionId;
  const request = { ...work.request, paymentExternalKey, transactionExternalKey };
  const attempt: New<PaymentAttempt> = {
    id: ids.next(),
    accountId: account.id,
    accountRecordId: account.recordId,
    paymentMethodId: plan.method?.id ?? null,
    paymentExternalKey,
    transactionId: null,
    transactionExternalKey,
    transactionType: typeOf(request.operation),
    stateName: AttemptState.INIT,
    amount: plan.amount,
    currency: plan.currency,
    pluginNames: names,
    pluginProperties: null,
    isApiPayment: work.isApiPayment ?? true,
    createdDate: context.createdDate,
  };
  const paymentPluginName = plan.gateway?.name ?? method?.pluginName ?? null;
  const about = {
    ...contextOfAttempt(context, attempt, { paymentPluginName }),
    paymentId: payment?.id ?? null,
  };
  return { attempt, request, run: { names, context: about, properties: request.properties }, ids: made };
}
