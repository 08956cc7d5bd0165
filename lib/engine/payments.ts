import { AutomaticPaymentHandler } from '../payments/collect/automatic-payment-handler.ts';
import { HoldReleaseHandler } from '../payments/collect/hold-release-handler.ts';
import { PaymentRetryHandler } from '../payments/collect/payment-retry-handler.ts';
import { PaymentMethodReads } from '../payments/methods/payment-method-reads.ts';
import { PaymentMethodService } from '../payments/methods/payment-method-service.ts';
import { PaymentReads } from '../payments/reading/payment-reads.ts';
import { JanitorHandler } from '../payments/recovery/janitor-handler.ts';
import { paymentConfigOf } from '../payments/tenant-payment-config.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Payment methods, payments, and how invoices are paid. */
export function paymentArea({ ports, settingsOf }: Foundation) {
  const paymentConfig = paymentConfigOf(settingsOf);
  const methods = new PaymentMethodService(ports, paymentConfig);
  return {
    /** Resolves when nothing goes on any more that no call waits for. */
    idle: methods.idle.bind(methods),
    handlers: [
      new AutomaticPaymentHandler(ports, paymentConfig),
      new PaymentRetryHandler(ports, paymentConfig),
      new JanitorHandler(ports, paymentConfig),
      new HoldReleaseHandler(ports),
    ],
    operations: {
      paymentMethods: {
        ...methodsOf(new PaymentMethodReads(ports, paymentConfig), 'ofAccount', 'get'),
        ...methodsOf(methods, 'add', 'setDefault'),
      },
      payments: methodsOf(
        new PaymentReads(ports, paymentConfig),
        'ofAccount',
        'invoicePaymentsOfAccount',
        'invoicePaymentsOfInvoice',
      ),
    },
  };
}
