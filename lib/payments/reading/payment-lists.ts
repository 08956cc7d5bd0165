import type { PaymentGateway } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, Page, PageRequest, Payment, WithContext } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type FoundByGateway, searchPaymentsOfGateway } from '../gateways/gateway-search.ts';
import { noSuchPlugin } from '../state/no-such-plugin.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import type { PaymentView } from '../views/payment-view.ts';
import type { PaymentListOperations, PaymentListRequest } from './payment-list-operations.ts';
import { paymentSearch } from './payment-search.ts';
import { type PaymentReadPorts, ShownPayments } from './shown-payments.ts';

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
    if (pluginName !== null) this.#gatewayOf(pluginName);
    return this.#page(context, request, (session) => session.payments.page(request, { pluginName }));
  }

  async search(context: CallContext, key: string, request: PaymentListRequest): Promise<Page<PaymentView>> {
    const { pluginName = null } = request;
    const gateway = pluginName === null ? null : this.#gatewayOf(pluginName);
    if (gateway?.searchPayments) return this.#searchGateway(context, gateway, { searchKey: key, request });
    const search = paymentSearch(key);
    return this.#page(context, request, (session) =>
      session.payments.search(search, request, { pluginName }),
    );
  }

  #gatewayOf(pluginName: string): PaymentGateway {
    const { gateways } = this.#ports;
    const gateway = gateways.get(pluginName);
    if (gateway === undefined) throw noSuchPlugin(pluginName, gateways);
    return gateway;
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
