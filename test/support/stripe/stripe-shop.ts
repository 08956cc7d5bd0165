import { uuidGenerator } from '../../../adapters/node/this-process.ts';
import { type StripeGatewayOptions, stripeGateway } from '../../../adapters/stripe/index.ts';
import type { GatewayRequest, GatewayTransaction, PaymentGateway, Uuid } from '../../../lib/index.ts';
import { decimal } from '../../../lib/index.ts';
import { API_KEY, StripeDouble, WEBHOOK_SECRET } from './stripe-double.ts';

type HostInput = Partial<Omit<GatewayRequest, 'amount' | 'properties'>> & {
  readonly amount?: string;
  readonly properties?: Readonly<Record<string, string>>;
};

/** An account with a saved method at a Stripe double, and gateway calls for it. */
export class StripeShop {
  readonly double = new StripeDouble();
  readonly tenantId: Uuid;
  accountId: Uuid;
  paymentMethodId: Uuid;
  readonly #ids = uuidGenerator();
  #gateway: Required<PaymentGateway> | undefined;

  constructor() {
    this.tenantId = this.newId();
    this.accountId = this.newId();
    this.paymentMethodId = this.newId();
  }

  newId(): Uuid {
    return this.#ids.next();
  }

  /** An old id, for which Stripe may have forgotten the idempotency keys. */
  idOfHoursAgo(hours: number): Uuid {
    const ms = (Date.now() - hours * 3_600_000).toString(16).padStart(12, '0');
    return `${ms.slice(0, 8)}-${ms.slice(8)}${this.newId().slice(13)}` as Uuid;
  }

  /** A gateway in a new process, without state. */
  restart(options: Partial<StripeGatewayOptions> = {}): this {
    this.#gateway = stripeGateway({
      credentials: { apiKey: API_KEY, webhookSecret: WEBHOOK_SECRET },
      client: this.double.client,
      ...options,
    }) as Required<PaymentGateway>;
    return this;
  }

  get gateway(): Required<PaymentGateway> {
    if (this.#gateway === undefined) throw new Error('the gateway was not started');
    return this.#gateway;
  }

  get context() {
    const now = new Date('2024-01-31');
    return { tenantId: this.tenantId, userName: 'test', userToken: this.tenantId, now };
  }

  /** A new account with that Stripe test method. */
  async customerWith(token = 'pm_card_visa'): Promise<void> {
    this.accountId = this.newId();
    await this.addMethod(token);
  }

  async addMethod(token: string): Promise<void> {
    this.paymentMethodId = this.newId();
    const { accountId, paymentMethodId } = this;
    const details = { externalPaymentMethodId: token, isDefaultPaymentMethod: true, properties: [] };
    await this.gateway.addPaymentMethod(
      { accountId, paymentMethodId, properties: [], setDefault: true, details },
      this.context,
    );
  }

  /** A transaction request: by default new ids, 10 US dollars and the saved method. */
  newRequest({ amount = '10', properties = {}, ...given }: HostInput = {}): GatewayRequest {
    return {
      accountId: this.accountId,
      paymentMethodId: this.paymentMethodId,
      paymentId: this.newId(),
      transactionId: this.newId(),
      amount: decimal(amount),
      currency: 'USD',
      properties: Object.entries(properties).map(([key, value]) => ({ key, value, isUpdatable: false })),
      ...given,
    };
  }

  paymentInfo({ accountId, paymentId }: Pick<GatewayTransaction, 'accountId' | 'paymentId'>) {
    return this.gateway.getPaymentInfo({ accountId, paymentId, properties: [] }, this.context);
  }
}
