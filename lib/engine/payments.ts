import {
  AttemptSweep,
  automaticPaymentHandler,
  type ComboAccounts,
  ComboPartiesFinder,
  ComboPayments,
  directPayments,
  holdReleaseHandler,
  InvoicePaymentService,
  JanitorHandler,
  notifiedPayments,
  PaymentGatewayService,
  PaymentMachine,
  PaymentMethodReads,
  PaymentMethodRefresh,
  PaymentMethodService,
  PaymentReads,
  PaymentRepairs,
  paymentConfigOf,
  paymentRetryHandler,
} from '../payments/index.ts';
import { bindMethods } from './bind-methods.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on payment methods, payments and payments of invoices. */
export function paymentArea({ ports, settingsOf }: Foundation, accounts: ComboAccounts) {
  const configOf = paymentConfigOf(settingsOf);
  const machine = new PaymentMachine(ports, configOf);
  const methods = new PaymentMethodService(machine);
  const reads = new PaymentMethodReads(ports, configOf);
  const parties = new ComboPartiesFinder(accounts, {
    ofAccount: reads.ofAccount.bind(reads),
    checkPlugin: methods.checkPlugin.bind(methods),
    add: methods.add.bind(methods),
  });
  const direct = directPayments(machine);
  const paymentReads = bindMethods(new PaymentReads(ports, configOf));
  const { authorize, purchase, credit, chargeback, reverseChargeback } = direct;
  const { get } = paymentReads;
  const follow = notifiedPayments(ports, { get, chargeback, reverseChargeback });
  const beginnings = { AUTHORIZE: authorize, PURCHASE: purchase, CREDIT: credit };
  return {
    /** Resolves when all background payment work has ended. */
    idle: () => machine.idle(),
    attempts: new AttemptSweep(ports, configOf),
    handlers: [
      automaticPaymentHandler(machine),
      paymentRetryHandler(machine),
      new JanitorHandler(ports, configOf),
      holdReleaseHandler(ports),
    ],
    operations: {
      paymentMethods: {
        ...bindMethods(reads),
        ...bindMethods(methods, 'add', 'setDefault', 'delete'),
        ...bindMethods(new PaymentMethodRefresh(ports, configOf)),
      },
      invoicePayments: bindMethods(new InvoicePaymentService(machine)),
      paymentGateways: bindMethods(new PaymentGatewayService(ports, configOf, { parties, follow })),
      payments: {
        ...paymentReads,
        ...bindMethods(new PaymentRepairs(ports, configOf)),
        ...direct,
        ...bindMethods(new ComboPayments(parties, beginnings)),
      },
    },
  };
}
