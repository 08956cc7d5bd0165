import type { GatewaySearch, PaymentGateway, Ports } from '../../ports/index.ts';
import type { PaymentMethodSearch } from '../../ports/storage/index.ts';
import type { CallContext, Page, PageRequest, PaymentMethod, PluginProperty } from '../../records/index.ts';
import { ErrorCode } from '../../values/errors/index.ts';
import { claimedHits } from '../claims/gateway-claims.ts';
import { failureOf, type GatewayReply } from '../claims/gateway-reply.ts';
import { gatewayFailed, searchFailed } from '../state/payment-method-errors.ts';
import { type MethodGatewayPorts, MethodGateways } from './method-gateways.ts';

type SearchPorts = Pick<Ports, 'storage' | 'logger'> & MethodGatewayPorts;

/** What gateways are asked for. */
interface Searching {
  readonly context: CallContext;
  /** The key as it was given, and what it asks of our own rows. */
  readonly key: string;
  readonly search: PaymentMethodSearch;
  readonly request: PageRequest;
  readonly properties: readonly PluginProperty[];
  /** Time that all gateways have together: `payment.plugin.timeout`. */
  readonly timeoutMs: number;
}

type Hits = Pick<Page<PaymentMethod>, 'rows' | 'total'>;
/** Hits in ascending order; a limit of 0 asks for their number only. */
type Window = Pick<GatewaySearch, 'offset' | 'limit'>;

/** Searches of payment methods by the gateways' own books (§10.2). */
export class GatewayMethodSearch {
  readonly #ports: SearchPorts;
  readonly #gateways: MethodGateways;

  constructor(ports: SearchPorts) {
    this.#ports = ports;
    this.#gateways = new MethodGateways(ports);
  }

  /**
   * The page of one gateway.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS (7103),
   * PAYMENT_PLUGIN_TIMEOUT (7100).
   */
  async ofPlugin(pluginName: string, searching: Searching): Promise<Page<PaymentMethod>> {
    const gateway = this.#gateways.named(pluginName);
    return pageOf(searching.request, async (window) => {
      const hits = await this.#hitsOf(gateway, searching, window);
      if ('failure' in hits) throw failed(pluginName, hits.failure);
      return hits;
    });
  }

  /** The page over all gateways, one after the other; one that fails gives nothing and a warning. */
  async ofAll(searching: Searching): Promise<Page<PaymentMethod>> {
    const deadlineMs = this.#ports.systemClock.nowMs() + searching.timeoutMs;
    return pageOf(searching.request, (window) => this.#hitsOfAll({ ...searching, deadlineMs }, window));
  }

  async #hitsOfAll(
    { deadlineMs, ...searching }: Searching & { readonly deadlineMs: number },
    { offset, limit }: Window,
  ): Promise<Hits> {
    const { systemClock, gateways, logger } = this.#ports;
    const rows: PaymentMethod[] = [];
    let total = 0;
    for (const gateway of gateways.values()) {
      const window = { offset: Math.max(0, offset - total), limit: limit - rows.length };
      const timeoutMs = Math.max(0, deadlineMs - systemClock.nowMs());
      const hits = await this.#hitsOf(gateway, { ...searching, timeoutMs }, window);
      if ('failure' in hits) {
        const facts = { pluginName: gateway.name, failure: failureOf(hits.failure) };
        logger.warn(facts, 'a payment gateway did not search payment methods; its hits are missing');
        continue;
      }
      rows.push(...hits.rows);
      total += hits.total;
    }
    return { rows, total };
  }

  /** A gateway without a search of its own leaves it to us: our rows of it. */
  async #hitsOf(
    gateway: PaymentGateway,
    { context, key, search, properties, timeoutMs }: Searching,
    window: Window,
  ): Promise<Hits | { readonly failure: GatewayReply<unknown> }> {
    const { storage } = this.#ports;
    if (gateway.searchPaymentMethods === undefined) {
      return storage.read(context.tenant, (session) =>
        session.payments.searchMethods(search, window, { pluginName: gateway.name }),
      );
    }
    const request = { searchKey: key, ...window, properties };
    const reply = await this.#gateways.ask({ context, timeoutMs, request }, async (asking, as) =>
      claimedHits(await gateway.searchPaymentMethods?.(asking, as)),
    );
    const claimed = reply.kind === 'VALUE' ? reply.value : null;
    if (claimed === null) return { failure: reply };
    const ids = [...new Set(claimed.ids)].slice(0, window.limit);
    const known = await storage.read(context.tenant, (session) => session.payments.findMethodsByIds(ids));
    const active = known.filter((method) => method.isActive && method.pluginName === gateway.name);
    const byId = new Map(active.map((method) => [method.id, method]));
    return { rows: ids.flatMap((id) => byId.get(id) ?? []), total: claimed.total };
  }
}

function failed(pluginName: string, reply: GatewayReply<unknown>) {
  if (reply.kind === 'TIMEOUT')
    return gatewayFailed(ErrorCode.PAYMENT_PLUGIN_SEARCH_PAYMENT_METHODS, pluginName, reply);
  return searchFailed(pluginName, failureOf(reply));
}

/** A page of hits; gateways know only the ascending order, of which a descending page is a window at the end. */
async function pageOf(
  { offset, limit }: PageRequest,
  hitsIn: (window: Window) => Promise<Hits>,
): Promise<Page<PaymentMethod>> {
  if (limit >= 0) {
    const hits = await hitsIn({ offset, limit });
    return { ...hits, max: hits.total };
  }
  const { total } = await hitsIn({ offset: 0, limit: 0 });
  const end = Math.max(0, total - offset);
  const start = Math.max(0, end + limit);
  const { rows } = await hitsIn({ offset: start, limit: end - start });
  return { rows: [...rows].reverse(), total, max: total };
}
