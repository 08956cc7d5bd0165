import type { ClaimedEntry } from '../../ports/storage/index.ts';
import { ActingComponent, BusEventType, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import type { PaymentMachine } from '../machine/payment-machine.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import { readInvoiceRetryJob, uuidOf } from '../state/payment-notifications.ts';
import { OperationRetries } from './operation-retries.ts';
import { PaymentRun } from './payment-run.ts';

/** Pays each newly committed invoice from the account's default payment method (§9.1 rule 1). */
export class AutomaticPaymentHandler implements QueueHandler {
  readonly name = 'payment-service:automatic-payment';
  readonly topics: readonly string[] = [BusEventType.INVOICE_CREATION];
  readonly #run: PaymentRun;

  constructor(machine: PaymentMachine) {
    this.#run = new PaymentRun(machine);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#run.idle();
  }

  handle(batch: HandlerBatch): Promise<void> {
    const run = { batch, entries: batch.entries, actor: ActingComponent.PAYMENT_REQUEST };
    return this.#run.run(run, ({ payload }) => ({
      invoiceId: uuidOf(payload, 'invoiceId'),
      retry: null,
    }));
  }
}

/**
 * Runs failed automatic payments again when their retry falls due (§8.3), and held back ones when their hold is released
 * (§9.3).
 */
export class PaymentRetryHandler implements QueueHandler {
  readonly name = 'payment-service:retry';
  readonly topics: readonly string[] = [QueueName.PAYMENT_RETRY];
  readonly #run: PaymentRun;
  readonly #operations: OperationRetries;

  constructor(machine: PaymentMachine) {
    this.#run = new PaymentRun(machine);
    this.#operations = new OperationRetries(machine);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#run.idle();
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const ofInvoices = batch.entries.filter(({ payload }) => payload.invoiceId != null);
    await this.#run.run({ batch, entries: ofInvoices, actor: ActingComponent.PAYMENT_RETRY }, readRequest);
    const operations = batch.entries.filter(({ payload }) => payload.invoiceId == null);
    await this.#operations.run(batch, operations);
  }
}

function readRequest({ payload }: ClaimedEntry): Omit<PaymentRequest, 'accountRecordId'> {
  if ('holdId' in payload) {
    const invoiceId = uuidOf(payload, 'invoiceId');
    return { invoiceId, retry: null, holdId: uuidOf(payload, 'holdId') };
  }
  const retry = readInvoiceRetryJob(payload);
  return { invoiceId: retry.invoiceId, retry };
}
