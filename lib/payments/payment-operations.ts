import type { Leading } from '../records/index.ts';
import type { ComboOperations } from './direct/combo-operations.ts';
import type { DirectPaymentOperations } from './direct/direct-payment-operations.ts';
import type { PaymentRepairOperations } from './direct/payment-repair-operations.ts';
import type { PaymentListOperations } from './reading/payment-list-operations.ts';
import type { PaymentReadOperations } from './reading/payment-read-operations.ts';

/** What was paid, and how it went; operations on payments. */
export interface PaymentOperations<C extends Leading = []>
  extends PaymentReadOperations<C>,
    PaymentListOperations<C>,
    DirectPaymentOperations<C>,
    ComboOperations<C>,
    PaymentRepairOperations<C> {}
