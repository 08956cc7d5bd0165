import type { Leading, PluginProperty } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { HostedFormView } from '../claims/hosted-form.ts';
import type { NotificationAnswerView } from '../claims/notification-answer.ts';
import type { ComboParties } from '../direct/combo-operations.ts';

export interface HostedFormInput {
  readonly accountId: Uuid;
  /** Its gateway makes the form; default: the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /** What the form is to hold. */
  readonly formFields?: readonly PluginProperty[];
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
  /** Control plugins of the call; default: those of the tenant. */
  readonly controlPlugins?: readonly string[];
}

/** A form for an account and a payment method that are found or else made. */
export interface ComboFormInput
  extends ComboParties,
    Omit<HostedFormInput, 'accountId' | 'paymentMethodId'> {}

export interface GatewayNotificationInput {
  readonly pluginName: string;
  /** What the processor sent, as it came. */
  readonly body: string;
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
  /** Control plugins of the call; default: those of the tenant. */
  readonly controlPlugins?: readonly string[];
}

export interface SignedNotificationInput {
  readonly pluginName: string;
  /** The bytes that the processor sent: its signature is over these. */
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The query of the address, without `?`; it stands for the body where that is empty. */
  readonly query: string;
  /**
   * Called when the gateway has said that the signature is right, before anything is done; what it throws refuses the
   * notification, such as one of too many.
   */
  readonly verified?: (() => void) | undefined;
}

/** Pages of gateways for customers, and what gateways tell by themselves (§11). */
export interface PaymentGatewayOperations<C extends Leading = []> {
  /**
   * What the gateway's own page needs, on which the customer pays or adds a method. Nothing is stored.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_INVALID_PARAMETER (7031) without a method,
   * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_API_ABORTED (7106),
   * PAYMENT_PLUGIN_EXCEPTION (7199) of a gateway that offers no pages or declares an error, PAYMENT_PLUGIN_TIMEOUT
   * (7100), PAYMENT_INTERNAL_ERROR (7019) for any other failure of it.
   */
  buildForm(...given: [...C, input: Given<HostedFormInput>]): Promise<HostedFormView>;
  /**
   * The same for an account and a payment method that are found or else made, as `payments.combo` does; they stay
   * whatever becomes of the form.
   * @throws BillingError as `buildForm`, `accounts.create` and `paymentMethods.add`; SECURITY_NOT_ENOUGH_PERMISSIONS
   * (40000) for what may not be made.
   */
  buildComboForm(...given: [...C, input: Given<ComboFormInput>]): Promise<HostedFormView>;

  /**
   * Hands a notification to its gateway, which says what is answered. A payment that it names is asked about if an outcome
   * of it is open, and a dispute that it tells of becomes a chargeback, or ends one. Its caller is trusted; for what comes
   * from outside there is `processSignedNotification`.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_API_ABORTED (7106),
   * PAYMENT_PLUGIN_EXCEPTION (7199) of a gateway that takes no notifications or declares an error,
   * PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_INTERNAL_ERROR (7019) for any other failure of it, and with `facts.isBusy`
   * while another call has the payment of a dispute.
   */
  processNotification(
    ...given: [...C, input: Given<GatewayNotificationInput>]
  ): Promise<NotificationAnswerView>;

  /**
   * The same for a notification whose sender nobody has vouched for: the gateway first verifies the processor's signature
   * over the bytes. The author of what follows is the gateway, by its name.
   * @throws BillingError ROUTE_NOT_FOUND (60008) if there is no such gateway or it verifies no signatures;
   * UNAUTHENTICATED (60004) unless it says that the signature is right; else as `processNotification`.
   */
  processSignedNotification(
    ...given: [...C, input: Given<SignedNotificationInput>]
  ): Promise<NotificationAnswerView>;
}
