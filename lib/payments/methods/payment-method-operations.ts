import type { PaymentMethodDetails } from '../../ports/index.ts';
import type { Leading, Page, PageRequest, PaymentMethod, PluginProperty } from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ControlledInput, PluginInfoOptions, PluginInput } from '../plugins/gateway-info.ts';

export interface PaymentMethodInput extends ControlledInput {
  readonly accountId: Uuid;
  readonly pluginName: string;
  /**
   * External key of the method. Defaults to the gateway's id for the method if no other method of the tenant has that
   * key. Otherwise, defaults to the id of the new method.
   */
  readonly externalKey?: string | null;
  readonly isDefault?: boolean;
  readonly payAllUnpaidInvoices?: boolean;
  /** The data with which the gateway identifies the method. Only the gateway stores this data. */
  readonly details?: {
    readonly externalPaymentMethodId?: string | null;
    readonly properties?: readonly PluginProperty[];
  };
}

export interface SetDefaultInput extends ControlledInput {
  readonly accountId: Uuid;
  readonly paymentMethodId: Uuid;
  readonly payAllUnpaidInvoices?: boolean;
}

export interface DeletePaymentMethodInput extends PluginInput {
  readonly paymentMethodId: Uuid;
  /** If true, allows deleting the account's default method and adds the tag AUTO_PAY_OFF to the account. */
  readonly withAutoPayOff?: boolean;
  /** If true, allows deleting the account's default method. */
  readonly force?: boolean;
}

export interface RefreshPaymentMethodsInput extends PluginInput {
  readonly accountId: Uuid;
  /** Names of plugins. By default, all registered plugins that have payment methods. */
  readonly pluginNames?: readonly string[];
}

export interface PaymentMethodReadOptions extends PluginInfoOptions {
  /** If true, also finds deleted methods. Defaults to false. */
  readonly includeDeleted?: boolean;
}

export interface PaymentMethodPageRequest extends PageRequest, PluginInfoOptions {
  /**
   * Plugin whose methods are returned. If a plugin is given, a search uses the plugin's own search function. Defaults
   * to all plugins.
   */
  readonly pluginName?: string | null;
}

/** A payment method as read operations return it. `isDefault` is computed and not stored (§1.2). */
export interface PaymentMethodView extends PaymentMethod {
  readonly isDefault: boolean;
  /**
   * The gateway's information about the method, or null if it was not requested, or if the gateway does not store
   * methods.
   */
  readonly pluginInfo: PaymentMethodDetails | null;
}

/** Operations on the payment methods of accounts. */
export interface PaymentMethodOperations<C extends Leading = []> {
  /**
   * Adds a method. The gateway is notified first. Then the method is stored and, if requested, becomes the
   * account's default (§10.1). The first method does not become the default by itself. With
   * `payAllUnpaidInvoices` the new method pays the unpaid invoices, the oldest first. An invoice that cannot
   * be paid does not stop the others.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * PAYMENT_INVALID_PARAMETER (7031) for a taken external key, EXTERNAL_KEY_LIMIT_EXCEEDED (5),
   * PAYMENT_EXTERNAL_PAYMENT_METHOD_ALREADY_EXISTS (7023), PAYMENT_ADD_PAYMENT_METHOD (7005) when the gateway
   * refuses, PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_PLUGIN_API_ABORTED (7106) when a control plugin aborts,
   * INVALID_PARAMETER (60002) for `payAllUnpaidInvoices` without any default, BUSY (60018).
   */
  add(...given: [...C, input: HostInput<PaymentMethodInput>]): Promise<PaymentMethodView>;

  /**
   * Makes the method the account's default. The gateway is notified first (§10.4). Nothing is written if the method is
   * already the default. `payAllUnpaidInvoices` works as for `add`.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_METHOD_DIFFERENT_ACCOUNT_ID (7033),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_UPD_PAYMENT_METHOD (7008) if the gateway rejects the change, BUSY
   * (60018).
   */
  setDefault(...given: [...C, options: HostInput<SetDefaultInput>]): Promise<void>;

  /**
   * Returns the account's methods in creation order. The information of a failing gateway is null, and a warning is
   * logged.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: HostInput<PaymentMethodReadOptions>]
  ): Promise<readonly PaymentMethodView[]>;

  /**
   * Returns one method. A deleted method is returned only on request.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_GET_PAYMENT_METHODS (7004) if the gateway is
   * called and fails.
   */
  get(
    ...given: [...C, paymentMethodId: Uuid | string, options?: HostInput<PaymentMethodReadOptions>]
  ): Promise<PaymentMethodView>;

  /**
   * Returns the method with an external key. Deleted methods are included only on request.
   * @throws BillingError The errors of `get`.
   */
  getByKey(
    ...given: [...C, externalKey: string, options?: HostInput<PaymentMethodReadOptions>]
  ): Promise<PaymentMethodView>;

  /**
   * Returns the tenant's active methods in creation order. The information of a failing gateway is null, and a
   * warning is logged.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028).
   */
  page(...given: [...C, request: HostInput<PaymentMethodPageRequest>]): Promise<Page<PaymentMethodView>>;

  /**
   * Finds active methods. The key is a whole id or account id, part of an external key or plugin name, or
   * clauses in operator form (accounts §6.2). With `pluginName`, that gateway's own search is used; with
   * `withPluginInfo` alone, the searches of all registered gateways one after the other. Unknown hits are
   * dropped (§10.2).
   * @throws BillingError INVALID_PARAMETER (60002) for a key that cannot be read,
   * PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS (7103) or
   * PAYMENT_PLUGIN_TIMEOUT (7100) if the named gateway fails.
   */
  search(
    ...given: [...C, key: string, request: HostInput<PaymentMethodPageRequest>]
  ): Promise<Page<PaymentMethodView>>;

  /**
   * Deletes a method. The gateway is notified first. The method stays readable, and its payments can still be
   * captured, refunded and voided (§2.1 rule 4, §10.3).
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_DEL_DEFAULT_PAYMENT_METHOD (7022) for the
   * account's default without one of the two flags, PAYMENT_DEL_PAYMENT_METHOD (7007) when the gateway refuses,
   * PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), BUSY (60018).
   */
  delete(...given: [...C, input: HostInput<DeletePaymentMethodInput>]): Promise<void>;

  /**
   * Synchronizes the account's methods with the gateways: adds unknown methods, restores deleted methods, deletes
   * missing methods and updates the default (§10.5). Gateways that store no methods are skipped.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028),
   * PAYMENT_REFRESH_PAYMENT_METHOD (7006) if a gateway fails, PAYMENT_PLUGIN_TIMEOUT (7100), BUSY (60018).
   */
  refresh(...given: [...C, input: HostInput<RefreshPaymentMethodsInput>]): Promise<void>;
}
