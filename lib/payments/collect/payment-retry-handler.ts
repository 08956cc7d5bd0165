import { ActingComponent, QueueName } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { readRetryJob, uuidOf } from '../state/payment-notifications.ts';
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

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#run = new PaymentRun(ports, configOf);
  }

  /** Resolves once no late answer is being recorded any more. */
  idle(): Promise<void> {
    return this.#run.idle();
  }

  handle(batch: HandlerBatch): Promise<void> {
    return this.#run.run(batch, ActingComponent.PAYMENT_RETRY, ({ payload }) => {
      if ('holdId' in payload) {
        const invoiceId = uuidOf(payload, 'invoiceId');
        return { invoiceId, retry: null, holdId: uuidOf(payload, 'holdId') };
      }
      const retry = readRetryJob(payload);
      return { invoiceId: retry.invoiceId, retry };
    });
  }
}
