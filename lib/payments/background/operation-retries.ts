import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import {
  ActingComponent,
  AttemptState,
  type CallContext,
  CallOrigin,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type New,
  type PaymentAttempt,
} from '../../records/index.ts';
import { batchAuthorship, type HandlerBatch } from '../../runtime/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import type { PaymentMachine, PaymentPorts } from '../machine/payment-machine.ts';
import { PaymentService } from '../machine/payment-service.ts';
import type { OperationRequest } from '../planning/operation-facts.ts';
import { planOperation } from '../planning/operation-plan.ts';
import { hasOnlyBegun } from '../state/ended-attempt.ts';
import { readRetryJob } from '../state/payment-notifications.ts';

/** Runs operations again that a control plugin has given a date for (§8.3): a new attempt with the keys of the old. */
export class OperationRetries {
  readonly #ports: PaymentPorts;
  readonly #payments: PaymentService;

  constructor(machine: PaymentMachine) {
    this.#ports = machine.ports;
    this.#payments = new PaymentService(machine);
  }

  /** One after the other: each begins an attempt, by which a second delivery sees that it was made. */
  async run(batch: HandlerBatch, entries: readonly ClaimedEntry[]): Promise<void> {
    for (const entry of entries) await this.#runOne(batch, entry);
  }

  async #runOne(batch: HandlerBatch, entry: ClaimedEntry): Promise<void> {
    try {
      const { attemptId } = readRetryJob(entry.payload);
      const origin = await this.#originOf(batch, attemptId);
      const hasEnded = origin === null || (await this.#repeat(batch, entry, origin));
      const authorship = batchAuthorship([entry], ActingComponent.PAYMENT_RETRY, this.#ports.clock.now());
      await this.#ports.storage.write(batch.tenant, authorship, async (session) => {
        if (!hasEnded) await this.#recordRefusal(session, origin);
        await batch.finish(session, [entry]);
      });
    } catch (error) {
      if (error instanceof BillingError && error.facts.isBusy === true) batch.busy([entry]);
      else batch.failed(entry, error);
    }
  }

  /** The attempt that is to run again; null when it has, or was decided anew since. */
  async #originOf(batch: HandlerBatch, attemptId: PaymentAttempt['id']): Promise<PaymentAttempt | null> {
    return this.#ports.storage.read(batch.tenant, async (session) => {
      const [origin] = await session.payments.findAttemptsByIds([attemptId]);
      if (origin?.stateName !== AttemptState.RETRIED) return null;
      const runs = await session.payments.findAttemptsByPaymentKeys([origin.paymentExternalKey]);
      const { transactionExternalKey: key } = origin;
      const transactions = await session.payments.findTransactionsByKeys([key]);
      const own = runs.filter(
        (run) => run.transactionExternalKey === key && !hasOnlyBegun(run, transactions),
      );
      return own.at(-1)?.id === origin.id ? origin : null;
    });
  }

  /** A retry that was refused before it began has an attempt too (§3.3); one that has begun has one already. */
  async #recordRefusal(session: WriteSession, origin: PaymentAttempt): Promise<void> {
    const runs = await session.payments.findAttemptsByPaymentKeys([origin.paymentExternalKey]);
    const own = runs.filter((run) => run.transactionExternalKey === origin.transactionExternalKey);
    if (own.at(-1)?.id !== origin.id) return;
    const refused: New<PaymentAttempt> = {
      id: this.#ports.ids.next(),
      accountId: origin.accountId,
      accountRecordId: origin.accountRecordId,
      paymentMethodId: origin.paymentMethodId,
      paymentExternalKey: origin.paymentExternalKey,
      transactionId: null,
      transactionExternalKey: origin.transactionExternalKey,
      transactionType: origin.transactionType,
      stateName: AttemptState.ABORTED,
      amount: origin.amount,
      currency: origin.currency,
      pluginNames: origin.pluginNames,
      pluginProperties: [],
      isApiPayment: false,
      createdDate: session.authorship.createdDate,
    };
    await session.payments.insertAttempts([refused]);
  }

  /**
   * What it ends in stands in its attempt; an operation that may not run any more is no failure of the entry.
   * @returns false if it has thrown.
   */
  async #repeat(batch: HandlerBatch, entry: ClaimedEntry, origin: PaymentAttempt): Promise<boolean> {
    const context: CallContext = {
      tenant: batch.tenant,
      userName: ActingComponent.PAYMENT_RETRY,
      principal: null,
      reasonCode: null,
      comments: null,
      userToken: entry.userToken,
      callOrigin: CallOrigin.INTERNAL,
      createdDate: this.#ports.clock.now(),
    };
    const request = requestOfAttempt(origin);
    try {
      await this.#payments.runPlanned(context, {
        request,
        isOfInvoice: origin.pluginNames.includes(INVOICE_PAYMENT_CONTROL_PLUGIN),
        isApiPayment: false,
        plan: (deciding) => planOperation(deciding.request, deciding.facts, deciding.rules),
      });
      return true;
    } catch (error) {
      if (!(error instanceof BillingError) || error.facts.isBusy === true) throw error;
      const facts = { err: error, attemptId: origin.id };
      this.#ports.logger.info(facts, 'a retried payment ended with an error; its attempt tells');
      return false;
    }
  }
}

function requestOfAttempt(origin: PaymentAttempt): OperationRequest {
  return {
    operation: origin.transactionType,
    accountId: origin.accountId,
    paymentId: null,
    paymentExternalKey: origin.paymentExternalKey,
    transactionExternalKey: origin.transactionExternalKey,
    paymentMethodId: origin.paymentMethodId,
    amount: origin.amount,
    currency: origin.currency,
    effectiveDate: null,
    properties: origin.pluginProperties ?? [],
    controlPlugins: origin.pluginNames.filter((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN),
  };
}
