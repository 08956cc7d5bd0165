import type { PaymentGateway } from '../../ports/index.ts';
import {
  type Account,
  isUnresolved,
  type NewNotification,
  type PaymentTransaction,
  type PluginProperty,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PaymentConfig } from '../state/payment-config.ts';
import { recoveryNotification } from '../state/payment-notifications.ts';
import { janitorCheck } from '../state/recovery-schedule.ts';

/** One operation of a gateway that is reserved: what is asked, of whom (§5.1). */
export interface ReservedCall {
  readonly account: Account;
  /** Null: nobody is asked, such as of a chargeback, which the network has made (§2.1 rule 3). */
  readonly gateway: PaymentGateway | null;
  readonly paymentId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly transaction: Pick<
    PaymentTransaction,
    | 'id'
    | 'attemptId'
    | 'transactionType'
    | 'status'
    | 'amount'
    | 'currency'
    | 'leaseUntil'
    | 'paymentId'
    | 'accountRecordId'
  >;
  readonly properties: readonly PluginProperty[];
  /** True: control plugins hear of it, so that it cannot end in the transaction that reserves it. */
  readonly isControlled?: boolean;
  /** True: what nobody is asked about is recorded as a failure. */
  readonly isRefused?: boolean;
}

/** False where nobody is asked, and for a gateway whose operation is part of the storage transaction (§2.4 rule 1). */
export function hasOutsideEffect({
  gateway,
  isControlled = false,
}: Pick<ReservedCall, 'gateway' | 'isControlled'>): boolean {
  return isControlled || (gateway !== null && gateway.capabilities?.sideEffectFree !== true);
}

/** §5.1 rule 1: the check that finds what a crash leaves, at the end of the lease plus the first delay. */
export function firstCheck({ transaction }: ReservedCall, config: PaymentConfig): NewNotification | null {
  const { leaseUntil: from } = transaction;
  if (from === null || !isUnresolved(transaction)) return null;
  const check = janitorCheck({ status: transaction.status, check: 0, from }, config);
  return check && recoveryNotification(transaction, check);
}
