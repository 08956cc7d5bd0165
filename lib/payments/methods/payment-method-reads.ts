import { loadAccount } from '../../accounts/index.ts';
import type { GatewaySearch, PaymentGateway, Ports } from '../../ports/index.ts';
import type { PaymentMethodSearch, ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type Page,
  type PageRequest,
  type PaymentMethod,
  type PluginProperty,
  paymentMethodFields,
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch } from '../../runtime/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import { claimedHits, failureOf, type GatewayReply } from '../claims/gateway-claims.ts';
import { callGatewayOnce } from '../plugins/call-gateway.ts';
import { GatewayInfo, type GatewayInfoPorts, type PluginInfoOptions } from '../plugins/gateway-info.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import {
  fail,
  noMethodOfKey,
  noSuchMethod,
  registeredGateway,
  searchFailed,
} from '../state/payment-errors.ts';
import type {
  PaymentMethodPageRequest,
  PaymentMethodReadOptions,
  PaymentMethodView,
} from './payment-method-operations.ts';

/** Operations that read payment methods (§10.2). */
export class PaymentMethodReads {
  readonly #ports: Pick<Ports, 'storage'> & GatewayInfoPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: Pick<Ports, 'storage'> & GatewayInfoPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  async ofAccount(context: CallContext, accountId: Uuid, options: PaymentMethodReadOptions = {}) {
    const includeDeleted = options.includeDeleted === true;
    const { stored, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const { paymentMethodId: defaultId } = await loadAccount(session, accountId);
      const methods = await session.payments.findMethodsByAccounts([accountId], { includeDeleted });
      return {
        stored: methods.map((method) => ({ ...method, isDefault: method.id === defaultId })),
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    return this.#withDetails(context, stored, { options, timeoutMs });
  }

  async get(context: CallContext, paymentMethodId: Uuid, options: PaymentMethodReadOptions = {}) {
    return this.#one(context, options, async (session) => {
      const [method] = await session.payments.findMethodsByIds([paymentMethodId]);
      return keepIfIncluded(method, options) ?? fail(noSuchMethod(paymentMethodId));
    });
  }

  async getByKey(context: CallContext, externalKey: string, options: PaymentMethodReadOptions = {}) {
    checkStorable('External key', externalKey);
    return this.#one(context, options, async (session) => {
      const [method] = await session.payments.findMethodsByKeys([externalKey]);
      return keepIfIncluded(method, options) ?? fail(noMethodOfKey(externalKey));
    });
  }

  async page(context: CallContext, request: PaymentMethodPageRequest): Promise<Page<PaymentMethodView>> {
    const pluginName = this.#pluginNamed(request);
    return this.#page(context, request, (session) => session.payments.pageMethods(request, { pluginName }));
  }

  async search(context: CallContext, key: string, request: PaymentMethodPageRequest) {
    checkStorable('Search key', key);
    const search = paymentMethodSearch(key);
    const pluginName = this.#pluginNamed(request);
    const { properties = [], withPluginInfo } = request;
    // Search clauses refer to the engine's own columns, so no gateway can evaluate them.
    if (search.kind === 'clauses' || (pluginName === null && withPluginInfo !== true))
      return this.#page(context, request, ({ payments }) =>
        payments.searchMethods(search, request, { pluginName }),
      );
    const timeoutMs = (await this.#ports.storage.read(context.tenant, this.#configOf)).pluginTimeoutMs;
    const { gateways, logger } = this.#ports;
    const asked = pluginName === null ? [...gateways.values()] : [registeredGateway(gateways, pluginName)];
    const handleSearchFailure = (name: string, reply: GatewayReply<unknown>) => {
      if (pluginName !== null) throw searchFailed(name, reply);
      const facts = { pluginName: name, failure: failureOf(reply) };
      logger.warn(facts, 'a payment gateway did not search payment methods; its results are missing');
    };
    const searching = {
      context,
      gateways: asked,
      key,
      search,
      properties,
      timeoutMs,
      failed: handleSearchFailure,
    };
    const found = await pageOf(request, (window) => hitsOf(this.#ports, searching, window));
    return this.#page(context, request, () => Promise.resolve(found));
  }

  async #one(
    context: CallContext,
    options: PaymentMethodReadOptions,
    find: (session: ReadSession) => Promise<PaymentMethod>,
  ) {
    const { stored, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const method = await find(session);
      const account = await loadAccount(session, method.accountId);
      return {
        stored: { ...method, isDefault: method.id === account.paymentMethodId },
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    if (timeoutMs === null) return { ...stored, pluginInfo: null };
    const pluginInfo = await this.#gatewayInfo.detailOf(context, stored, { ...options, timeoutMs });
    return { ...stored, pluginInfo };
  }

  async #page(
    context: CallContext,
    options: PluginInfoOptions,
    find: (session: ReadSession) => Promise<Page<PaymentMethod>>,
  ) {
    const { found, defaults, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const page = await find(session);
      const accountIds = new Set(page.rows.map(({ accountId }) => accountId));
      const accounts = await session.accounts.findByIds([...accountIds]);
      return {
        found: page,
        defaults: new Set(accounts.map(({ paymentMethodId }) => paymentMethodId)),
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    const stored = found.rows.map((method) => ({ ...method, isDefault: defaults.has(method.id) }));
    return { ...found, rows: await this.#withDetails(context, stored, { options, timeoutMs }) };
  }

  async #withDetails(
    context: CallContext,
    stored: readonly Omit<PaymentMethodView, 'pluginInfo'>[],
    { options, timeoutMs }: { readonly options: PluginInfoOptions; readonly timeoutMs: number | null },
  ) {
    if (timeoutMs === null) return stored.map((method) => ({ ...method, pluginInfo: null }));
    const details = await this.#gatewayInfo.detailsOf(context, stored, { ...options, timeoutMs });
    return stored.map((method) => ({ ...method, pluginInfo: details.get(method.id) ?? null }));
  }

  #pluginNamed({ pluginName = null }: PaymentMethodPageRequest) {
    if (pluginName !== null) registeredGateway(this.#ports.gateways, pluginName);
    return pluginName;
  }

  /** Returns the time limit for gateway calls, or null if no gateway is called. */
  async #timeoutMs(session: ReadSession, options: PluginInfoOptions) {
    return options.withPluginInfo === true ? (await this.#configOf(session)).pluginTimeoutMs : null;
  }
}

/** Returns the method, or undefined if the read operation does not include it. */
function keepIfIncluded(method: PaymentMethod | undefined, { includeDeleted }: PaymentMethodReadOptions) {
  return method?.isActive === true || includeDeleted === true ? method : undefined;
}

interface Searching {
  readonly context: CallContext;
  readonly gateways: Iterable<PaymentGateway>;
  /** The search key as given. It is also parsed for the search of stored methods. */
  readonly key: string;
  readonly search: PaymentMethodSearch;
  readonly properties: readonly PluginProperty[];
  /** The time limit for all gateway calls together: `payment.plugin.timeout`. */
  readonly timeoutMs: number;
  /** Called for each gateway that fails. */
  failed(pluginName: string, reply: GatewayReply<unknown>): void;
}

type Hits = Pick<Page<PaymentMethod>, 'rows' | 'total'>;
/** A range of hits in ascending order. A limit of 0 requests only the number of hits. */
type Window = Pick<GatewaySearch, 'offset' | 'limit'>;

/**
 * Searches the records of each gateway in turn (§10.2). If a gateway has no search function, searches the stored
 * methods.
 */
async function hitsOf(
  ports: Pick<Ports, 'storage' | 'systemClock'>,
  { context, gateways, key, search, properties, ...searching }: Searching,
  { offset, limit }: Window,
) {
  const { storage, systemClock } = ports;
  const deadlineMs = systemClock.nowMs() + searching.timeoutMs;
  const rows: PaymentMethod[] = [];
  let total = 0;
  for (const gateway of gateways) {
    const { name: pluginName } = gateway;
    const window = { offset: Math.max(0, offset - total), limit: limit - rows.length };
    if (gateway.searchPaymentMethods === undefined) {
      const ours = await storage.read(context.tenant, (session) =>
        session.payments.searchMethods(search, window, { pluginName }),
      );
      rows.push(...ours.rows);
      total += ours.total;
      continue;
    }
    const timeoutMs = Math.max(0, deadlineMs - systemClock.nowMs());
    const request = { searchKey: key, ...window, properties };
    const reply = await callGatewayOnce(ports, { context, timeoutMs, request }, async (asking, as) =>
      claimedHits(await gateway.searchPaymentMethods?.(asking, as)),
    );
    if (reply.kind !== 'VALUE' || reply.value === null) {
      searching.failed(pluginName, reply);
      continue;
    }
    const ids = [...new Set(reply.value.ids)].slice(0, window.limit);
    const known = await storage.read(context.tenant, (session) => session.payments.findMethodsByIds(ids));
    const active = known.filter((method) => method.isActive && method.pluginName === pluginName);
    const byId = new Map(active.map((method) => [method.id, method]));
    rows.push(...ids.flatMap((id) => byId.get(id) ?? []));
    total += reply.value.total;
  }
  return { rows, total };
}

/**
 * Returns a page of hits. Gateways sort only in ascending order, so a descending page is read as a range from the end.
 */
async function pageOf({ offset, limit }: PageRequest, hitsIn: (window: Window) => Promise<Hits>) {
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

const searched = searchedFields({ ...paymentMethodFields, ...authorFields }, { paymentMethodId: 'id' });

/** Parses a search key (§10.2). @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form. */
function paymentMethodSearch(key: string): PaymentMethodSearch {
  if (isOperatorSearch(key)) return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
  const text = key.toLowerCase();
  return { kind: 'text', id: isUuid(text) ? text : null, text };
}
