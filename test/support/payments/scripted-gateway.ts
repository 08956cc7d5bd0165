import { createHmac } from 'node:crypto';
import {
  type Currency,
  type Decimal,
  type GatewayContext,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type NotificationAnswer,
  type PaymentGateway,
  PluginStatus,
  type TransactionType,
  type Uuid,
} from '../../../lib/index.ts';

/** The outcome of a call. Later calls are prompt. */
export const Behaviour = {
  PROMPT: 'prompt answer',
  ANSWER_LOST: 'charged but answer lost',
  NO_ANSWER: 'charged but never answered',
  LATE_ANSWER: 'charged but answered after the time limit',
  EMPTY_ANSWER: 'charged with an empty answer',
  DOUBLED: 'request delivered twice',
  REQUEST_LOST: 'request lost',
  DECLINED: 'declined',
  NOT_SUBMITTED: 'not submitted',
  LATE_CHARGE: 'charged after the time limit',
} as const;

/** Further failures of operations that hosts request. */
export const FurtherBehaviour = {
  SLOW_REQUEST: 'slow but answered within the time limit',
  OVERTAKEN_ANSWER: 'charged with an old answer after the retry',
  LESS: 'charged less than requested',
  OTHER_CURRENCY: 'charged in another currency',
  PENDING_FOR_EVER: 'pending forever',
} as const;

export type Behaviour =
  | (typeof Behaviour)[keyof typeof Behaviour]
  | (typeof FurtherBehaviour)[keyof typeof FurtherBehaviour];

const GATEWAY_NAME = 'scripted';
const LESS = 0.7;
const OTHER_CURRENCY: Currency = 'EUR';

export interface Effect {
  readonly transactionId: Uuid;
  readonly paymentId: Uuid;
  readonly accountId: Uuid;
  readonly type: TransactionType;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
}

type OperationRequest = GatewayTransaction &
  Partial<Pick<GatewayRequest, 'amount' | 'currency'>> & { readonly type: TransactionType };

/** A gateway that records its charges by transaction id. */
export class ScriptedGateway {
  readonly effects: Effect[] = [];
  readonly #known = new Map<Uuid, GatewayResult>();
  #next: Behaviour;
  #wait: () => Promise<void>;
  #arrived: () => void = () => undefined;

  /** Sets the first call. `wait` ends after the engine's time limit. */
  constructor(behaviour: Behaviour, wait: () => Promise<void>) {
    this.#next = behaviour;
    this.#wait = wait;
  }

  /** Sets the next call. Resolves when it arrives. */
  expect(behaviour: Behaviour, wait: () => Promise<void>): Promise<void> {
    this.#next = behaviour;
    this.#wait = wait;
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  port(completeLedger: boolean): PaymentGateway {
    return {
      name: GATEWAY_NAME,
      capabilities: { completeLedger },
      authorize: (request, context) => this.#run({ ...request, type: 'AUTHORIZE' }, context),
      capture: (request, context) => this.#run({ ...request, type: 'CAPTURE' }, context),
      purchase: (request, context) => this.#run({ ...request, type: 'PURCHASE' }, context),
      refund: (request, context) => this.#run({ ...request, type: 'REFUND' }, context),
      credit: (request, context) => this.#run({ ...request, type: 'CREDIT' }, context),
      void: (request, context) => this.#run({ ...request, type: 'VOID' }, context),
      getPaymentInfo: async ({ paymentId }) =>
        [...this.#known.values()].filter(({ kbPaymentId }) => kbPaymentId === paymentId),
      addPaymentMethod: () => Promise.resolve(),
      getPaymentMethodDetail: () =>
        Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
      setDefaultPaymentMethod: () => Promise.resolve(),
    };
  }

  async #run(request: OperationRequest, context: GatewayContext): Promise<GatewayResult | null> {
    const [behaviour, wait] = [this.#next, this.#wait];
    this.#next = Behaviour.PROMPT;
    this.#arrived();
    switch (behaviour) {
      case Behaviour.PROMPT:
        return this.#charge(request, context);
      case Behaviour.DOUBLED:
        this.#charge(request, context);
        return this.#charge(request, context);
      case Behaviour.ANSWER_LOST:
        this.#charge(request, context);
        throw new Error('connection reset');
      case Behaviour.NO_ANSWER:
        this.#charge(request, context);
        return new Promise(() => undefined);
      case Behaviour.LATE_ANSWER: {
        const result = this.#charge(request, context);
        await wait();
        return result;
      }
      case Behaviour.LATE_CHARGE:
        this.#keep(request, context, PluginStatus.UNDEFINED);
        await wait();
        this.#known.delete(request.transactionId);
        return this.#charge(request, context);
      case Behaviour.EMPTY_ANSWER:
        this.#charge(request, context);
        return null;
      case Behaviour.REQUEST_LOST:
        throw new Error('connection refused');
      case Behaviour.DECLINED:
        return this.#keep(request, context, PluginStatus.ERROR);
      case Behaviour.NOT_SUBMITTED:
        return this.#keep(request, context, PluginStatus.CANCELED);
      case FurtherBehaviour.SLOW_REQUEST:
        await wait();
        return this.#charge(request, context);
      case FurtherBehaviour.OVERTAKEN_ANSWER: {
        const result = this.#charge(request, context);
        await wait();
        return { ...result, status: PluginStatus.PENDING };
      }
      case FurtherBehaviour.LESS:
        return this.#charge(lessOf(request), context);
      case FurtherBehaviour.OTHER_CURRENCY:
        return this.#charge(inOtherCurrency(request), context);
      case FurtherBehaviour.PENDING_FOR_EVER:
        return this.#keep(request, context, PluginStatus.PENDING);
      default:
        return behaviour satisfies never;
    }
  }

  /** Charges each transaction id once (payments §2.1 rule 2). */
  #charge(request: OperationRequest, context: GatewayContext): GatewayResult {
    const known = this.#known.get(request.transactionId);
    if (known) return known;
    const { transactionId, paymentId, accountId, type, amount = null, currency = null } = request;
    this.effects.push({ transactionId, paymentId, accountId, type, amount, currency });
    return this.#keep(request, context, PluginStatus.PROCESSED);
  }

  #keep(request: OperationRequest, context: GatewayContext, status: PluginStatus): GatewayResult {
    const { amount, currency } = request;
    const result: GatewayResult = {
      kbPaymentId: request.paymentId,
      kbTransactionPaymentId: request.transactionId,
      transactionType: request.type,
      status,
      ...(amount && { amount }),
      ...(currency && { currency }),
      createdDate: context.now,
      effectiveDate: context.now,
      properties: [],
    };
    this.#known.set(request.transactionId, result);
    return result;
  }
}

function lessOf(request: OperationRequest): OperationRequest {
  return request.amount ? { ...request, amount: request.amount.times(LESS) } : request;
}

function inOtherCurrency(request: OperationRequest): OperationRequest {
  return request.currency ? { ...request, currency: OTHER_CURRENCY } : request;
}

export const SIGNING_GATEWAY = 'signing';

export interface Received {
  readonly body: string;
  readonly tenantId: Uuid;
  readonly userName: string;
}

type Processing = (body: string, context: GatewayContext) => Promise<NotificationAnswer> | NotificationAnswer;

/** A gateway with a hosted payment page, whose processor signs notifications with one secret per tenant. */
export interface SigningGateway extends PaymentGateway {
  readonly received: Received[];
  /** Number of verified signatures. */
  readonly verified: { count: number };
  /** Processes a notification; by default only accepts it. */
  process: Processing;
}

export function signingGateway(): SigningGateway {
  const received: Received[] = [];
  const verified = { count: 0 };
  const gateway: SigningGateway = {
    name: SIGNING_GATEWAY,
    received,
    verified,
    process: () => ({}),
    purchase: () => Promise.resolve(null),
    getPaymentInfo: () => Promise.resolve([]),
    verifyNotification: async ({ rawBody, headers }, { tenantId }) => {
      verified.count += 1;
      const text = Buffer.from(rawBody).toString('latin1');
      if (text.startsWith('{')) JSON.parse(text); // throws an error with parts of the body
      return headers['x-signature'] === signatureOf(rawBody, tenantId);
    },
    processNotification: async ({ body }, context) => {
      received.push({ body, tenantId: context.tenantId, userName: context.userName });
      return gateway.process(body, context);
    },
    buildFormDescriptor: async ({ accountId, customFields, properties }) => ({
      kbAccountId: accountId,
      formMethod: 'POST',
      formUrl: 'https://pay.example.com/form',
      formFields: Object.fromEntries(customFields.map(({ key, value }) => [key, value])),
      properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])),
    }),
  };
  return gateway;
}

export function signatureOf(body: Uint8Array | string, tenantId: string): string {
  return createHmac('sha256', `secret of ${tenantId}`).update(body).digest('hex');
}
