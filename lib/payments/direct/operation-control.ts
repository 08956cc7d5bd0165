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
import type { Uuid } from '../../values/ids/index.ts';
import type { AnsweredCall, CallPorts } from '../calls/gateway-calls.ts';
import { contextOfAttempt, pluginsAmong } from '../control/attempt-context.ts';
import { ControlCalls } from '../control/control-calls.ts';
import type { ControlledRun } from '../control/controlled-run.ts';
import type { OperationFacts } from '../planning/operation-facts.ts';
import type { OperationRequest } from '../planning/operation-request.ts';
import { attemptStateAfter } from '../state/attempt-state.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { retryNotification } from '../state/payment-notifications.ts';
import { typeOf } from '../state/payment-state.ts';
import { isRepeatable } from '../state/retry-dates.ts';
import type { ControlResult } from '../state/settlement.ts';
import { readOutcome } from '../state/transaction-outcome.ts';
import { loadOperationFacts } from './load-operation-facts.ts';

/** What a run is asked to be: of an invoice, or again by the engine itself. */
export interface ControlledWork {
  readonly request: OperationRequest;
  /** True: the built-in invoice control stands first (§2.3 rule 9). */
  readonly isOfInvoice?: boolean;
  /** False: the engine tries again what a plugin has given a date for; default true. */
  readonly isApiPayment?: boolean;
}

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

  /**
   * Records an attempt without properties, for secrets must not be stored before a plugin can strip them, and makes the
   * prior calls. Null = there is nothing to control, and no attempt.
   * @throws BillingError as `ControlCalls.prior`; the attempt is ABORTED then.
   */
  async begin(context: CallContext, work: ControlledWork): Promise<ControlledOperation | null> {
    const { storage } = this.#ports;
    const asked = work.request.controlPlugins;
    const { facts, config } = await storage.read(context.tenant, async (session) => ({
      facts: await loadOperationFacts(session, work.request),
      config: await this.#configOf(session),
    }));
    const names = [
      ...(work.isOfInvoice ? [INVOICE_PAYMENT_CONTROL_PLUGIN] : []),
      ...(asked ?? config.controlPlugins),
    ];
    if (names.length === 0) return null;
    const begun = newOperationAttempt(context, { work, facts, names }, this.#ports.ids);
    await this.#write(context, async (session) => session.payments.insertAttempts([begun.attempt]));
    const limits = { timeoutMs: config.pluginTimeoutMs, overwritesMethod: config.overwritesMethod };
    try {
      const run = await this.#calls.prior(begun.run, limits);
      return { ...begun, run, request: { ...begun.request, ...adjusted(run) } };
    } catch (error) {
      await this.#end(context, begun.attempt, { stateName: AttemptState.ABORTED });
      throw error;
    }
  }

  /** Whether there may be something to control, or an attempt to write; what `begin` gives says whether there is. */
  mayHear({ isOfInvoice, request: { controlPlugins } }: ControlledWork): boolean {
    if (isOfInvoice) return true;
    return controlPlugins === null ? this.#ports.paymentControls.size > 0 : controlPlugins.length > 0;
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
    return { names: attempt.pluginNames, context: about, properties: call.properties };
  }

  /** An error behind the prior calls ends the attempt, or lets it run again (§2.3 rule 3); there is no transaction. */
  async failed(context: CallContext, { attempt, run }: ControlledOperation): Promise<void> {
    const config = await this.#ports.storage.read(context.tenant, this.#configOf);
    const told = await this.#calls.failed(run, { timeoutMs: config.pluginTimeoutMs });
    const { properties } = told;
    const retryAt = isRepeatable(attempt.transactionType) ? told.retryAt : null;
    const stateName = attemptStateAfter('PLUGIN_FAILURE', retryAt);
    await this.#end(context, attempt, { stateName, pluginProperties: properties, retryAt });
  }

  async #end(
    context: CallContext,
    attempt: New<PaymentAttempt>,
    { retryAt = null, ...end }: Partial<PaymentAttempt> & Partial<Pick<ControlResult, 'retryAt'>>,
  ): Promise<void> {
    await this.#write(context, async (session) => {
      const [stored] = await session.payments.findAttemptsByIds([attempt.id]);
      if (!stored) return;
      await session.payments.updateAttempts([{ ...stored, pluginProperties: [], ...end }]);
      if (retryAt === null) return;
      const job = { attemptId: attempt.id, paymentId: null, invoiceId: null };
      session.schedule([retryNotification(job, attempt.accountRecordId, retryAt)]);
    });
  }

  #write(context: CallContext, work: (session: WriteSession) => Promise<void>): Promise<void> {
    return this.#ports.storage.write(context.tenant, authorshipOf(context), work);
  }
}

function adjusted({ context, properties }: ControlledRun): Partial<OperationRequest> {
  const { amount, currency, paymentMethodId } = context;
  return { amount, currency, paymentMethodId, properties };
}

function newOperationAttempt(
  context: CallContext,
  {
    work,
    facts,
    names,
  }: { readonly work: ControlledWork; readonly facts: OperationFacts; readonly names: readonly string[] },
  ids: IdGenerator,
): ControlledOperation {
  const { account, payment, method } = facts;
  const made = { paymentId: ids.next(), transactionId: ids.next() };
  const paymentExternalKey = payment?.externalKey ?? work.request.paymentExternalKey ?? made.paymentId;
  const transactionExternalKey = work.request.transactionExternalKey ?? made.transactionId;
  const request = { ...work.request, paymentExternalKey, transactionExternalKey };
  const { amount, currency, properties } = request;
  const transactionType = typeOf(request.operation);
  const paymentMethodId = payment?.paymentMethodId ?? request.paymentMethodId ?? account.paymentMethodId;
  const isApiPayment = work.isApiPayment ?? true;
  const attempt: New<PaymentAttempt> = {
    id: ids.next(),
    accountId: account.id,
    accountRecordId: account.recordId,
    paymentMethodId,
    paymentExternalKey,
    transactionId: null,
    transactionExternalKey,
    transactionType,
    stateName: AttemptState.INIT,
    amount,
    currency,
    pluginNames: names,
    pluginProperties: null,
    isApiPayment,
    createdDate: context.createdDate,
  };
  const about = {
    ...contextOfAttempt(context, attempt, { paymentPluginName: method?.pluginName ?? null }),
    paymentId: payment?.id ?? null,
    currency: currency ?? account.currency,
  };
  return { attempt, request, run: { names, context: about, properties }, ids: made };
}
