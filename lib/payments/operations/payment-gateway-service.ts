import { loadAccount } from '../../accounts/index.ts';
import type { GatewayContext, PaymentControlContext, PaymentGateway, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  isUnresolved,
  type Leading,
  type PaymentMethod,
  type PluginProperty,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type ClaimedDispute,
  claimedAnswer,
  claimedForm,
  type HostedFormView,
  type NotificationAnswerView,
} from '../claims/gateway-claims.ts';
import type {
  ChargebackReversalInput,
  ComboParties,
  DirectPaymentOperations,
  PaymentReadOperations,
} from '../payment-operations.ts';
import { callGatewayOnce } from '../plugins/call-gateway.ts';
import {
  ControlCalls,
  type ControlledRun,
  type ControlPorts,
  contextOfCall,
} from '../plugins/control-calls.ts';
import type { ControlledInput } from '../plugins/gateway-info.ts';
import type { PaymentConfig, PaymentConfigOf } from '../state/payment-config.ts';
import {
  badParameter,
  gatewayCallFailed,
  lacksMember,
  noSignedNotifications,
  noSuchMethod,
  registeredGateway,
  unreadableAnswer,
} from '../state/payment-errors.ts';
import { activeChargeback } from '../state/payment-state.ts';
import type { ComboPartiesFinder } from './direct-payments.ts';

type GatewayServicePorts = ControlPorts & Pick<Ports, 'storage' | 'gateways'>;

/** A gateway call that is made between the calls of the control plugins. */
interface Between<R, T, V> {
  readonly gateway: PaymentGateway;
  readonly run: ControlledRun;
  readonly timeoutMs: number;
  readonly request: R;
  call(request: R, context: GatewayContext): Promise<T>;
  /** Reads the gateway's result. Returns null if the result is invalid. */
  read(answer: T): V | null;
  paymentOf?(value: V): Uuid | null;
}

/** Operations on gateways' hosted pages and notifications (§11). They call gateways outside transactions. */
export class PaymentGatewayService implements PaymentGatewayOperations<[CallContext]> {
  readonly #ports: GatewayServicePorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: ControlCalls;

  readonly #parties: ComboPartiesFinder;
  readonly #follow: FollowNotification;

  constructor(
    ports: GatewayServicePorts,
    configOf: PaymentConfigOf,
    { parties, follow }: { readonly parties: ComboPartiesFinder; readonly follow: FollowNotification },
  ) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new ControlCalls(ports);
    this.#parties = parties;
    this.#follow = follow;
  }

  async buildComboForm(context: CallContext, input: ComboFormInput) {
    const { account, paymentMethod, paymentMethodProperties, mayCreate, ...form } = input;
    return this.buildForm(context, { ...form, ...(await this.#parties.of(context, input)) });
  }

  async buildForm(context: CallContext, input: HostedFormInput) {
    const { account, method, config } = await this.#read(context, async (session) => {
      const found = await loadAccount(session, input.accountId);
      const defaultId = input.pluginName ? null : found.paymentMethodId;
      const methodId = input.paymentMethodId ?? defaultId;
      return {
        account: found,
        method: methodId === null ? null : await methodOf(session, found, methodId),
        config: await this.#configOf(session),
      };
    });
    // A page that the gateway does not support is rejected before plugins are notified.
    const pluginName = method?.pluginName ?? (input.pluginName || null);
    if (pluginName !== null) this.#gatewayWith('buildFormDescriptor', pluginName);
    const asked = this.#runOf(context, input, {
      config,
      about: {
        accountId: account.id,
        paymentMethodId: method?.id ?? null,
        paymentPluginName: pluginName,
        hppType: 'BUILD_FORM_DESCRIPTOR',
      },
    });
    const run = await this.#control.prior(asked, config);
    const chosen = await this.#chosenPlugin(context, { account, method, run, pluginName });
    const gateway = this.#gatewayWith('buildFormDescriptor', chosen);
    const request = {
      accountId: account.id,
      customFields: input.formFields ?? [],
      properties: run.properties,
    };
    return this.#between(context, {
      gateway,
      run,
      timeoutMs: config.pluginTimeoutMs,
      request,
      call: async (asking, as) => gateway.buildFormDescriptor?.(asking, as),
      read: (form) => claimedForm(form, account.id),
    });
  }

  async processNotification(context: CallContext, input: GatewayNotificationInput) {
    this.#gatewayWith('processNotification', input.pluginName);
    const config = await this.#read(context, this.#configOf);
    const about = { paymentPluginName: input.pluginName, hppType: 'PROCESS_NOTIFICATION' } as const;
    const asked = this.#runOf(context, input, { config, about });
    const run = await this.#control.prior(asked, config);
    const name = run.context.paymentPluginName ?? input.pluginName;
    const gateway = this.#gatewayWith('processNotification', name);
    const { answer, leftOut, dispute } = await this.#between(context, {
      gateway,
      run,
      timeoutMs: config.pluginTimeoutMs,
      request: { body: input.body, properties: run.properties },
      call: async (asking, as) => gateway.processNotification?.(asking, as),
      read: claimedAnswer,
      paymentOf: (claimed) => claimed.answer.paymentId,
    });
    if (leftOut.length > 0) {
      const facts = { pluginName: gateway.name, headers: leftOut };
      this.#ports.logger.warn(facts, 'dropped response headers that a payment gateway may not set');
    }
    const { paymentId } = answer;
    if (paymentId !== null) {
      const controlPlugins = input.controlPlugins ?? null;
      await this.#follow(context, { gateway, paymentId, dispute, controlPlugins });
    }
    return answer;
  }

  async processSignedNotification(context: CallContext, input: SignedNotificationInput) {
    const { pluginName, rawBody, query } = input;
    const gateway = this.#ports.gateways.get(pluginName);
    if (gateway?.verifyNotification === undefined || gateway.processNotification === undefined)
      throw noSignedNotifications();
    const asGateway = { ...context, userName: gateway.name };
    await this.#verify(asGateway, gateway, input);
    input.verified?.();
    // The text stays unchanged, including any byte order mark.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
    return this.processNotification(asGateway, { pluginName, body: text === '' ? query : text });
  }

  /**
   * Verifies the signature of a notification. The notification is accepted only if the gateway returns `true`. Does not
   * log a gateway's error, which may contain parts of the body.
   */
  async #verify(
    context: CallContext,
    gateway: PaymentGateway,
    { rawBody, headers, query }: SignedNotificationInput,
  ) {
    const { pluginTimeoutMs: timeoutMs } = await this.#read(context, this.#configOf);
    const request = { rawBody, headers, query };
    const reply = await callGatewayOnce(
      this.#ports,
      { context, timeoutMs, request },
      async (notification, as) => gateway.verifyNotification?.(notification, as),
    );
    if (reply.kind === 'VALUE' && reply.value === true) return;
    const why = reply.kind === 'VALUE' ? 'the signature is invalid' : reply.kind;
    const facts = { pluginName: gateway.name, tenantId: context.tenant.id, bytes: rawBody.length, why };
    this.#ports.logger.warn(facts, 'a notification of a payment gateway was rejected');
    const message = 'The notification does not have the signature that its payment gateway expects';
    throw billingError(ErrorCode.UNAUTHENTICATED, message, { pluginName: gateway.name });
  }

  async #between<R, T, V>(
    context: CallContext,
    { gateway, run, timeoutMs, request, call, read, paymentOf }: Between<R, T, V>,
  ) {
    const reply = await callGatewayOnce(this.#ports, { context, timeoutMs, request }, async (asking, as) =>
      read(await call(asking, as)),
    );
    const value = reply.kind === 'VALUE' ? reply.value : null;
    if (value !== null) {
      const paymentId = paymentOf?.(value) ?? null;
      await this.#control.succeeded({ ...run, context: { ...run.context, paymentId } }, timeoutMs);
      return value;
    }
    await this.#control.failed(run, timeoutMs);
    if (reply.kind === 'VALUE') throw unreadableAnswer(gateway.name);
    const failure = reply.kind === 'TIMEOUT' ? reply.kind : reply.message;
    const facts = { pluginName: gateway.name, hppType: run.context.hppType, failure };
    this.#ports.logger.warn(facts, 'a payment gateway failed');
    throw gatewayCallFailed(gateway.name, reply);
  }

  /**
   * Returns the gateway.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028) if it does not exist, PAYMENT_PLUGIN_EXCEPTION (7199) if
   * it does not implement the function.
   */
  #gatewayWith(member: 'buildFormDescriptor' | 'processNotification', pluginName: string) {
    const gateway = registeredGateway(this.#ports.gateways, pluginName);
    if (gateway[member] === undefined) throw lacksMember(gateway.name, member);
    return gateway;
  }

  /**
   * Returns the gateway of the payment method after the control plugins' adjustments. Without a method, returns the
   * gateway given by name.
   */
  async #chosenPlugin(
    context: CallContext,
    asked: {
      readonly account: Account;
      readonly method: PaymentMethod | null;
      readonly run: ControlledRun;
      readonly pluginName: string | null;
    },
  ): Promise<string> {
    const { account, method, run, pluginName } = asked;
    const id = run.context.paymentMethodId;
    if (id === null) {
      if (pluginName !== null) return pluginName;
      throw badParameter('paymentMethodId', 'is required, because the account has no default payment method');
    }
    if (id === method?.id) return method.pluginName;
    return (await this.#read(context, (session) => methodOf(session, account, id))).pluginName;
  }

  #runOf(
    context: CallContext,
    { controlPlugins, properties = [] }: Pick<HostedFormInput, 'controlPlugins' | 'properties'>,
    { config, about }: { readonly config: PaymentConfig; readonly about: Partial<PaymentControlContext> },
  ) {
    const names = controlPlugins ?? config.controlPlugins;
    return { names, context: contextOfCall(context, { paymentApiType: 'HPP', ...about }), properties };
  }

  #read<T>(context: CallContext, work: (session: ReadSession) => Promise<T>) {
    return this.#ports.storage.read(context.tenant, work);
  }
}

/**
 * Returns the method.
 * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000) if it is not an active method of the account.
 */
async function methodOf(session: ReadSession, account: Account, methodId: Uuid) {
  const [method] = await session.payments.findMethodsByIds([methodId]);
  if (method?.isActive && method.accountId === account.id) return method;
  throw noSuchMethod(methodId);
}

export interface HostedFormInput extends ControlledInput {
  readonly accountId: Uuid;
  /** The method whose gateway creates the form. Defaults to the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /**
   * The gateway that creates the form, for example for the first method of an account. Ignored if `paymentMethodId` is
   * given.
   */
  readonly pluginName?: string | null;
  /** The fields of the form. */
  readonly formFields?: readonly PluginProperty[];
}

/** A form for an existing or new account and payment method. */
export interface ComboFormInput
  extends ComboParties,
    Omit<HostedFormInput, 'accountId' | 'paymentMethodId' | 'pluginName'> {}

export interface GatewayNotificationInput extends ControlledInput {
  readonly pluginName: string;
  /** The text of the notification, exactly as the processor sent it. */
  readonly body: string;
}

export interface SignedNotificationInput {
  readonly pluginName: string;
  /** The bytes of the notification, exactly as the processor sent and signed them. */
  readonly rawBody: Uint8Array;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The query string of the URL without `?`. It is used if the body is empty. */
  readonly query: string;
  /**
   * Called after the signature has been verified. If it throws, for example because a rate limit is exceeded, the
   * notification is rejected.
   */
  readonly verified?: (() => void) | undefined;
}

/** Operations on gateways' hosted pages for customers, and on gateways' notifications (§11). */
export interface PaymentGatewayOperations<C extends Leading = []> {
  /**
   * Returns the data of the gateway's hosted page, on which the customer pays or adds a method. Stores nothing.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_INVALID_PARAMETER (7031) without a method and
   * a gateway, PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028),
   * PAYMENT_PLUGIN_API_ABORTED (7106), PAYMENT_PLUGIN_EXCEPTION (7199) if the gateway offers no pages or declares an
   * error, PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_INTERNAL_ERROR (7019) for any other failure.
   */
  buildForm(...given: [...C, input: HostInput<HostedFormInput>]): Promise<HostedFormView>;
  /**
   * Builds a form for an existing or new account and payment method, as in `payments.combo`. Newly created objects
   * remain even if the form cannot be built.
   * @throws BillingError with the codes of `buildForm`, `accounts.create` and `paymentMethods.add`;
   * SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if creation is not allowed.
   */
  buildComboForm(...given: [...C, input: HostInput<ComboFormInput>]): Promise<HostedFormView>;

  /**
   * Passes a notification to its gateway and returns the gateway's response. If the notification names a
   * payment with an open outcome, the outcome is queried. A reported dispute begins or ends a chargeback. The
   * caller is trusted; use `processSignedNotification` for outside callers.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_API_ABORTED (7106),
   * PAYMENT_PLUGIN_EXCEPTION (7199) if the gateway accepts no notifications or declares an error,
   * PAYMENT_PLUGIN_TIMEOUT (7100), PAYMENT_INTERNAL_ERROR (7019) for any other failure, and with
   * `facts.isBusy` while another call holds a disputed payment.
   */
  processNotification(
    ...given: [...C, input: HostInput<GatewayNotificationInput>]
  ): Promise<NotificationAnswerView>;

  /**
   * Processes a notification from an untrusted sender. The gateway first verifies the processor's signature of the
   * bytes. The name of the gateway becomes the author.
   * @throws BillingError ROUTE_NOT_FOUND (60008) if the gateway is missing or verifies no signatures; UNAUTHENTICATED
   * (60004) for a wrong signature; otherwise the errors of `processNotification`.
   */
  processSignedNotification(
    ...given: [...C, input: HostInput<SignedNotificationInput>]
  ): Promise<NotificationAnswerView>;
}

type FollowNotification = ReturnType<typeof notifiedPayments>;

type Operations = Pick<DirectPaymentOperations<[CallContext]>, 'chargeback' | 'reverseChargeback'> &
  Pick<PaymentReadOperations<[CallContext]>, 'get'>;

interface Notified {
  readonly gateway: PaymentGateway;
  readonly paymentId: Uuid;
  readonly dispute: ClaimedDispute | null;
  readonly controlPlugins: readonly string[] | null;
}

/** Error codes for which a repeated notification would fail again. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH,
  ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
  ErrorCode.PAYMENT_INVALID_PARAMETER,
  ErrorCode.PAYMENT_INVALID_OPERATION,
  ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
]);

/**
 * Processes a notification (§11.2 rule 3). Queries the gateway for open outcomes, and records or reverses the
 * chargeback of a dispute. Repeated or late notifications have the same result.
 * @throws BillingError if sending the notification again can help, for example when another call holds the payment
 * (7019, `facts.isBusy`).
 */
export function notifiedPayments(
  { storage, logger }: Pick<Ports, 'storage' | 'logger'>,
  operations: Operations,
) {
  return async (
    context: CallContext,
    { gateway, paymentId, dispute, controlPlugins }: Notified,
  ): Promise<void> => {
    const facts = { pluginName: gateway.name, paymentId };
    const transactions = await storage.read(context.tenant, (session) =>
      transactionsAt(session, gateway, paymentId),
    );
    if (transactions === null) {
      logger.warn(facts, 'a notification names a payment that its payment gateway does not have');
      return;
    }
    if (transactions.some(isUnresolved)) await operations.get(context, paymentId, { withPluginInfo: true });
    if (dispute === null) return;
    const { reference: transactionExternalKey, amount, currency, stands } = dispute;
    if (stands === (activeChargeback(transactions, transactionExternalKey) !== null)) return;
    const asked = { paymentId, transactionExternalKey, ...(controlPlugins && { controlPlugins }) };
    try {
      await recordDispute(operations, context, { ...asked, amount, currency, stands });
    } catch (error) {
      if (!(error instanceof BillingError) || !REFUSALS.has(error.code)) throw error;
      const told = { ...facts, err: error, dispute: transactionExternalKey, stands };
      logger.warn(told, 'a dispute reported by a payment gateway was not recorded');
    }
  };
}

/** Returns the payment's transactions, or null if the gateway does not know the payment. */
async function transactionsAt({ payments }: ReadSession, gateway: PaymentGateway, paymentId: Uuid) {
  const [payment] = await payments.findByIds([paymentId]);
  const [method] = await payments.findMethodsByIds(payment ? [payment.paymentMethodId] : []);
  return method?.pluginName === gateway.name ? payments.findTransactions([paymentId]) : null;
}

function recordDispute(
  { chargeback, reverseChargeback }: Operations,
  context: CallContext,
  { stands, amount, currency, ...asked }: Omit<ClaimedDispute, 'reference'> & ChargebackReversalInput,
) {
  return stands ? chargeback(context, { ...asked, amount, currency }) : reverseChargeback(context, asked);
}
