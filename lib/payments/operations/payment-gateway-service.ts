import { loadAccount } from '../../accounts/index.ts';
import type {
  GatewayContext,
  GatewayDispute,
  PaymentControlContext,
  PaymentGateway,
  Ports,
} from '../../ports/index.ts';
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
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  claimedAnswer,
  claimedForm,
  type HostedFormView,
  type NotificationAnswerView,
} from '../claims/gateway-claims.ts';
import type { ComboParties, DirectPaymentOperations, PaymentReadOperations } from '../payment-operations.ts';
import { askGateway } from '../plugins/call-gateway.ts';
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

/** A call of a gateway between the calls of control plugins. */
interface Between<R, T, V> {
  readonly gateway: PaymentGateway;
  readonly run: ControlledRun;
  readonly timeoutMs: number;
  readonly request: R;
  call(request: R, context: GatewayContext): Promise<T>;
  /** What the answer says; null if it cannot be read. */
  read(answer: T): V | null;
  paymentOf?(value: V): Uuid | null;
}

/** Pages of gateways, and what gateways tell by themselves (§11). Gateways are called outside any transaction. */
export class PaymentGatewayService implements PaymentGatewayOperations<[CallContext]> {
  readonly #ports: GatewayServicePorts;
  readonly #configOf: PaymentConfigOf;
  readonly #control: ControlCalls;

  readonly #parties: ComboPartiesFinder;
  readonly #notified: NotifiedPayments;

  constructor(
    ports: GatewayServicePorts,
    configOf: PaymentConfigOf,
    { parties, notified }: { readonly parties: ComboPartiesFinder; readonly notified: NotifiedPayments },
  ) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#control = new ControlCalls(ports);
    this.#parties = parties;
    this.#notified = notified;
  }

  async buildComboForm(context: CallContext, input: ComboFormInput) {
    const { account, paymentMethod, paymentMethodProperties, mayCreate, ...form } = input;
    return this.buildForm(context, { ...form, ...(await this.#parties.of(context, input)) });
  }

  async buildForm(context: CallContext, input: HostedFormInput) {
    const { account, method, config } = await this.#read(context, async (session) => {
      const found = await loadAccount(session, input.accountId);
      const methodId = input.paymentMethodId ?? found.paymentMethodId;
      return {
        account: found,
        method: methodId === null ? null : await methodOf(session, found, methodId),
        config: await this.#configOf(session),
      };
    });
    // A page that cannot be made is refused before anybody hears of it.
    if (method !== null) this.#gatewayWith('buildFormDescriptor', method.pluginName);
    const asked = this.#runOf(context, input, {
      config,
      about: {
        accountId: account.id,
        paymentMethodId: method?.id ?? null,
        paymentPluginName: method?.pluginName ?? null,
        hppType: 'BUILD_FORM_DESCRIPTOR',
      },
    });
    const run = await this.#control.prior(asked, config);
    const chosen = await this.#chosenMethod(context, { account, method, run });
    const gateway = this.#gatewayWith('buildFormDescriptor', chosen.pluginName);
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
      this.#ports.logger.warn(facts, 'headers that a payment gateway may not set were left out of an answer');
    }
    const { paymentId } = answer;
    if (paymentId !== null) {
      const controlPlugins = input.controlPlugins ?? null;
      await this.#notified.follow(context, { gateway, paymentId, dispute, controlPlugins });
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
    // As it came: a mark of byte order stays.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
    return this.processNotification(asGateway, { pluginName, body: text === '' ? query : text });
  }

  /** Only `true` lets a notification in. What a gateway throws may hold parts of the body, so it is not logged. */
  async #verify(
    context: CallContext,
    gateway: PaymentGateway,
    { rawBody, headers, query }: SignedNotificationInput,
  ) {
    const { pluginTimeoutMs: timeoutMs } = await this.#read(context, this.#configOf);
    const request = { rawBody, headers, query };
    const reply = await askGateway(this.#ports, { context, timeoutMs, request }, async (notification, as) =>
      gateway.verifyNotification?.(notification, as),
    );
    if (reply.kind === 'VALUE' && reply.value === true) return;
    const why = reply.kind === 'VALUE' ? 'the signature is not right' : reply.kind;
    const facts = { pluginName: gateway.name, tenantId: context.tenant.id, bytes: rawBody.length, why };
    this.#ports.logger.warn(facts, 'a notification of a payment gateway was refused');
    const message = 'The notification does not carry the signature that its payment gateway expects';
    throw billingError(ErrorCode.UNAUTHENTICATED, message, { pluginName: gateway.name });
  }

  async #between<R, T, V>(
    context: CallContext,
    { gateway, run, timeoutMs, request, call, read, paymentOf }: Between<R, T, V>,
  ) {
    const reply = await askGateway(this.#ports, { context, timeoutMs, request }, async (asking, as) =>
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

  /** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) if it lacks the member. */
  #gatewayWith(member: 'buildFormDescriptor' | 'processNotification', pluginName: string) {
    const gateway = registeredGateway(this.#ports.gateways, pluginName);
    if (gateway[member] === undefined) throw lacksMember(gateway.name, member);
    return gateway;
  }

  /** The method that the control plugins have left: the form is that of its gateway. */
  async #chosenMethod(
    context: CallContext,
    asked: { readonly account: Account; readonly method: PaymentMethod | null; readonly run: ControlledRun },
  ) {
    const { account, method, run } = asked;
    const id = run.context.paymentMethodId;
    if (id === null)
      throw badParameter('paymentMethodId', 'is needed: the account has no default payment method');
    if (id === method?.id) return method;
    return this.#read(context, (session) => methodOf(session, account, id));
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

/** @throws BillingError PAYMENT_NO_SUCH_PAYMENT_METHOD (7000) unless it is an active one of the account. */
async function methodOf(session: ReadSession, account: Account, methodId: Uuid) {
  const [method] = await session.payments.findMethodsByIds([methodId]);
  if (method?.isActive && method.accountId === account.id) return method;
  throw noSuchMethod(methodId);
}

export interface HostedFormInput extends ControlledInput {
  readonly accountId: Uuid;
  /** Its gateway makes the form; default: the account's default method. */
  readonly paymentMethodId?: Uuid | null;
  /** What the form is to hold. */
  readonly formFields?: readonly PluginProperty[];
}

/** A form for an account and a payment method that are found or else made. */
export interface ComboFormInput
  extends ComboParties,
    Omit<HostedFormInput, 'accountId' | 'paymentMethodId'> {}

export interface GatewayNotificationInput extends ControlledInput {
  readonly pluginName: string;
  /** What the processor sent, as it came. */
  readonly body: string;
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

type Operations = Pick<DirectPaymentOperations<[CallContext]>, 'chargeback' | 'reverseChargeback'> &
  Pick<PaymentReadOperations<[CallContext]>, 'get'>;

export interface Notified {
  readonly gateway: PaymentGateway;
  readonly paymentId: Uuid;
  readonly dispute: GatewayDispute | null;
  readonly controlPlugins: readonly string[] | null;
}

/** What repeating the notification would not change. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH,
  ErrorCode.PAYMENT_NO_SUCH_SUCCESS_PAYMENT,
  ErrorCode.PAYMENT_INVALID_PARAMETER,
  ErrorCode.PAYMENT_INVALID_OPERATION,
  ErrorCode.PAYMENT_PLUGIN_API_ABORTED,
]);

/**
 * Follows up what a notification names (§11.2 rule 3): of a payment with an open outcome its gateway is asked, and the
 * chargeback of a dispute is recorded while it stands, and reversed when it does not any more. Told twice, or late, it
 * comes to the same.
 */
export class NotifiedPayments {
  readonly #ports: Pick<Ports, 'storage' | 'logger'>;
  readonly #operations: Operations;

  constructor(ports: Pick<Ports, 'storage' | 'logger'>, operations: Operations) {
    this.#ports = ports;
    this.#operations = operations;
  }

  /** @throws BillingError where it is worth repeating, as when another call has the payment (7019, `facts.isBusy`). */
  async follow(
    context: CallContext,
    { gateway, paymentId, dispute, controlPlugins }: Notified,
  ): Promise<void> {
    const { logger, storage } = this.#ports;
    const facts = { pluginName: gateway.name, paymentId };
    const found = await storage.read(context.tenant, async (session) => {
      const [payment] = await session.payments.findByIds([paymentId]);
      if (payment === undefined) return null;
      const [method] = await session.payments.findMethodsByIds([payment.paymentMethodId]);
      if (method?.pluginName !== gateway.name) return null;
      return { transactions: await session.payments.findTransactions([paymentId]) };
    });
    if (found === null) {
      logger.warn(facts, 'a notification names a payment that its payment gateway does not have');
      return;
    }
    if (found.transactions.some(isUnresolved))
      await this.#operations.get(context, paymentId, { withPluginInfo: true });
    if (dispute === null) return;
    const { reference: transactionExternalKey, amount, currency, stands } = dispute;
    if (stands === (activeChargeback(found.transactions, transactionExternalKey) !== null)) return;
    const asked = { paymentId, transactionExternalKey, ...(controlPlugins && { controlPlugins }) };
    try {
      if (stands) await this.#operations.chargeback(context, { ...asked, amount, currency });
      else await this.#operations.reverseChargeback(context, asked);
    } catch (error) {
      if (!(error instanceof BillingError) || !REFUSALS.has(error.code)) throw error;
      const told = { ...facts, err: error, dispute: transactionExternalKey, stands };
      logger.warn(told, 'a dispute that a payment gateway tells of was not recorded');
    }
  }
}
