import type { GatewayDispute, PaymentGateway, Ports } from '../../ports/index.ts';
import { type CallContext, isUnresolved } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DirectPaymentOperations, PaymentReadOperations } from '../payment-operations.ts';
import { activeChargeback } from '../state/payment-totals.ts';

type Operations = Pick<DirectPaymentOperations<[CallContext]>, 'chargeback' | 'reverseChargeback'> &
  Pick<PaymentReadOperations<[CallContext]>, 'get'>;

/** What a gateway has told by a notification. */
export interface Notified {
  readonly gateway: PaymentGateway;
  readonly paymentId: Uuid;
  readonly dispute: GatewayDispute | null;
  /** Control plugins of the call; null = those of the tenant. */
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
