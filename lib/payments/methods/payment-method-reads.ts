import { loadAccount } from '../../accounts/index.ts';
import type { PaymentMethodDetails, Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, Page, PaymentMethod } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import { GatewayInfo, type GatewayInfoPorts, type PluginInfoOptions } from '../gateways/gateway-info.ts';
import { noSuchPlugin } from '../state/no-such-plugin.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { noMethodOfKey, noSuchMethod } from '../state/payment-method-errors.ts';
import { paymentMethodSearch } from '../state/payment-method-search.ts';
import { GatewayMethodSearch } from './gateway-method-search.ts';
import type {
  PaymentMethodPageRequest,
  PaymentMethodReadOptions,
  PaymentMethodView,
} from './payment-method-operations.ts';

/** Reads of payment methods (§10.2). */
export class PaymentMethodReads {
  readonly #ports: Pick<Ports, 'storage' | 'gateways'>;
  readonly #configOf: PaymentConfigOf;
  readonly #gatewayInfo: GatewayInfo;
  readonly #gatewaySearch: GatewayMethodSearch;

  constructor(ports: Pick<Ports, 'storage'> & GatewayInfoPorts, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
    this.#gatewayInfo = new GatewayInfo(ports);
    this.#gatewaySearch = new GatewayMethodSearch(ports);
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
    const searching = { context, key, search, request, properties, timeoutMs };
    const found =
      pluginName === null
        ? await this.#gatewaySearch.ofAll(searching)
        : await this.#gatewaySearch.ofPlugin(pluginName, searching);
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
    if (pluginName === null || this.#ports.gateways.has(pluginName)) return pluginName;
    throw noSuchPlugin(pluginName, this.#ports.gateways);
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
