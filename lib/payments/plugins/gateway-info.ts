import {
  type GatewayContext,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  type PaymentMethodDetails,
  type PaymentMethodQuestion,
  type PaymentQuestion,
  PluginStatus,
  type Ports,
} from '../../ports/index.ts';
import {
  type CallContext,
  EXTERNAL_PAYMENT_PLUGIN,
  type Payment,
  type PaymentMethod,
  type PluginProperty,
  TransactionType,
} from '../../records/index.ts';
import { inParallel } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import {
  type ClaimedResults,
  claimedDetail,
  claimedResults,
  failureOf,
  type GatewayReply,
} from '../claims/gateway-claims.ts';
import { callGatewayOnce } from './call-gateway.ts';

export type GatewayInfoPorts = Pick<Ports, 'gateways' | 'systemClock' | 'logger'>;

export interface PluginInput {
  readonly properties?: readonly PluginProperty[];
}

export interface ControlledInput extends PluginInput {
  /** Names of the control plugins, in calling order. Defaults to the tenant's plugins (payments §2.3). */
  readonly controlPlugins?: readonly string[] | null;
}

export interface PluginInfoOptions extends PluginInput {
  /** If true, the engine requests additional information from gateways. Defaults to false. */
  readonly withPluginInfo?: boolean;
}

/** A payment with the name of its gateway. The name is undefined if the method is unknown. */
export interface PaymentOfGateway {
  readonly payment: Payment;
  readonly pluginName: string | undefined;
}

interface Asking {
  readonly properties?: readonly PluginProperty[];
  /** The time limit for all gateway calls of one read operation: `payment.plugin.timeout`. */
  readonly timeoutMs: number;
}

interface Question<R> {
  readonly id: Uuid;
  readonly pluginName: string | undefined;
  readonly request: R;
}

/**
 * Queries gateways about payment methods and payments, for `withPluginInfo` (§1.4, §2.1, §10.2). The calls
 * run outside storage sessions, with limited concurrency. All calls of one read share one
 * `payment.plugin.timeout`.
 */
export class GatewayInfo {
  readonly #ports: GatewayInfoPorts;

  constructor(ports: GatewayInfoPorts) {
    this.#ports = ports;
  }

  /**
   * Returns the details of one method, or null if its gateway does not store methods.
   * @throws BillingError PAYMENT_GET_PAYMENT_METHODS (7004) if the gateway fails or is not registered.
   */
  async detailOf(
    context: CallContext,
    method: PaymentMethod,
    { properties = [], timeoutMs }: Asking,
  ): Promise<PaymentMethodDetails | null> {
    const { pluginName, id: paymentMethodId, accountId } = method;
    const gateway = this.#ports.gateways.get(pluginName);
    if (gateway && !holdsMethods(gateway)) return null;
    const request = { accountId, paymentMethodId, properties };
    const reply =
      gateway && (await callGatewayOnce(this.#ports, { context, timeoutMs, request }, detailFrom(gateway)));
    if (reply?.kind === 'VALUE' && reply.value !== null) return reply.value;
    throw billingError(
      ErrorCode.PAYMENT_GET_PAYMENT_METHODS,
      `Payment plugin "${pluginName}" returned no detail of payment method ${paymentMethodId}: ${failureOf(reply)}`,
      { pluginName, paymentMethodId },
    );
  }

  /** Returns the details by method id. If a gateway fails, logs a warning and omits its methods. */
  detailsOf(
    context: CallContext,
    methods: readonly PaymentMethod[],
    { properties = [], timeoutMs }: Asking,
  ): Promise<ReadonlyMap<Uuid, PaymentMethodDetails>> {
    const questions = methods.flatMap(({ id, accountId, pluginName }) => {
      const gateway = this.#ports.gateways.get(pluginName);
      if (gateway && !holdsMethods(gateway)) return [];
      return [{ id, pluginName, request: { accountId, paymentMethodId: id, properties } }];
    });
    return this.#answers(context, { questions, timeoutMs }, detailFrom);
  }

  /** Returns the gateways' transactions by payment id. If a gateway fails, logs a warning and omits its payments. */
  transactionsOf(
    context: CallContext,
    payments: readonly PaymentOfGateway[],
    { properties = [], timeoutMs }: Asking,
  ): Promise<ReadonlyMap<Uuid, ClaimedResults>> {
    const questions = payments.map(({ payment: { id, accountId }, pluginName }) => {
      return { id, pluginName, request: { accountId, paymentId: id, properties } };
    });
    return this.#answers(context, { questions, timeoutMs }, transactionsFrom);
  }

  async #answers<R extends object, T>(
    context: CallContext,
    asked: { readonly questions: readonly Question<R>[]; readonly timeoutMs: number },
    from: (gateway: PaymentGateway) => (request: R, as: GatewayContext) => Promise<T | null>,
  ) {
    const { systemClock, gateways, logger } = this.#ports;
    const deadlineMs = systemClock.nowMs() + asked.timeoutMs;
    const ask = (gateway: PaymentGateway, request: R): Promise<GatewayReply<T | null>> => {
      const timeoutMs = deadlineMs - systemClock.nowMs();
      if (timeoutMs <= 0) return Promise.resolve({ kind: 'TIMEOUT', timeoutMs: asked.timeoutMs });
      return callGatewayOnce(this.#ports, { context, timeoutMs, request }, from(gateway));
    };
    const answers = await inParallel(asked.questions, MAX_CONCURRENT_GATEWAY_CALLS, async (question) => {
      const { id, pluginName, request } = question;
      const gateway = pluginName === undefined ? undefined : gateways.get(pluginName);
      const reply = gateway && (await ask(gateway, request));
      if (reply?.kind === 'VALUE' && reply.value !== null) return [[id, reply.value] as const];
      const facts = { ...request, properties: undefined, pluginName, failure: failureOf(reply) };
      logger.warn(facts, 'a payment gateway returned no plugin information; null is shown');
      return [];
    });
    return new Map(answers.flat());
  }
}

function holdsMethods(gateway: PaymentGateway) {
  return gateway.capabilities?.holdsPaymentMethods !== false && gateway.getPaymentMethodDetail !== undefined;
}

function detailFrom(gateway: PaymentGateway) {
  return async (request: PaymentMethodQuestion, as: GatewayContext) =>
    claimedDetail(await gateway.getPaymentMethodDetail?.(request, as));
}

function transactionsFrom(gateway: PaymentGateway) {
  return async (request: PaymentQuestion, as: GatewayContext) =>
    claimedResults(await gateway.getPaymentInfo(request, as));
}

/**
 * Returns the built-in gateway for payments by check, cash and transfer (§2.4 rule 1). Each of its operations is
 * PROCESSED in the caller's transaction.
 */
export function externalPaymentGateway(): PaymentGateway {
  return {
    name: EXTERNAL_PAYMENT_PLUGIN,
    capabilities: { holdsPaymentMethods: false, sideEffectFree: true },
    authorize: processAs(TransactionType.AUTHORIZE),
    capture: processAs(TransactionType.CAPTURE),
    purchase: processAs(TransactionType.PURCHASE),
    refund: processAs(TransactionType.REFUND),
    credit: processAs(TransactionType.CREDIT),
    void: processAs(TransactionType.VOID),
    getPaymentInfo: () => Promise.resolve([]),
    addPaymentMethod: () => Promise.resolve(),
    getPaymentMethodDetail: () =>
      Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
    setDefaultPaymentMethod: () => Promise.resolve(),
    buildFormDescriptor: ({ accountId: kbAccountId }) => Promise.resolve({ kbAccountId }),
    processNotification: () => Promise.resolve({}),
  };
}

function processAs(transactionType: TransactionType) {
  return (
    request: GatewayTransaction & Partial<GatewayRequest>,
    { now }: GatewayContext,
  ): Promise<GatewayResult> =>
    Promise.resolve({
      kbPaymentId: request.paymentId,
      kbTransactionPaymentId: request.transactionId,
      transactionType,
      status: PluginStatus.PROCESSED,
      ...(request.amount && { amount: request.amount }),
      ...(request.currency && { currency: request.currency }),
      createdDate: now,
      effectiveDate: now,
      properties: [],
    });
}
