import { loadAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, Payment, PaymentTransaction, WithContext } from '../../records/index.ts';
import { assertInvariant, type BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { loadPayments } from '../loading/load-payments.ts';
import { LaterOutcomes } from '../machine/later-outcomes.ts';
import type { PaymentReadOperations, PaymentReadOptions } from '../payment-operations.ts';
import { GatewayInfo } from '../plugins/gateway-info.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import {
  noPaymentOfKey,
  noPaymentOfTransaction,
  noSuchPayment,
  paymentError,
} from '../state/payment-errors.ts';
import {
  type InvoicePaymentView,
  type PaymentView,
  viewPayments,
  withInvoices,
} from '../state/payment-view.ts';

/**
 * Reads of payments; each takes a constant number of queries. A plain one writes nothing. One with plugin information
 * asks the gateways and records what they know better about open transactions (§7.2 rule 3); a gateway that fails gives
 * null information and a warning.
 */
export class PaymentReads implements PaymentReadOperations<WithContext> {
  readonly #shown: ShownPayments;

  constructor(ports: PaymentReadPorts, configOf: PaymentConfigOf) {
    this.#shown = new ShownPayments(ports, configOf);
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
    const read = await this.#shown.read(context, options, async (session) => {
      const payments = await session.payments.findByIds([paymentId]);
      if (payments.length === 0) throw noSuchPayment(paymentId);
      return { payments, rows: await session.payments.findInvoicePaymentsByPayments([paymentId]) };
    });
    const [view] = withInvoices(read.payments, read.found.rows);
    return view ?? fail(noSuchPayment(paymentId));
  }

  async #one(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<Payment>,
  ): Promise<PaymentView> {
    const { payments } = await this.#shown.read(context, options, async (session) => ({
      payments: [await find(session)],
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
    const { payments } = await this.#shown.read(context, options, async (session) => {
      await loadAccount(session, accountId);
      return { payments: await session.payments.findByAccounts([accountId]) };
    });
    return payments;
  }

  async invoicePaymentsOfAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<readonly InvoicePaymentView[]> {
    const read = await this.#shown.read(context, options, async (session) => {
      await loadAccount(session, accountId);
      const payments = await session.payments.findByAccounts([accountId]);
      const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
      return { payments, rows };
    });
    return withInvoices(read.payments, read.found.rows);
  }

  async invoicePaymentsOfInvoice(
    context: CallContext,
    invoiceId: Uuid,
    options: PaymentReadOptions = {},
  ): Promise<readonly InvoicePaymentView[]> {
    const read = await this.#shown.read(context, options, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (!invoice) throw noSuchInvoice(invoiceId);
      const rows = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
      const ids = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
      const payments = await session.payments.findByIds(ids);
      return { payments: payments.toSorted((one, other) => one.recordId - other.recordId), rows };
    });
    return withInvoices(read.payments, read.found.rows);
  }
}

function noSuchInvoice(invoiceId: Uuid): BillingError {
  return paymentError(ErrorCode.INVOICE_NOT_FOUND, `No invoice could be found for id ${invoiceId}`, {
    invoiceId,
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

export type PaymentReadPorts = Pick<
  Ports,
  'storage' | 'clock' | 'ids' | 'gateways' | 'systemClock' | 'logger' | 'paymentControls'
>;

/** What a read has found: its payments in their order, and what else it is about. */
interface Found {
  readonly payments: readonly Payment[];
}

/** Payments as they are read: what is stored of them and, where that is wanted, what their gateways tell. */
export class ShownPayments {
  readonly #ports: PaymentReadPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;
  readonly #later: LaterOutcomes;

  constructor(ports: PaymentReadPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
    this.#later = new LaterOutcomes(ports, configOf);
  }

  /** Loads the payments, asks the gateways outside the session if that is wanted, and shows what is known then. */
  async read<F extends Found>(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<F>,
  ): Promise<{ readonly payments: readonly PaymentView[]; readonly found: F }> {
    const load = () =>
      this.#ports.storage.read(context.tenant, async (session) => {
        const found = await find(session);
        const loaded = await loadPayments(session, found.payments, options);
        if (options.withPluginInfo !== true) return { loaded, found, timeoutMs: null };
        return { loaded, found, timeoutMs: (await this.#configOf(session)).pluginTimeoutMs };
      });
    const { loaded, found, timeoutMs } = await load();
    if (timeoutMs === null) return { payments: viewPayments(loaded, new Map()), found };
    const asked = loaded.payments.map((payment) => ({
      payment,
      pluginName: loaded.pluginNames.get(payment.paymentMethodId),
    }));
    const told = await this.#gatewayInfo.transactionsOf(context, asked, { ...options, timeoutMs });
    const toldPayments = loaded.payments.flatMap((payment) => {
      const results = told.get(payment.id);
      if (!results) return [];
      return [{ payment, transactions: loaded.transactions.get(payment.id) ?? [], results }];
    });
    const hasChanged = await this.#later.repair(context, toldPayments);
    const current = hasChanged ? await load() : { loaded, found };
    return { payments: viewPayments(current.loaded, told), found: current.found };
  }
}
