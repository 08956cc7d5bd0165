import type { PaymentMethodDetails } from '../../ports/index.ts';
import type { Leading, PaymentMethod, PluginProperty } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PluginInfoOptions } from '../gateways/gateway-info.ts';

export interface PaymentMethodInput {
  readonly accountId: Uuid;
  readonly pluginName: string;
  /** Default: the gateway's own id of the method if it is free in the tenant, else the new method's id. */
  readonly externalKey?: string | null;
  readonly isDefault?: boolean;
  readonly payAllUnpaidInvoices?: boolean;
  /** What the gateway needs to identify the method: stored there, never here. */
  readonly details?: {
    readonly externalPaymentMethodId?: string | null;
    readonly properties?: readonly PluginProperty[];
  };
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
}

export interface SetDefaultInput {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly payAllUnpaidInvoices?: boolean;
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
}

export interface PaymentMethodReadOptions extends PluginInfoOptions {
  /** Whether to find deleted methods too; default false. */
  readonly includeDeleted?: boolean;
}

/** A payment method as it is read; `isDefault` is computed, never stored (§1.2). */
export interface PaymentMethodView extends PaymentMethod {
  readonly isDefault: boolean;
  /** What the gateway says of it; null unless asked for, and where the gateway holds none. */
  readonly pluginInfo: PaymentMethodDetails | null;
}

/** The payment methods of accounts. */
export interface PaymentMethodOperations<C extends Leading = []> {
  /**
   * Adds a method. The gateway is told first; then the method is stored and, if requested, becomes the account's default
   * (§10.1). The first method does not become the default by itself. With `payAllUnpaidInvoices` it then pays the unpaid
   * invoices, the oldest first; an invoice that cannot be paid does not stop the others.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * PAYMENT_INVALID_PARAMETER (7031) for a taken external key, EXTERNAL_KEY_LIMIT_EXCEEDED (5),
   * PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS (7023), PAYMENT_ADD_PAYMENT_METHOD (7005) when the gateway refuses,
   * PAYMENT_PLUGIN_TIMEOUT (7100), INVALID_PARAMETER (60002) for `payAllUnpaidInvoices` without any default, BUSY
   * (60018).
   */
  add(...given: [...C, input: Given<PaymentMethodInput>]): Promise<PaymentMethodView>;

  /**
   * Makes the method the account's default; the gateway is told first (§10.4). If it already is the default, nothing is
   * written. `payAllUnpaidInvoices` as for `add`.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID (7033),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_UPD_PAYMENT_METHOD (7008) when the gateway refuses, BUSY (60018).
   */
  setDefault(...given: [...C, options: Given<SetDefaultInput>]): Promise<void>;

  /**
   * The account's methods in creation order. A gateway that fails gives null information and a warning.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<PaymentMethodReadOptions>]
  ): Promise<readonly PaymentMethodView[]>;

  /**
   * One method; a deleted one only if requested.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_GET_PAYMENT_METHODS (7004) if the gateway is
   * asked and fails.
   */
  get(
    ...given: [...C, paymentMethodId: Uuid | string, options?: Given<PaymentMethodReadOptions>]
  ): Promise<PaymentMethodView>;
}
