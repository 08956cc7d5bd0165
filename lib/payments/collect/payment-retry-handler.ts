import type { ClaimedEntry } from '../../ports/storage/index.ts';
import { ActingComponent, type EventPayload, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import { OperationRetries } from '../direct/operation-retries.ts';
import { PaymentService } from '../direct/payment-service.ts';
import type { PaymentRequest } from '../planning/plan-reservation.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { readInvoiceRetryJob, uuidOf } from '../state/payment-notifications.ts';
import type { PaymentPorts } from './charge-steps.ts';
import { PaymentRun } from './payment-run.ts';

/**
 * Runs failed automatic payments again when their retry falls due (§8.3), and held back ones when their hold is released
 * (§9.3).
 */
export class PaymentRetryHandler implements QueueHandler {
  readonly name = 'payment-service:retry';
  readonly topics: readonly string[] = [QueueName.PAYMENT_RETRY];
  readonly #run: PaymentRun;
  readonly #operations: OperationRetries;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#run = new PaymentRun(ports, configOf);
    this.#operations = new OperationRetries(ports, new PaymentService(ports, configOf));
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#run.idle();
  }

  async handle(batch: HandlerBatch): Promise<void> {
    const [operations, ofInvoices] = [true, false].map((isOperation) =>
      batch.entries.filter(({ payload }) => paysNoInvoice(payload) === isOperation),
    );
    if (ofInvoices?.length) {
      const run = { batch, entries: ofInvoices, actor: ActingComponent.PAYMENT_RETRY };
      await this.#run.run(run, readRequest);
    }
    await this.#operations.run(batch, operations ?? []);
  }
}

function paysNoInvoice({ invoiceId }: EventPayload): boolean {
  return invoiceId == null;
}

function readRequest({ payload }: ClaimedEntry): Omit<PaymentRequest, 'accountRecordId'> {
  if ('holdId' in payload) {
    const invoiceId = uuidOf(payload, 'invoiceId');
    return { invoiceId, retry: null, holdId: uuidOf(payload, 'holdId') };
  }
  const retry = readInvoiceRetryJob(payload);
  return { invoiceId: retry.invoiceId, retry };
}
