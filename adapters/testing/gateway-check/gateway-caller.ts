import {
  type Currency,
  type Decimal,
  decimal,
  type GatewayContext,
  type GatewayRequest,
  type GatewayResult,
  type GatewayTransaction,
  type PaymentGateway,
  type PluginProperty,
  parseWireInstant,
  type Uuid,
} from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { frozenCopy } from '../../../lib/values/given/index.ts';
import { uuidGenerator } from '../../node/this-process.ts';

/** How the author brings about that a call goes in a certain way. */
export interface ProvokedOutcome {
  /** Plugin properties of the call that lead to it. */
  readonly properties?: readonly PluginProperty[];
  /** Called before the call, such as to take the processor's double off the network. */
  arrange?(): Promise<void> | void;
  /** Called after it, to undo that. */
  restore?(): Promise<void> | void;
}

/** A call that the processor takes its time for. */
export interface ProvokedPending extends ProvokedOutcome {
  /** Has the processor decide; asked again, the gateway then gives another answer than PENDING. */
  settle?(transactionId: Uuid): Promise<void> | void;
}

/** A notification as the processor sends it, with its signature. */
export interface SignedNotification {
  readonly rawBody: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** What the check has to know of a gateway; each part that is given has more looked at. */
export interface PaymentGatewayCheckOptions {
  /** An empty storage for each engine that the gateway is run in: `() => sqlite(':memory:')`. */
  storage(): Promise<Storage<never>> | Storage<never>;
  /** Default `USD`. */
  readonly currency?: Currency;
  /** What is authorized and purchased; of it half is captured and refunded. Default `10.00`. */
  readonly amount?: string;
  /** Plugin properties of every operation, such as a token with which the processor accepts it. */
  readonly properties?: readonly PluginProperty[];
  /** What a payment method is added with. */
  readonly paymentMethod?: {
    readonly externalPaymentMethodId?: string | null;
    readonly properties?: readonly PluginProperty[];
  };
  /** How long the engine would wait for each call; default 30,000. */
  readonly timeLimitMs?: number;
  /** How often the processor's own books have an effect of that transaction; without it only its references tell. */
  effectsOf?(transactionId: Uuid): Promise<number> | number;
  /** What the gateway's own searches find something by; default the ids of what is searched for, and its references. */
  readonly search?: {
    /** A key by which the purchase with that transaction is found. */
    payment?(transactionId: Uuid): string;
    /** A key by which the method is found that `paymentMethod` describes. */
    readonly paymentMethod?: string;
  };
  readonly outcomes?: {
    /** The processor says no. */
    readonly declined?: ProvokedOutcome;
    /** The processor cannot be reached: certainly nothing happens. */
    readonly unreachable?: ProvokedOutcome;
    readonly pending?: ProvokedPending;
  };
  /** A genuine notification. */
  readonly notification?: SignedNotification;
}

/** What a check of a gateway has found, in sentences. */
export interface PaymentGatewayReport {
  /** What is wrong, each in a sentence; empty if nothing is. */
  readonly findings: readonly string[];
  /** What is the gateway's own choice, and good to know. */
  readonly notes: readonly string[];
  /** The members of the gateway that were called. */
  readonly called: readonly string[];
}

/** The types of transactions for which gateways are called. */
export type CalledType = 'AUTHORIZE' | 'CAPTURE' | 'PURCHASE' | 'REFUND' | 'CREDIT' | 'VOID';

/** One operation, as it is asked of the gateway. */
export interface AskedOperation {
  readonly type: CalledType;
  readonly member: (typeof memberOfType)[CalledType];
  readonly request: GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;
}

/** What a call came to. */
export type Called<T> =
  | { readonly kind: 'VALUE'; readonly value: T }
  | { readonly kind: 'THROW'; readonly message: string }
  | { readonly kind: 'TIMEOUT' };

/** The member that runs a transaction of that type. */
export const memberOfType = {
  AUTHORIZE: 'authorize',
  CAPTURE: 'capture',
  PURCHASE: 'purchase',
  REFUND: 'refund',
  CREDIT: 'credit',
  VOID: 'void',
} as const satisfies Readonly<Record<CalledType, keyof PaymentGateway>>;

/** The members that are asked something, with the context of the call. */
type Members = Required<Omit<PaymentGateway, 'name' | 'pluginKey' | 'version' | 'capabilities'>>;
type Member = keyof Members;
type Question<M extends Member> = Parameters<Members[M]>[0];
type Answer<M extends Member> = Awaited<ReturnType<Members[M]>>;

const DEFAULT_TIME_LIMIT_MS = 30_000;

/** Calls the members of a gateway as the engine does, within its time limit, and collects what is found, each sentence once. */
export class GatewayCaller {
  readonly gateway: PaymentGateway;
  readonly options: PaymentGatewayCheckOptions;
  readonly timeLimitMs: number;
  readonly accountId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  /** The method with which all is paid. */
  readonly paymentMethodId: Uuid;
  readonly #ids = uuidGenerator();
  readonly #context: GatewayContext;
  readonly #findings = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #called = new Set<string>();

  constructor(gateway: PaymentGateway, options: PaymentGatewayCheckOptions) {
    this.gateway = gateway;
    this.options = options;
    this.timeLimitMs = options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS;
    this.accountId = this.newId();
    this.paymentMethodId = this.newId();
    this.amount = decimal(options.amount ?? '10.00');
    this.currency = options.currency ?? 'USD';
    const now = parseWireInstant('2024-01-31T12:00:00Z');
    if (now === undefined) throw new Error('the instant of the check cannot be read');
    const userToken = this.newId();
    this.#context = frozenCopy({ tenantId: this.newId(), userName: 'gateway-check', userToken, now });
  }

  get report(): PaymentGatewayReport {
    return { findings: [...this.#findings], notes: [...this.#notes], called: [...this.#called] };
  }

  wrong(sentence: string): void {
    this.#findings.add(sentence);
  }

  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  newId(): Uuid {
    return this.#ids.next();
  }

  /** What is asked of a new transaction, of a payment of its own unless one is given. */
  asked(type: CalledType, given: Partial<GatewayRequest> = {}): AskedOperation {
    const { paymentId = this.newId(), properties = this.options.properties ?? [] } = given;
    const { accountId, paymentMethodId } = this;
    const request = { accountId, paymentId, transactionId: this.newId(), paymentMethodId, properties };
    const ofType = { type, member: memberOfType[type] };
    if (type === 'VOID') return { ...ofType, request };
    const { amount = this.amount } = given;
    return { ...ofType, request: { ...request, amount, currency: this.currency } };
  }

  /** Runs the operation; a gateway that lacks it is not to be asked. */
  run({ member, request }: AskedOperation): Promise<Called<GatewayResult | null>> {
    return this.call(member, frozenCopy(request) as GatewayRequest);
  }

  /** A call of a member that the gateway has, with the context that the engine gives. */
  async call<M extends Member>(member: M, question: Question<M>): Promise<Called<Answer<M>>> {
    this.#called.add(member);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<Called<Answer<M>>>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'TIMEOUT' }), this.timeLimitMs);
    });
    try {
      const called = await Promise.race([this.#outcome(member, question), limit]);
      if (called.kind === 'TIMEOUT') {
        this.wrong(
          `${member} gives no answer within ${this.timeLimitMs} ms, the time limit: the outcome is unknown then`,
        );
      }
      return called;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What a call gives that must not fail; undefined if it does, which is found, and of a gateway without that member. */
  async value<M extends Member>(member: M, question: Question<M>): Promise<Answer<M> | undefined> {
    if (this.gateway[member] === undefined) return undefined;
    const called = await this.call(member, question);
    if (called.kind === 'THROW') this.wrong(`${member} throws "${called.message}"`);
    return called.kind === 'VALUE' ? called.value : undefined;
  }

  /** What the gateway tells of a payment; undefined if that is nothing readable, which is found. */
  async told(paymentId: Uuid): Promise<readonly GatewayResult[] | undefined> {
    const told = await this.value('getPaymentInfo', { accountId: this.accountId, paymentId, properties: [] });
    if (told === undefined || Array.isArray(told)) return told;
    this.wrong('getPaymentInfo gives no list; of a payment that it does not know it gives an empty one');
    return undefined;
  }

  async #outcome<M extends Member>(member: M, question: Question<M>): Promise<Called<Answer<M>>> {
    try {
      const operation = (this.gateway as Members)[member] as (
        ...given: readonly unknown[]
      ) => Promise<Answer<M>>;
      return { kind: 'VALUE', value: await operation.call(this.gateway, question, this.#context) };
    } catch (error) {
      return { kind: 'THROW', message: error instanceof Error ? error.message : String(error) };
    }
  }
}

export function shown(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
