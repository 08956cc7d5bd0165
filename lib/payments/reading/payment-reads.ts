import { loadAccount } from '../../accounts/index.ts';
import type { GatewayPage, GatewayResult, PaymentGateway, Ports } from '../../ports/index.ts';
import type { PaymentSearch, ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type InvoicePayment,
  type Page,
  type PageRequest,
  type Payment,
  type PaymentTransaction,
  type PluginProperty,
  paymentFields,
  type WithContext,
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { assertInvariant, billingError, ErrorCode } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { failureOf } from '../claims/gateway-claims.ts';
import { loadPayments } from '../loading/load-facts.ts';
import { LaterOutcomes } from '../machine/record-outcomes.ts';
import type {
  PaymentListOperations,
  PaymentListRequest,
  PaymentReadOperations,
  PaymentReadOptions,
} from '../payment-operations.ts';
import { callGatewayOnce } from '../plugins/call-gateway.ts';
import { GatewayInfo } from '../plugins/gateway-info.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import {
  fail,
  noPaymentOfKey,
  noPaymentOfTransaction,
  noSuchPayment,
  registeredGateway,
} from '../state/payment-errors.ts';
import { paymentStateNames } from '../state/payment-state.ts';
import { type PaymentView, viewPayments, withInvoices } from '../state/payment-view.ts';

/**
 * Operations that read payments (§11), each in a constant number of queries. If plugin information is requested, the
 * gateways are called, and outcomes that the gateways report for open transactions are recorded (§7.2 rule 3). The
 * information of a failing gateway is null, and a warning is logged.
 */
export class PaymentReads implements PaymentReadOperations<WithContext>, PaymentListOperations<WithContext> {
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

  get(context: CallContext, paymentId: Uuid, options: PaymentReadOptions = {}) {
    return this.#one(context, options, async (session) => {
      const [payment] = await session.payments.findByIds([paymentId]);
      return payment ?? fail(noSuchPayment(paymentId));
    });
  }

  getByKey(context: CallContext, externalKey: string, options: PaymentReadOptions = {}) {
    return this.#one(context, options, async (session) => {
      const [payment] = await session.payments.findByKeys([externalKey]);
      return payment ?? fail(noPaymentOfKey(externalKey));
    });
  }

  ofTransaction(context: CallContext, transactionId: Uuid, options: PaymentReadOptions = {}) {
    return this.#one(context, options, async (session) => {
      const [transaction] = await session.payments.findTransactionsByIds([transactionId]);
      return paymentOf(session, transaction ?? fail(noPaymentOfTransaction(transactionId)));
    });
  }

  ofTransactionKey(context: CallContext, transactionExternalKey: string, options: PaymentReadOptions = {}) {
    return this.#one(context, options, async (session) => {
      const transactions = await session.payments.findTransactionsByKeys([transactionExternalKey]);
      return paymentOf(session, transactions.at(-1) ?? fail(noPaymentOfKey(transactionExternalKey)));
    });
  }

  async invoicePayment(context: CallContext, paymentId: Uuid, options: PaymentReadOptions = {}) {
    const [view] = await this.#readInvoicePayments(context, options, async (session) => {
      const payments = await session.payments.findByIds([paymentId]);
      return { payments, rows: await session.payments.findInvoicePaymentsByPayments([paymentId]) };
    });
    return view ?? fail(noSuchPayment(paymentId));
  }

  async #readInvoicePayments(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<Found & { readonly rows: readonly InvoicePayment[] }>,
  ) {
    const { payments, found } = await this.#read(context, options, find);
    return withInvoices(payments, found.rows);
  }

  async #one(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<Payment>,
  ) {
    const findOne = async (session: ReadSession) => ({ payments: [await find(session)] });
    const { payments } = await this.#read(context, options, findOne);
    const [view] = payments;
    assertInvariant(view, 'A loaded payment is missing from the result', {});
    return view;
  }

  async ofAccount(context: CallContext, accountId: Uuid, options: PaymentReadOptions = {}) {
    const { payments } = await this.#read(context, options, async (session) => {
      await loadAccount(session, accountId);
      return { payments: await session.payments.findByAccounts([accountId]) };
    });
    return payments;
  }

  invoicePaymentsOfAccount(context: CallContext, accountId: Uuid, options: PaymentReadOptions = {}) {
    return this.#readInvoicePayments(context, options, async (session) => {
      await loadAccount(session, accountId);
      const payments = await session.payments.findByAccounts([accountId]);
      const rows = await session.payments.findInvoicePaymentsByPayments(payments.map(({ id }) => id));
      return { payments, rows };
    });
  }

  invoicePaymentsOfInvoice(context: CallContext, invoiceId: Uuid, options: PaymentReadOptions = {}) {
    return this.#readInvoicePayments(context, options, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (!invoice) {
        const message = `No invoice could be found for id ${invoiceId}`;
        throw billingError(ErrorCode.INVOICE_NOT_FOUND, message, { invoiceId });
      }
      const rows = await session.payments.findInvoicePaymentsByInvoices([invoiceId]);
      const ids = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
      const payments = await session.payments.findByIds(ids);
      return { payments: payments.toSorted((one, other) => one.recordId - other.recordId), rows };
    });
  }

  /** Loads the payments. If requested, queries their gateways outside the session. */
  async #read<F extends Found>(
    context: CallContext,
    options: PaymentReadOptions,
    find: (session: ReadSession) => Promise<F>,
  ) {
    const load = () =>
      this.#ports.storage.read(context.tenant, async (session) => {
        const found = await find(session);
        const loaded = await loadPayments(session, found.payments, options);
        if (options.withPluginInfo !== true) return { loaded, found, timeoutMs: null };
        return { loaded, found, timeoutMs: (await this.#configOf(session)).pluginTimeoutMs };
      });
    const { loaded, found, timeoutMs } = await load();
    if (timeoutMs === null) return { payments: viewPayments(loaded, new Map()), found };
    const asked = loaded.payments.map((payment) => {
      return { payment, pluginName: loaded.pluginNames.get(payment.paymentMethodId) };
    });
    const told = await this.#gatewayInfo.transactionsOf(context, asked, { ...options, timeoutMs });
    const reportedPayments = loaded.payments.flatMap((payment) => {
      const results = told.get(payment.id);
      if (!results) return [];
      return [{ payment, transactions: loaded.transactions.get(payment.id) ?? [], results }];
    });
    const hasChanged = await this.#later.repair(context, reportedPayments);
    const current = hasChanged ? await load() : { loaded, found };
    return { payments: viewPayments(current.loaded, told), found: current.found };
  }

  async page(context: CallContext, request: PaymentListRequest): Promise<Page<PaymentView>> {
    const { pluginName = null } = request;
    if (pluginName !== null) registeredGateway(this.#ports.gateways, pluginName);
    return this.#page(context, request, (session) => session.payments.page(request, { pluginName }));
  }

  async search(context: CallContext, key: string, request: PaymentListRequest): Promise<Page<PaymentView>> {
    const { pluginName = null } = request;
    const gateway = pluginName === null ? null : registeredGateway(this.#ports.gateways, pluginName);
    if (gateway?.searchPayments) return this.#searchGateway(context, gateway, { searchKey: key, request });
    const search = paymentSearch(key);
    return this.#page(context, request, (session) =>
      session.payments.search(search, request, { pluginName }),
    );
  }

  async #searchGateway(
    context: CallContext,
    gateway: PaymentGateway,
    { searchKey, request }: { readonly searchKey: string; readonly request: PaymentListRequest },
  ) {
    const { pluginTimeoutMs: timeoutMs } = await this.#ports.storage.read(context.tenant, this.#configOf);
    const asked = { gateway, searchKey, request, properties: request.properties ?? [], timeoutMs };
    const found = await searchPaymentsOfGateway(this.#ports, context, asked);
    return this.#page(context, request, (session) => knownPayments(session, found));
  }

  async #page(
    context: CallContext,
    request: PaymentListRequest,
    find: (session: ReadSession) => Promise<Page<Payment>>,
  ) {
    const { payments, found } = await this.#read(context, request, async (session) => {
      const { rows, ...counts } = await find(session);
      return { payments: rows, ...counts };
    });
    return { rows: payments, total: found.total, max: found.max };
  }
}

async function paymentOf(session: ReadSession, { paymentId }: Pick<PaymentTransaction, 'paymentId'>) {
  const [payment] = await session.payments.findByIds([paymentId]);
  return payment ?? fail(noSuchPayment(paymentId));
}

type PaymentReadPorts = Pick<
  Ports,
  'storage' | 'clock' | 'ids' | 'gateways' | 'systemClock' | 'logger' | 'paymentControls'
>;

interface Found {
  readonly payments: readonly Payment[];
}

const NO_ROWS: PageRequest = { offset: 0, limit: 0 };

/**
 * Returns the payments that the gateway found, in the gateway's order. Omits payments that the engine does not know.
 */
async function knownPayments(session: ReadSession, { paymentIds, total }: FoundByGateway) {
  const payments = await session.payments.findByIds(paymentIds);
  const known = new Map(payments.map((payment) => [payment.id, payment]));
  const { max } = await session.payments.page(NO_ROWS, { pluginName: null });
  return { rows: paymentIds.flatMap((id) => known.get(id) ?? []), total, max: Math.max(total, max) };
}

const searched = searchedFields(
  { ...paymentFields, ...authorFields },
  { paymentId: 'id', paymentExternalKey: 'externalKey' },
);

/**
 * Parses a search key (§11). A key in operator form is a list of clauses. Any other key, for example `_FAILED`, matches
 * states whose names contain it. If no state name contains the key, it matches a whole id or part of an external key.
 * @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form.
 */
export function paymentSearch(key: string): PaymentSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const stateNames = key === '' ? [] : paymentStateNames.filter((name) => name.includes(key));
  if (stateNames.length > 0) return { kind: 'states', stateNames };
  const id = key.toLowerCase();
  return { kind: 'text', id: isUuid(id) ? id : null, text: key };
}

interface Searching {
  readonly gateway: PaymentGateway;
  readonly searchKey: string;
  readonly request: PageRequest;
  readonly properties: readonly PluginProperty[];
  readonly timeoutMs: number;
}

/**
 * The payments that a gateway found in its own records: distinct payment ids in the gateway's order, and the total
 * number.
 */
interface FoundByGateway {
  readonly paymentIds: readonly Uuid[];
  readonly total: number;
}

/**
 * Searches the payments of one gateway (§2.1). An incomplete result counts as an error.
 * @throws BillingError PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) if the search fails.
 */
async function searchPaymentsOfGateway(
  ports: Pick<Ports, 'systemClock'>,
  context: CallContext,
  { gateway, searchKey, request, properties, timeoutMs }: Searching,
) {
  const limit = Math.abs(request.limit);
  const search = { searchKey, offset: request.offset, limit, properties };
  const reply = await callGatewayOnce(ports, { context, timeoutMs, request: search }, async (asking, as) =>
    claimedPage(await gateway.searchPayments?.(asking, as), limit),
  );
  const found = reply.kind === 'VALUE' ? reply.value : null;
  if (found !== null) return found;
  const message = `Payment plugin "${gateway.name}" could not search payments: ${failureOf(reply)}`;
  throw billingError(ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENTS, message, { pluginName: gateway.name });
}

/** Returns at most `limit` hits of a page, or null if the page is invalid. */
function claimedPage(page: GatewayPage<GatewayResult> | undefined, limit: number) {
  if (!Array.isArray(page?.rows) || !Number.isSafeInteger(page.total) || page.total < 0) return null;
  const ids = page.rows.slice(0, limit).flatMap((row: Partial<GatewayResult> | null) => {
    const id = row?.kbPaymentId;
    return typeof id === 'string' && isUuid(id) ? [id] : [];
  });
  return { paymentIds: [...new Set(ids)], total: page.total };
}
