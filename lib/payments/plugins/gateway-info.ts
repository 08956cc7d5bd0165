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
import { ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import {
  type ClaimedResults,
  claimedDetail,
  claimedResults,
  failureOf,
  type GatewayReply,
} from '../claims/gateway-claims.ts';
import { paymentError } from '../state/payment-errors.ts';
import { askGateway } from './call-gateway.ts';

export type GatewayInfoPorts = Pick<Ports, 'gateways' | 'systemClock' | 'logger'>;

export interface PluginInput {
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
}

export interface ControlledInput extends PluginInput {
  /** Control plugins of the call by name, in their order; default: those of the tenant (payments §2.3). */
  readonly controlPlugins?: readonly string[] | null;
}

/** What a read asks the gateways besides reading what is stored. */
export interface PluginInfoOptions extends PluginInput {
  /** Default false: no gateway is called. */
  readonly withPluginInfo?: boolean;
}

/** A payment with the name of its method's gateway; undefined = the method is not known. */
export interface PaymentOfGateway {
  readonly payment: Payment;
  readonly pluginName: string | undefined;
}

interface Asking {
  readonly properties?: readonly PluginProperty[];
  /** Time that all questions of the read have together: `payment.plugin.timeout`. */
  readonly timeoutMs: number;
}

interface Question<R, T> {
  readonly facts: object;
  readonly gateway: PaymentGateway;
  readonly request: R;
  ask(request: R, context: GatewayContext): Promise<T>;
}

/**
 * What gateways say about payment methods and payments, for `withPluginInfo` (§1.4, §2.1, §10.2). They are asked outside
 * any storage session, a bounded number at a time; all questions of one read share one `payment.plugin.timeout`.
 */
export class GatewayInfo {
  readonly #ports: GatewayInfoPorts;

  constructor(ports: GatewayInfoPorts) {
    this.#ports = ports;
  }

  /**
   * The detail of one method; null if its gateway holds none.
   * @throws BillingError PAYMENT_GET_PAYMENT_METHODS (7004) if the gateway fails or is not registered.
   */
  async detailOf(
    context: CallContext,
    method: PaymentMethod,
    asking: Asking,
  ): Promise<PaymentMethodDetails | null> {
    const gateway = this.#ports.gateways.get(method.pluginName);
    if (gateway && !holdsMethods(gateway)) return null;
    const reply =
      gateway &&
      (await this.#replies(context, [methodQuestion(gateway, method, asking.properties)], asking))[0];
    const detail = reply?.kind === 'VALUE' ? reply.value : null;
    if (detail !== null) return detail;
    throw paymentError(
      ErrorCode.PAYMENT_GET_PAYMENT_METHODS,
      `Payment plugin "${method.pluginName}" gave no detail of payment method ${method.id}: ${failureOf(reply)}`,
      { pluginName: method.pluginName, paymentMethodId: method.id },
    );
  }

  /** The details by method id. A gateway that fails leaves its methods out, with a warning. */
  async detailsOf(
    context: CallContext,
    methods: readonly PaymentMethod[],
    asking: Asking,
  ): Promise<ReadonlyMap<Uuid, PaymentMethodDetails>> {
    const asked = this.#registered(methods, ({ pluginName }) => pluginName).filter(({ gateway }) =>
      holdsMethods(gateway),
    );
    const questions = asked.map(({ subject, gateway }) =>
      methodQuestion(gateway, subject, asking.properties),
    );
    const replies = await this.#replies(context, questions, asking);
    return new Map(
      asked.flatMap(({ subject }, index) => {
        const reply = replies[index];
        const detail = reply?.kind === 'VALUE' ? reply.value : null;
        if (detail === null) this.#warn(questions[index]?.facts, reply);
        return detail === null ? [] : [[subject.id, detail] as const];
      }),
    );
  }

  /** What the gateways tell of each payment, by its id. A gateway that fails leaves its payments out, with a warning. */
  async transactionsOf(
    context: CallContext,
    payments: readonly PaymentOfGateway[],
    asking: Asking,
  ): Promise<ReadonlyMap<Uuid, ClaimedResults>> {
    const asked = this.#registered(payments, ({ pluginName }) => pluginName);
    const questions = asked.map(({ subject: { payment }, gateway }) =>
      paymentQuestion(gateway, payment, asking.properties),
    );
    const replies = await this.#replies(context, questions, asking);
    return new Map(
      asked.flatMap(({ subject: { payment } }, index) => {
        const reply = replies[index];
        if (reply?.kind === 'VALUE' && reply.value !== null) return [[payment.id, reply.value] as const];
        this.#warn(questions[index]?.facts, reply);
        return [];
      }),
    );
  }

  /** Those whose gateway is registered; the others only cause a warning. */
  #registered<S>(
    subjects: readonly S[],
    pluginNameOf: (subject: S) => string | undefined,
  ): readonly { readonly subject: S; readonly gateway: PaymentGateway }[] {
    return subjects.flatMap((subject) => {
      const pluginName = pluginNameOf(subject);
      const gateway = pluginName === undefined ? undefined : this.#ports.gateways.get(pluginName);
      if (gateway) return [{ subject, gateway }];
      this.#warn({ pluginName }, undefined);
      return [];
    });
  }

  #replies<R, T>(
    context: CallContext,
    questions: readonly Question<R, T>[],
    { timeoutMs: pluginTimeoutMs }: Asking,
  ): Promise<readonly GatewayReply<T>[]> {
    const { systemClock } = this.#ports;
    const deadlineMs = systemClock.nowMs() + pluginTimeoutMs;
    return inParallel(questions, MAX_CONCURRENT_GATEWAY_CALLS, async ({ request, ask }) => {
      const timeoutMs = deadlineMs - systemClock.nowMs();
      if (timeoutMs <= 0) return { kind: 'TIMEOUT', timeoutMs: pluginTimeoutMs };
      return askGateway(this.#ports, { context, timeoutMs, request }, ask);
    });
  }

  #warn(facts: object | undefined, reply: GatewayReply<unknown> | undefined): void {
    this.#ports.logger.warn(
      { ...facts, failure: failureOf(reply) },
      'a payment gateway gave no plugin information; it is shown as null',
    );
  }
}

function holdsMethods(gateway: PaymentGateway): boolean {
  return gateway.capabilities?.holdsPaymentMethods !== false && gateway.getPaymentMethodDetail !== undefined;
}

function methodQuestion(
  gateway: PaymentGateway,
  { id: paymentMethodId, accountId }: PaymentMethod,
  properties: readonly PluginProperty[] = [],
): Question<PaymentMethodQuestion, PaymentMethodDetails | null> {
  return {
    facts: { pluginName: gateway.name, paymentMethodId },
    gateway,
    request: { accountId, paymentMethodId, properties },
    ask: async (request, context) => claimedDetail(await gateway.getPaymentMethodDetail?.(request, context)),
  };
}

function paymentQuestion(
  gateway: PaymentGateway,
  { id: paymentId, accountId }: Payment,
  properties: readonly PluginProperty[] = [],
): Question<PaymentQuestion, ClaimedResults | null> {
  return {
    facts: { pluginName: gateway.name, paymentId },
    gateway,
    request: { accountId, paymentId, properties },
    ask: async (request, context) => claimedResults(await gateway.getPaymentInfo(request, context)),
  };
}

/**
 * The built-in gateway for cheques, cash and bank transfers (§2.4 rule 1): every operation is PROCESSED for the requested
 * amount, and it stores nothing. Its operations have no outside effect, so each is part of one storage transaction.
 */
export function externalPaymentGateway(): PaymentGateway {
  return {
    name: EXTERNAL_PAYMENT_PLUGIN,
    capabilities: { holdsPaymentMethods: false, sideEffectFree: true },
    authorize: processedAs(TransactionType.AUTHORIZE),
    capture: processedAs(TransactionType.CAPTURE),
    purchase: processedAs(TransactionType.PURCHASE),
    refund: processedAs(TransactionType.REFUND),
    credit: processedAs(TransactionType.CREDIT),
    void: processedAs(TransactionType.VOID),
    getPaymentInfo: () => Promise.resolve([]),
    addPaymentMethod: () => Promise.resolve(),
    getPaymentMethodDetail: () =>
      Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
    setDefaultPaymentMethod: () => Promise.resolve(),
    buildFormDescriptor: ({ accountId: kbAccountId }) => Promise.resolve({ kbAccountId }),
    processNotification: () => Promise.resolve({}),
  };
}

function processedAs(transactionType: TransactionType) {
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
