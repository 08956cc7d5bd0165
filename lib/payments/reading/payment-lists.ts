import type { GatewayPage, GatewayResult, PaymentGateway, Ports } from '../../ports/index.ts';
import type { PaymentSearch, ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type Page,
  type PageRequest,
  type Payment,
  type PluginProperty,
  paymentFields,
  type WithContext,
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { failureOf } from '../claims/gateway-claims.ts';
import type { PaymentListOperations, PaymentListRequest } from '../payment-operations.ts';
import { askGateway } from '../plugins/call-gateway.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { paymentError, registeredGateway } from '../state/payment-errors.ts';
import { paymentStateNames } from '../state/payment-state.ts';
import type { PaymentView } from '../state/payment-view.ts';
import { type PaymentReadPorts, ShownPayments } from './payment-reads.ts';

/** Lists of the tenant's payments (§11). */
export class PaymentLists implements PaymentListOperations<WithContext> {
  readonly #ports: PaymentReadPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #shown: ShownPayments;

  constructor(ports: PaymentReadPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#shown = new ShownPayments(ports, configOf);
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
  ): Promise<Page<PaymentView>> {
    const { pluginTimeoutMs: timeoutMs } = await this.#ports.storage.read(context.tenant, this.#configOf);
    const asked = { gateway, searchKey, request, properties: request.properties ?? [], timeoutMs };
    const found = await searchPaymentsOfGateway(this.#ports, context, asked);
    return this.#page(context, request, (session) => knownPayments(session, found));
  }

  async #page(
    context: CallContext,
    request: PaymentListRequest,
    find: (session: ReadSession) => Promise<Page<Payment>>,
  ): Promise<Page<PaymentView>> {
    const { payments, found } = await this.#shown.read(context, request, async (session) => {
      const { rows, ...counts } = await find(session);
      return { payments: rows, ...counts };
    });
    return { rows: payments, total: found.total, max: found.max };
  }
}

const NO_ROWS: PageRequest = { offset: 0, limit: 0 };

/** The payments that a gateway has found and we know, in its order. */
async function knownPayments(
  session: ReadSession,
  { paymentIds, total }: FoundByGateway,
): Promise<Page<Payment>> {
  const known = new Map<Uuid, Payment>(
    (await session.payments.findByIds(paymentIds)).map((payment) => [payment.id, payment]),
  );
  const { max } = await session.payments.page(NO_ROWS, { pluginName: null });
  return { rows: paymentIds.flatMap((id) => known.get(id) ?? []), total, max: Math.max(total, max) };
}

const searched = searchedFields(
  { ...paymentFields, ...authorFields },
  { paymentId: 'id', paymentExternalKey: 'externalKey' },
);

/**
 * What a search key asks for (§11): clauses in operator form; else payments in one of the states whose names contain the
 * key, such as `_FAILED`; else the whole of an id, or a part of an external key.
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
export function paymentSearch(key: string): PaymentSearch {
  if (isOperatorSearch(key)) {
    return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  }
  const stateNames = key === '' ? [] : paymentStateNames.filter((name) => name.includes(key));
  if (stateNames.length > 0) return { kind: 'states', stateNames };
  const id = key.toLowerCase();
  return { kind: 'text', id: isUuid(id) ? id : null, text: key };
}

interface Searching {
  /** One that offers it. */
  readonly gateway: PaymentGateway;
  readonly searchKey: string;
  readonly request: PageRequest;
  readonly properties: readonly PluginProperty[];
  readonly timeoutMs: number;
}

/** Payments that a gateway has found in its own books: our ids, each once, in its order, and how many there are in all. */
interface FoundByGateway {
  readonly paymentIds: readonly Uuid[];
  readonly total: number;
}

/**
 * Searches the payments of one gateway (§2.1); what is no answer to that is an error, since a search that leaves out what
 * there is would be believed.
 * @throws BillingError PAYMENT_PLUGIN_SEARCH_PAYMENTS (7105) when it fails.
 */
async function searchPaymentsOfGateway(
  ports: Pick<Ports, 'systemClock'>,
  context: CallContext,
  { gateway, searchKey, request, properties, timeoutMs }: Searching,
): Promise<FoundByGateway> {
  const limit = Math.abs(request.limit);
  const search = { searchKey, offset: request.offset, limit, properties };
  const reply = await askGateway(ports, { context, timeoutMs, request: search }, async (asking, as) =>
    claimedPage(await gateway.searchPayments?.(asking, as), limit),
  );
  const found = reply.kind === 'VALUE' ? reply.value : null;
  if (found !== null) return found;
  throw paymentError(
    ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENTS,
    `Payment plugin "${gateway.name}" could not search payments: ${failureOf(reply)}`,
    { pluginName: gateway.name },
  );
}

/** What is a page at all, of at most as many hits as were asked for; null = it is none. */
function claimedPage(page: GatewayPage<GatewayResult> | undefined, limit: number): FoundByGateway | null {
  if (!Array.isArray(page?.rows) || !Number.isSafeInteger(page.total) || page.total < 0) return null;
  const ids = page.rows.slice(0, limit).flatMap((row: Partial<GatewayResult> | null) => {
    const id = row?.kbPaymentId;
    return typeof id === 'string' && isUuid(id) ? [id] : [];
  });
  return { paymentIds: [...new Set(ids)], total: page.total };
}
