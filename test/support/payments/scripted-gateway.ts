import {
  type GatewayContext,
  type GatewayRequest,
  type GatewayResult,
  type PaymentGateway,
  PluginStatus,
  type Uuid,
} from '../../../lib/index.ts';

/** How the first call of each payment goes; every later one is prompt. */
export const Behaviour = {
  PROMPT: 'prompt answer',
  ANSWER_LOST: 'charged, then the answer is lost',
  NO_ANSWER: 'charged, then no answer ever',
  LATE_ANSWER: 'charged, then an answer after the time limit',
  EMPTY_ANSWER: 'charged, then an empty answer',
  DOUBLED: 'the request arrives twice',
  REQUEST_LOST: 'the request is lost',
  DECLINED: 'declined',
  NOT_SUBMITTED: 'not submitted',
  LATE_CHARGE: 'received at once, charged after the time limit',
} as const;
export type Behaviour = (typeof Behaviour)[keyof typeof Behaviour];

const GATEWAY_NAME = 'scripted';

/** A gateway with books of its own: what it has charged, by our transaction id. */
export class ScriptedGateway {
  /** Charges that it really made, in order: the money. */
  readonly effects: { readonly transactionId: Uuid; readonly accountId: Uuid }[] = [];
  readonly #known = new Map<Uuid, GatewayResult>();
  readonly #tried = new Set<Uuid>();
  readonly #behaviour: Behaviour;
  readonly #wait: () => Promise<void>;

  /** `wait` ends after the time limit of the engine. */
  constructor(behaviour: Behaviour, wait: () => Promise<void>) {
    this.#behaviour = behaviour;
    this.#wait = wait;
  }

  port(completeLedger: boolean): PaymentGateway {
    return {
      name: GATEWAY_NAME,
      capabilities: { completeLedger },
      purchase: (request, context) => this.#purchase(request, context),
      getPaymentInfo: async ({ paymentId }) =>
        [...this.#known.values()].filter(({ kbPaymentId }) => kbPaymentId === paymentId),
      addPaymentMethod: () => Promise.resolve(),
      getPaymentMethodDetail: () =>
        Promise.resolve({ externalPaymentMethodId: null, isDefaultPaymentMethod: false, properties: [] }),
      setDefaultPaymentMethod: () => Promise.resolve(),
    };
  }

  async #purchase(request: GatewayRequest, context: GatewayContext): Promise<GatewayResult | null> {
    const isFirst = !this.#tried.has(request.accountId);
    this.#tried.add(request.accountId);
    const behaviour = isFirst ? this.#behaviour : Behaviour.PROMPT;
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
        await this.#wait();
        return result;
      }
      case Behaviour.LATE_CHARGE:
        this.#keep(request, context, PluginStatus.UNDEFINED);
        await this.#wait();
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
      default:
        return behaviour satisfies never;
    }
  }

  /** The gateway's side of the bargain: one transaction id is charged once (payments §2.1 rule 2). */
  #charge(request: GatewayRequest, context: GatewayContext): GatewayResult {
    const { transactionId, accountId } = request;
    if (!this.#known.has(transactionId)) this.effects.push({ transactionId, accountId });
    return this.#known.get(transactionId) ?? this.#keep(request, context, PluginStatus.PROCESSED);
  }

  #keep(request: GatewayRequest, context: GatewayContext, status: PluginStatus): GatewayResult {
    const result: GatewayResult = {
      kbPaymentId: request.paymentId,
      kbTransactionPaymentId: request.transactionId,
      transactionType: 'PURCHASE',
      status,
      amount: request.amount,
      currency: request.currency,
      createdDate: context.now,
      effectiveDate: context.now,
      properties: [],
    };
    this.#known.set(request.transactionId, result);
    return result;
  }
}
