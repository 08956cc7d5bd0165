import { ActingComponent, BusEventType } from '../../records/index.ts';
import type { HandlerBatch, QueueHandler } from '../../runtime/index.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { uuidOf } from '../state/payment-notifications.ts';
import type { PaymentPorts } from './charge-steps.ts';
import { PaymentRun } from './payment-run.ts';

/** Pays each newly committed invoice from the account's default payment method (§9.1 rule 1). */
export class AutomaticPaymentHandler implements QueueHandler {
  readonly name = 'payment-service:automatic-payment';
  readonly topics: readonly string[] = [BusEventType.INVOICE_CREATION];
  readonly #run: PaymentRun;

  constructor(ports: PaymentPorts, configOf: PaymentConfigOf) {
    this.#run = new PaymentRun(ports, configOf);
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
