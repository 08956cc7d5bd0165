import {
  AutomaticPaymentHandler,
  HoldReleaseHandler,
  JanitorHandler,
  type PaymentConfigOf,
  PaymentMethodReads,
  PaymentMethodService,
  PaymentReads,
  PaymentRetryHandler,
  paymentConfig,
} from '../payments/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Payment methods, payments, and how invoices are paid. */
export function paymentArea({ ports, settingsOf }: Foundation) {
  const configOf: PaymentConfigOf = async (session) => paymentConfig(await settingsOf(session));
  const methods = new PaymentMethodService(ports, configOf);
  return {
    /** Resolves when no work is going on that no call waits for. */
    idle: methods.idle.bind(methods),
    handlers: [
      new AutomaticPaymentHandler(ports, configOf),
      new PaymentRetryHandler(ports, configOf),
      new JanitorHandler(ports, configOf),
      new HoldReleaseHandler(ports),
    ],
    operations: {
      paymentMethods: {
        ...methodsOf(new PaymentMethodReads(ports, configOf)),
        ...methodsOf(methods, 'add', 'setDefault'),
      },
      payments: methodsOf(new PaymentReads(ports, configOf)),
    },
  };
}
