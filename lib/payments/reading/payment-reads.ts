import { loadAccount } from '../../accounts/index.ts';
import type { GatewayResult, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type {
  CallContext,
  InvoicePayment,
  Payment,
  PaymentTransaction,
  WithContext,
} from '../../records/index.ts';
import { assertInvariant, BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { GatewayInfo } from '../gateways/gateway-info.ts';
import { repairOnRead } from '../recovery/repair-on-read.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { noPaymentOfKey, noPaymentOfTransaction, noSuchPayment } from '../state/payment-errors.ts';
import {
  type InvoicePaymentView,
  type LoadedPayments,
  type PaymentView,
  viewPayments,
  withInvoices,
} from '../state/payment-view.ts';
import { loadPayments } from './load-payments.ts';
import type { PaymentReadOperations, PaymentReadOptions } from './payment-read-operations.ts';

/** The payments that a read is about, in its order, with the invoice payments that tell what they pay. */
interface FoundPayments {
  readonly payments: readonly Payment[];
  readonly rows: readonly InvoicePayment[];
}

type PaymentReadPorts = Pick<Ports, 'storage' | 'ids' | 'gateways' | 'systemClock' | 'logger'>;

/**
 * Reads of payments; each takes a constant number of queries. A plain one writes nothing. One with plugin information
 * asks the gateways and records what they know better about open transactions (§7.2 rule 3); a gateway that fails gives
 * null information and a warning.
 */
export class PaymentReads implements PaymentReadOperations<WithContext> {
  readonly #ports: PaymentReadPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: PaymentReadPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  async get(context: CallContext, paymentId: Uuid, options: PaymentReadOptions = {}): Promise<PaymentView> {
    return this.#one(context, options, async (session) => {
      const [payment] = await session.payments.findByIds([paymentId]);
      return payment ?? fail(noSuchPayment(paymentId));
    });
  }

  async getByKey(
    context: CallContext,
    externalKey: string,
    options: PaymentReadOptions = {},
  ): Promise<PaymentView> {
    return this.#one(context, options, async (session) => {
      const [payment] = await session.payments.findByKeys([externalKey]);
      return payment ?? fail(noPaymentOfKey(externalKey));
    });
  }

  async ofTransaction(
    context: CallContext,
    transactionId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<PaymentView> {
    return this.#one(context, options, async (session) => {
      const [transaction] = await session.payments.findTransactionsByIds([transactionId]);
      return paymentOf(session, transaction ?? fail(noPaymentOfTransaction(transactionId)));
    });
  }

  async ofTransactionKey(
    context: CallContext,
    transactionExternalKey: string,
    options: PaymentReadOptions = {},
  ): Promise<PaymentView> {
    return this.#one(context, options, async (session) => {
      const transactions = await session.payments.findTransactionsByKeys([transactionExternalKey]);
      return paymentOf(session, transactions.at(-1) ?? fail(noPaymentOfKey(transactionExternalKey)));
    });
  }

  async invoicePayment(
    context: CallContext,
    paymentId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<InvoicePaymentView> {
    const found = await this.#read(context, options, async (session) => {
      const payments = await session.payments.findByIds([paymentId]);
      if (payments.length === 0) throw noSuchPayment(paymentId);
      return { payments, rows: await session.payments.findInvoicePaymentsByPayments([paymentId]) };
    });
    const [view] = withInvoices(found.payments, found.rows);
    return view ?? fail(noSuchPayment(paymentId));
  }

  async #one(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<Payment>,
  ): Promise<PaymentView> {
    const { payments } = await this.#read(context, options, async (session) => ({
      payments: [await find(session)],
      rows: [],
    }));
    const [view] = payments;
    assertInvariant(view, 'A payment that was found is shown', {});
    return view;
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<readonly PaymentView[]> {
    const { payments } = await this.#read(context, options, async (session) => {
      await loadAccount(session, accountId);
      return { payments: await session.payments.findByAccounts([accountId]), rows: [] };
    });
    return payments;
  }

  async invoicePaymentsOfAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<readonly InvoicePaymentView[]> {
    const found = await this.#read(context, options, async (session) => {
      await loadAccount(session, accountId);
      const payments = await session.payments.findByAccounts([accountId]);
      const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
      return { payments, rows };
    });
    return withInvoices(found.payments, found.rows);
  }

  async invoicePaymentsOfInvoice(
    context: CallContext,
    invoiceId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<readonly InvoicePaymentView[]> {
    const found = await this.#read(context, options, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (!invoice) throw noSuchInvoice(invoiceId);
      const rows = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
      const ids = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
      const payments = await session.payments.findByIds(ids);
      return { payments: payments.toSorted((one, other) => one.recordId - other.recordId), rows };
    });
    return withInvoices(found.payments, found.rows);
  }

  /** Loads the payments, asks the gateways outside the session if that is wanted, and shows what is known then. */
  async #read(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<FoundPayments>,
  ): Promise<{ readonly payments: readonly PaymentView[]; readonly rows: readonly InvoicePayment[] }> {
    const load = () =>
      this.#ports.storage.read(context.tenant, async (session) => {
        const { payments, rows } = await find(session);
        const loaded = await loadPayments(session, payments, options);
        if (options.withPluginInfo !== true) return { loaded, rows, timeoutMs: null };
        return { loaded, rows, timeoutMs: (await this.#configOf(session)).pluginTimeoutMs };
      });
    const { loaded, rows, timeoutMs } = await load();
    if (timeoutMs === null) return { payments: viewPayments(loaded, new Map()), rows };
    const asked = loaded.payments.map((payment) => ({
      payment,
      pluginName: loaded.pluginNames.get(payment.paymentMethodId),
    }));
    const told = await this.#gatewayInfo.transactionsOf(context, asked, { ...options, timeoutMs });
    const hasChanged = await this.#repair(context, loaded, told);
    const current = hasChanged ? await load() : { loaded, rows };
    return { payments: viewPayments(current.loaded, told), rows: current.rows };
  }

  #repair(
    context: CallContext,
    { payments, transactions, pluginNames }: LoadedPayments,
    told: ReadonlyMap<Uuid, readonly GatewayResult[]>,
  ): Promise<boolean> {
    const toldPayments = payments.flatMap((payment) => {
      const results = told.get(payment.id);
      if (!results) return [];
      const gateway = this.#ports.gateways.get(pluginNames.get(payment.paymentMethodId) ?? '');
      const completeLedger = gateway?.capabilities?.completeLedger === true;
      return [{ payment, transactions: transactions.get(payment.id) ?? [], results, completeLedger }];
    });
    return repairOnRead(this.#ports, this.#configOf, { context, told: toldPayments });
  }
}

function noSuchInvoice(invoiceId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_NOT_FOUND,
    message: `No invoice could be found for id ${invoiceId}`,
    facts: { invoiceId },
  });
}

async function paymentOf(
  session: ReadSession,
  { paymentId }: Pick<PaymentTransaction, 'paymentId'>,
): Promise<Payment> {
  const [payment] = await session.payments.findByIds([paymentId]);
  return payment ?? fail(noSuchPayment(paymentId));
}

function fail(error: BillingError): never {
  throw error;
}
