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
  type Uuid,
} from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { frozenCopy } from '../../../lib/values/host-values/index.ts';
import { uuidGenerator } from '../../node/this-process.ts';

/** A result from the gateway. Its ids and amounts may be text. */
export type GatewayAnswer = GatewayResult;

/** Makes a call end with a certain outcome. */
export interface ProvokedOutcome {
  /** Plugin properties of the call. */
  readonly properties?: readonly PluginProperty[];
  /** Runs before the call, for example to disconnect a fake processor. */
  arrange?(): Promise<void> | void;
  /** Runs after the call, to undo `arrange`. */
  restore?(): Promise<void> | void;
}

/** Provokes a pending call. */
export interface ProvokedPending extends ProvokedOutcome {
  /** Makes the processor decide the outcome of the transaction, so that the gateway no longer returns PENDING. */
  settle?(transactionId: Uuid): Promise<void> | void;
}

/** A signed notification of the processor. */
export interface SignedNotification {
  readonly rawBody: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Options of a gateway check. Each optional part enables additional checks. */
export interface PaymentGatewayCheckOptions {
  /** Returns an empty storage for each engine, for example `() => sqlite(':memory:')`. */
  storage(): Promise<Storage<never>> | Storage<never>;
  /** Defaults to `USD`. */
  readonly currency?: Currency;
  /** Amount of authorizations and purchases. Captures and refunds use half of it. Defaults to `10.00`. */
  readonly amount?: string;
  /** Plugin properties that all operations use, such as a payment token. */
  readonly properties?: readonly PluginProperty[];
  /** Details of the added payment method. */
  readonly paymentMethod?: {
    readonly externalPaymentMethodId?: string | null;
    readonly properties?: readonly PluginProperty[];
  };
  /** Time limit of a call in milliseconds. Defaults to 30,000. */
  readonly timeLimitMs?: number;
  /**
   * Returns the number of effects that a transaction had at the processor. By default, the check compares references.
   */
  effectsOf?(transactionId: Uuid): Promise<number> | number;
  /** Search keys of the gateway. Defaults to ids and references. */
  readonly search?: {
    /** Returns a key that finds the purchase with this transaction. */
    payment?(transactionId: Uuid): string;
    /** Search key that finds the added payment method. */
    readonly paymentMethod?: string;
  };
  readonly outcomes?: {
    /** The processor declines. */
    readonly declined?: ProvokedOutcome;
    /** Makes the processor unreachable, so that no payment is made. */
    readonly unreachable?: ProvokedOutcome;
    readonly pending?: ProvokedPending;
  };
  /** A genuine notification. */
  readonly notification?: SignedNotification;
}

export interface PaymentGatewayReport {
  /** Problems, each in a sentence. */
  readonly findings: readonly string[];
  /** Design choices of the gateway that its host should know. */
  readonly notes: readonly string[];
  /** Members of the gateway that were called. */
  readonly called: readonly string[];
}

export type CalledType = 'AUTHORIZE' | 'CAPTURE' | 'PURCHASE' | 'REFUND' | 'CREDIT' | 'VOID';

/** A call of an operation. */
export interface OperationCall {
  readonly type: CalledType;
  readonly member: (typeof memberOfType)[CalledType];
  readonly request: GatewayTransaction & Partial<Pick<GatewayRequest, 'amount' | 'currency'>>;
}

/** The result of a call. */
export type Called<T> =
  | { readonly kind: 'VALUE'; readonly value: T }
  | { readonly kind: 'THROW'; readonly message: string }
  | { readonly kind: 'TIMEOUT' };

/** The gateway function for each transaction type. */
export const memberOfType = {
  AUTHORIZE: 'authorize',
  CAPTURE: 'capture',
  PURCHASE: 'purchase',
  REFUND: 'refund',
  CREDIT: 'credit',
  VOID: 'void',
} as const satisfies Readonly<Record<CalledType, keyof PaymentGateway>>;

type Members = Required<Omit<PaymentGateway, 'name' | 'formerly' | 'pluginKey' | 'version' | 'capabilities'>>;
type Member = keyof Members;
type Question<M extends Member> = Parameters<Members[M]>[0];
type Answer<M extends Member> = Awaited<ReturnType<Members[M]>>;

const DEFAULT_TIME_LIMIT_MS = 30_000;

/** Calls functions of a gateway within the time limit. Collects findings without duplicates. */
export class GatewayCaller {
  readonly gateway: PaymentGateway;
  readonly options: PaymentGatewayCheckOptions;
  readonly timeLimitMs: number;
  readonly accountId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  /** The payment method that all payments of the check use. */
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
    const now = new Date('2024-01-31T12:00:00Z');
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

  /** Returns the call for a new transaction. By default, the transaction belongs to a new payment. */
  asked(type: CalledType, given: Partial<GatewayRequest> = {}): OperationCall {
    const { paymentId = this.newId(), properties = this.options.properties ?? [] } = given;
    const { accountId, paymentMethodId, currency } = this;
    const request = { accountId, paymentId, transactionId: this.newId(), paymentMethodId, properties };
    const { amount = this.amount } = given;
    const member = memberOfType[type];
    return { type, member, request: type === 'VOID' ? request : { ...request, amount, currency } };
  }

  /** Runs an operation that the gateway offers. */
  run({ member, request }: OperationCall): Promise<Called<GatewayAnswer | null>> {
    return this.call(member, frozenCopy(request) as GatewayRequest);
  }

  /** Calls a member that the gateway offers. */
  async call<M extends Member>(member: M, question: Question<M>): Promise<Called<Answer<M>>> {
    this.#called.add(member);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<Called<Answer<M>>>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'TIMEOUT' }), this.timeLimitMs);
    });
    try {
      const called = await Promise.race([this.#outcome(member, question), limit]);
      if (called.kind === 'TIMEOUT')
        this.wrong(
          `${member} does not return within the time limit of ${this.timeLimitMs} ms, which leaves the outcome unknown`,
        );
      return called;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Returns the result of a call. If the call fails, adds a finding and returns undefined. Also returns undefined if
   * the gateway lacks the function.
   */
  async value<M extends Member>(member: M, question: Question<M>): Promise<Answer<M> | undefined> {
    if (this.gateway[member] === undefined) return undefined;
    const called = await this.call(member, question);
    if (called.kind === 'THROW') this.wrong(`${member} throws "${called.message}"`);
    return called.kind === 'VALUE' ? called.value : undefined;
  }

  /** Returns the gateway's transactions of a payment. If they cannot be read, adds a finding and returns undefined. */
  async told(paymentId: Uuid): Promise<readonly GatewayAnswer[] | undefined> {
    const told = await this.value('getPaymentInfo', { accountId: this.accountId, paymentId, properties: [] });
    if (told === undefined || Array.isArray(told)) return told;
    this.wrong('getPaymentInfo returns no list; return an empty list for an unknown payment');
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

export function formatValue(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
