import type { AccountInput } from '../../accounts/index.ts';
import type { Leading, PluginProperty } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { PaymentMethodInput } from '../methods/payment-method-operations.ts';
import type { OperationInput, PaymentResult } from './direct-payment-operations.ts';

/** An account by its id, else by its external key; else it is made of the rest. */
export interface ComboAccount extends AccountInput {
  readonly accountId?: Uuid | null;
}

/** A method of the account by its id, else by its external key; else it is added. Without a plugin's name it is none. */
export interface ComboPaymentMethod extends Pick<PaymentMethodInput, 'details'> {
  readonly paymentMethodId?: Uuid | null;
  readonly pluginName?: string | null;
  readonly externalKey?: string | null;
}

/** Account and payment method of a combined request; what is made stays, whatever becomes of the rest. */
export interface ComboParties {
  readonly account: ComboAccount;
  /** Default: the account's default method. */
  readonly paymentMethod?: ComboPaymentMethod | null;
  /** Plugin properties of the addition of the method. */
  readonly paymentMethodProperties?: readonly PluginProperty[];
  /** What may be made; default: all. */
  readonly mayCreate?: { readonly account: boolean; readonly paymentMethod: boolean };
}

/** A payment with its account and method. */
export interface ComboPaymentInput extends ComboParties, OperationInput {
  readonly transactionType: 'AUTHORIZE' | 'PURCHASE' | 'CREDIT';
  /** More than 0; of an authorization 0 checks the method. */
  readonly amount: Decimal;
  /** Default: the account's. */
  readonly currency?: string | null;
  /** The client's own key of the payment. Default: its id. */
  readonly externalKey?: string | null;
}

export interface ComboOperations<C extends Leading = []> {
  /**
   * Begins a payment together with its account and payment method, which are found or else made (payments §11). What is
   * given is checked in this order before anything is written: account, method, what may be made, transaction. A method
   * that is added becomes the default if it is the account's first.
   * @throws BillingError as `authorize`, `accounts.create` and `paymentMethods.add`; ACCOUNT_DOES_NOT_EXIST_FOR_ID
   * (3002), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for what may not be made, PRECONDITION_FAILED (60006) for another
   * type of transaction, MISSING_OR_INVALID_FIELD (60003) without an amount.
   */
  combo(...given: [...C, input: Given<ComboPaymentInput>]): Promise<PaymentResult>;
}
