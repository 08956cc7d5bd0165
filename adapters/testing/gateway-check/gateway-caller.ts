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
import { frozenCopy } from '../../../lib/values/given/index.ts';
import { uuidGenerator } from '../../node/uuid-generator.ts';
import type { PaymentGatewayCheckOptions } from './gateway-check-options.ts';
import type { GatewayFindings } from './gateway-report.ts';

/** The types of transactions for which gateways are called. */
export type CalledType = 'AUTHORIZE' | 'CAPTURE' | 'PURCHASE' | 'REFUND' | 'CREDIT' | 'VOID';

/** One operation, as it is asked of the gateway. */
export interface AskedOperation {
  readonly type: CalledType;
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

export const DEFAULT_TIME_LIMIT_MS = 30_000;

/** Calls the members of a gateway as the engine does, within its time limit. */
export class GatewayCaller {
  readonly gateway: PaymentGateway;
  readonly options: PaymentGatewayCheckOptions;
  readonly report: GatewayFindings;
  readonly accountId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  /** The method with which all is paid. */
  readonly paymentMethodId: Uuid;
  readonly #ids = uuidGenerator();
  readonly #context: GatewayContext;

  constructor(gateway: PaymentGateway, options: PaymentGatewayCheckOptions, report: GatewayFindings) {
    this.gateway = gateway;
    this.options = options;
    this.report = report;
    this.accountId = this.newId();
    this.paymentMethodId = this.newId();
    this.amount = decimal(options.amount ?? '10.00');
    this.currency = options.currency ?? 'USD';
    const now = parseWireInstant('2024-01-31T12:00:00Z');
    if (now === undefined) throw new Error('the instant of the check cannot be read');
    const userToken = this.newId();
    this.#context = frozenCopy({ tenantId: this.newId(), userName: 'gateway-check', userToken, now });
  }

  get timeLimitMs(): number {
    return this.options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS;
  }

  newId(): Uuid {
    return this.#ids.next();
  }

  /** What is asked of a new transaction, of a payment of its own unless one is given. */
  asked(type: CalledType, given: Partial<GatewayRequest> = {}): AskedOperation {
    const { paymentId = this.newId(), properties = this.options.properties ?? [] } = given;
    const { accountId, paymentMethodId } = this;
    const request = { accountId, paymentId, transactionId: this.newId(), paymentMethodId, properties };
    if (type === 'VOID') return { type, request };
    const { amount = this.amount } = given;
    return { type, request: { ...request, amount, currency: this.currency } };
  }

  /** Runs the operation; a gateway that lacks it is not to be asked. */
  run({ type, request }: AskedOperation): Promise<Called<GatewayResult | null>> {
    const member = memberOfType[type];
    const operation = this.gateway[member];
    if (operation === undefined) throw new Error(`the gateway has no ${member}`);
    const given = frozenCopy(request);
    return this.call(member, (context) => Reflect.apply(operation, this.gateway, [given, context]));
  }

  /** A call of any member, with the context that the engine gives. */
  async call<T>(member: string, call: (context: GatewayContext) => Promise<T>): Promise<Called<T>> {
    this.report.calls(member);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<Called<T>>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'TIMEOUT' }), this.timeLimitMs);
    });
    try {
      const called = await Promise.race([this.#outcome(call), limit]);
      if (called.kind === 'TIMEOUT') {
        this.report.wrong(
          `${member} gives no answer within ${this.timeLimitMs} ms, the time limit: the outcome is unknown then`,
        );
      }
      return called;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What a call gives that must not fail; undefined if it does, which is found. */
  async value<T>(member: string, call: (context: GatewayContext) => Promise<T>): Promise<T | undefined> {
    const called = await this.call(member, call);
    if (called.kind === 'THROW') this.report.wrong(`${member} throws "${called.message}"`);
    return called.kind === 'VALUE' ? called.value : undefined;
  }

  /** What the gateway tells of a payment; undefined if that is nothing readable, which is found. */
  async told(paymentId: Uuid): Promise<readonly GatewayResult[] | undefined> {
    const { accountId } = this;
    const properties: readonly PluginProperty[] = [];
    const question = { accountId, paymentId, properties };
    const told = await this.value('getPaymentInfo', (context) =>
      this.gateway.getPaymentInfo(question, context),
    );
    if (told === undefined || Array.isArray(told)) return told;
    this.report.wrong(
      'getPaymentInfo gives no list; of a payment that it does not know it gives an empty one',
    );
    return undefined;
  }

  async #outcome<T>(call: (context: GatewayContext) => Promise<T>): Promise<Called<T>> {
    try {
      return { kind: 'VALUE', value: await call(this.#context) };
    } catch (error) {
      return { kind: 'THROW', message: error instanceof Error ? error.message : String(error) };
    }
  }
}
