import { loadAccount } from '../../accounts/index.ts';
import type { GatewaySearch, PaymentGateway, PaymentMethodDetails, Ports } from '../../ports/index.ts';
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
import { askGateway } from '../plugins/call-gateway.ts';
import { GatewayInfo, type GatewayInfoPorts, type PluginInfoOptions } from '../plugins/gateway-info.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { noMethodOfKey, noSuchMethod, registeredGateway, searchFailed } from '../state/payment-errors.ts';
import type {
  PaymentMethodPageRequest,
  PaymentMethodReadOptions,
  PaymentMethodView,
} from './payment-method-operations.ts';

/** Reads of payment methods (§10.2). */
export class PaymentMethodReads {
  readonly #ports: Pick<Ports, 'storage'> & GatewayInfoPorts;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;

  constructor(ports: Pick<Ports, 'storage'> & GatewayInfoPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: PaymentMethodReadOptions = {},
  ): Promise<readonly PaymentMethodView[]> {
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

  async get(
    context: CallContext,
    paymentMethodId: Uuid,
    options: PaymentMethodReadOptions = {},
  ): Promise<PaymentMethodView> {
    return this.#one(context, options, async (session) => {
      const [method] = await session.payments.findMethodsByIds([paymentMethodId]);
      return shown(method, options) ?? fail(noSuchMethod(paymentMethodId));
    });
  }

  async getByKey(
    context: CallContext,
    externalKey: string,
    options: PaymentMethodReadOptions = {},
  ): Promise<PaymentMethodView> {
    checkStorable('External key', externalKey);
    return this.#one(context, options, async (session) => {
      const [method] = await session.payments.findMethodsByKeys([externalKey]);
      return shown(method, options) ?? fail(noMethodOfKey(externalKey));
    });
  }

  async page(context: CallContext, request: PaymentMethodPageRequest): Promise<Page<PaymentMethodView>> {
    const pluginName = this.#pluginNamed(request);
    return this.#page(context, request, (session) => session.payments.pageMethods(request, { pluginName }));
  }

  async search(
    context: CallContext,
    key: string,
    request: PaymentMethodPageRequest,
  ): Promise<Page<PaymentMethodView>> {
    checkStorable('Search key', key);
    const search = paymentMethodSearch(key);
    const pluginName = this.#pluginNamed(request);
    const { properties = [], withPluginInfo } = request;
    // Clauses are about our columns, of which gateways know nothing.
    if (search.kind === 'clauses' || (pluginName === null && withPluginInfo !== true)) {
      return this.#page(context, request, (session) =>
        session.payments.searchMethods(search, request, { pluginName }),
      );
    }
    const timeoutMs = (await this.#ports.storage.read(context.tenant, this.#configOf)).pluginTimeoutMs;
    const { gateways, logger } = this.#ports;
    const searching = { context, key, search, properties, timeoutMs };
    const asked = pluginName === null ? [...gateways.values()] : [registeredGateway(gateways, pluginName)];
    const found = await pageOf(request, (window) =>
      hitsOf(this.#ports, { searching, window, gateways: asked }, ({ name }, reply) => {
        if (pluginName !== null) throw searchFailed(name, reply);
        const facts = { pluginName: name, failure: failureOf(reply) };
        logger.warn(facts, 'a payment gateway did not search payment methods; its hits are missing');
      }),
    );
    return this.#page(context, request, () => Promise.resolve(found));
  }

  async #one(
    context: CallContext,
    options: PaymentMethodReadOptions,
    find: (session: ReadSession) => Promise<PaymentMethod>,
  ): Promise<PaymentMethodView> {
    const { stored, timeoutMs } = await this.#ports.storage.read(context.tenant, async (session) => {
      const method = await find(session);
      const account = await loadAccount(session, method.accountId);
      return {
        stored: { ...method, isDefault: method.id === account.paymentMethodId },
        timeoutMs: await this.#timeoutMs(session, options),
      };
    });
    const pluginInfo =
      timeoutMs === null
        ? null
        : await this.#gatewayInfo.detailOf(context, stored, { ...options, timeoutMs });
    return { ...stored, pluginInfo };
  }

  async #page(
    context: CallContext,
    options: PluginInfoOptions,
    find: (session: ReadSession) => Promise<Page<PaymentMethod>>,
  ): Promise<Page<PaymentMethodView>> {
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
  ): Promise<readonly PaymentMethodView[]> {
    const details =
      timeoutMs === null
        ? new Map<Uuid, PaymentMethodDetails>()
        : await this.#gatewayInfo.detailsOf(context, stored, { ...options, timeoutMs });
    return stored.map((method) => ({ ...method, pluginInfo: details.get(method.id) ?? null }));
  }

  #pluginNamed({ pluginName = null }: PaymentMethodPageRequest): string | null {
    if (pluginName !== null) registeredGateway(this.#ports.gateways, pluginName);
    return pluginName;
  }

  /** The time limit for gateways' answers; null if none is asked. */
  async #timeoutMs(session: ReadSession, options: PluginInfoOptions): Promise<number | null> {
    return options.withPluginInfo === true ? (await this.#configOf(session)).pluginTimeoutMs : null;
  }
}

/** The method, if a read with these options finds it. */
function shown(method: PaymentMethod | undefined, { includeDeleted }: PaymentMethodReadOptions) {
  return method?.isActive === true || includeDeleted === true ? method : undefined;
}

function fail(error: Error): never {
  throw error;
}

interface Searching {
  readonly context: CallContext;
  /** The key as it was given, and what it asks of our own rows. */
  readonly key: string;
  readonly search: PaymentMethodSearch;
  readonly properties: readonly PluginProperty[];
  /** Time that all gateways have together: `payment.plugin.timeout`. */
  readonly timeoutMs: number;
}

type Hits = Pick<Page<PaymentMethod>, 'rows' | 'total'>;
/** Hits in ascending order; a limit of 0 asks for their number only. */
type Window = Pick<GatewaySearch, 'offset' | 'limit'>;

/**
 * The hits in the gateways' own books (§10.2), one gateway after the other. A gateway without a search of its own leaves it
 * to us: our rows of it.
 * @param failed called for a gateway that fails, and gives no hits.
 */
async function hitsOf(
  ports: Pick<Ports, 'storage' | 'systemClock'>,
  {
    searching: { context, key, search, properties, ...searching },
    window: { offset, limit },
    gateways,
  }: {
    readonly searching: Searching;
    readonly window: Window;
    readonly gateways: Iterable<PaymentGateway>;
  },
  failed: (gateway: PaymentGateway, reply: GatewayReply<unknown>) => void,
): Promise<Hits> {
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
    const reply = await askGateway(ports, { context, timeoutMs, request }, async (asking, as) =>
      claimedHits(await gateway.searchPaymentMethods?.(asking, as)),
    );
    if (reply.kind !== 'VALUE' || reply.value === null) {
      failed(gateway, reply);
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

const searched = searchedFields({ ...paymentMethodFields, ...authorFields }, { paymentMethodId: 'id' });

/**
 * What a search key asks of our own rows: clauses in operator form, else a whole id or part of a text (§10.2).
 * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
 */
function paymentMethodSearch(key: string): PaymentMethodSearch {
  if (!isOperatorSearch(key)) {
    const text = key.toLowerCase();
    return { kind: 'text', id: isUuid(text) ? text : null, text };
  }
  return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
}
