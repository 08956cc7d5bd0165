import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { PaymentGateway, Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext, PaymentMethod } from '../../records/index.ts';
import { authorshipOf, inParallel } from '../../runtime/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { namedUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { type ClaimedMethod, claimedKey, claimedMethods } from '../claims/gateway-claims.ts';
import { notifyGateway } from '../plugins/call-gateway.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { registeredGateway } from '../state/payment-errors.ts';
import type { RefreshPaymentMethodsInput } from './payment-method-operations.ts';
import { isKeyInUse, newMethod, setDefaultMethods } from './stored-methods.ts';

interface Listing {
  readonly gateway: PaymentGateway;
  readonly listed: readonly ListedMethod[];
}

interface Asking {
  readonly context: CallContext;
  readonly input: RefreshPaymentMethodsInput;
  readonly gateways: readonly PaymentGateway[];
  readonly timeoutMs: number;
}

/** Synchronizes the methods of accounts with their gateways (§10.5). */
export class PaymentMethodRefresh {
  readonly #ports: Pick<Ports, 'storage' | 'gateways' | 'systemClock'>;
  readonly #configOf: PaymentConfigOf;

  constructor(ports: Pick<Ports, 'storage' | 'gateways' | 'systemClock'>, configOf: PaymentConfigOf) {
    this.#ports = ports;
    this.#configOf = configOf;
  }

  async refresh(context: CallContext, input: RefreshPaymentMethodsInput): Promise<void> {
    const { accountId, pluginNames = [] } = input;
    const { storage, gateways: registered } = this.#ports;
    const named = [...new Set(pluginNames)].map((name) => registeredGateway(registered, name));
    const holding = [...registered.values()].filter(holdsMethods);
    const gateways = named.length === 0 ? holding : named.filter((gateway) => holding.includes(gateway));
    const { before, timeoutMs } = await storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      return {
        before: await session.payments.findMethodsByAccounts([accountId], { includeDeleted: true }),
        timeoutMs: (await this.#configOf(session)).pluginTimeoutMs,
      };
    });
    const asking = { context, input, gateways, timeoutMs };
    const listings = await this.#listings(asking);
    if (listings.length === 0) return;
    const store = () =>
      storage.write(context.tenant, authorshipOf(context), async (session) =>
        updateStoredMethods(session, await lockAccount(session, accountId), { before, listings }),
      );
    const { refreshed, defaultId } = await store().catch((error: unknown) => {
      // A call for another account has taken a gateway's key in the meantime.
      // The method is therefore stored without the gateway's key.
      if (isKeyInUse(error)) return store();
      throw error;
    });
    await this.#reset(asking, refreshed, defaultId);
  }

  /** Returns the gateways' lists of methods. Reads them without holding a lock. Skips gateways that provide no list. */
  async #listings({ context, input, gateways, timeoutMs }: Asking) {
    const { accountId, properties = [] } = input;
    const request = { accountId, refreshFromGateway: true, properties };
    const listings = await inParallel(gateways, MAX_CONCURRENT_GATEWAY_CALLS, async (gateway) => {
      const failsWith = ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD;
      const telling = { context, gateway, timeoutMs, request, failsWith };
      const told = await notifyGateway(this.#ports, telling, async (asking, as) => {
        const methods = await gateway.getPaymentMethods?.(asking, as);
        return methods == null ? null : { claimed: claimedMethods(methods) };
      });
      if (told === null) return [];
      if (told.claimed === null) throw refreshError('its list of payment methods cannot be read', gateway);
      const lister = { accountId, pluginName: gateway.name };
      return [{ gateway, listed: await listedMethods(told.claimed, lister) }];
    });
    return listings.flat();
  }

  async #reset(
    { context, input: { accountId }, timeoutMs }: Asking,
    refreshed: readonly (Pick<RefreshedMethods, 'active'> & Pick<Listing, 'gateway'>)[],
    defaultId: Uuid | null,
  ) {
    await inParallel(refreshed, MAX_CONCURRENT_GATEWAY_CALLS, async ({ gateway, active }) => {
      const paymentMethods = active.map((method) => {
        return { ...method, isDefault: method.paymentMethodId === defaultId };
      });
      const failsWith = ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD;
      const request = { accountId, paymentMethods };
      const telling = { context, gateway, timeoutMs, request, failsWith };
      await notifyGateway(this.#ports, telling, async (asking, as) =>
        gateway.resetPaymentMethods?.(asking, as),
      );
    });
  }
}

/** Updates the account's stored methods to match the gateways' lists. */
async function updateStoredMethods(
  session: WriteSession,
  account: Account,
  asked: { readonly before: readonly PaymentMethod[]; readonly listings: readonly Listing[] },
) {
  const known = await session.payments.findMethodsByAccounts([account.id], { includeDeleted: true });
  const usedKeys = await checkedKeys(session, account, asked.listings);
  const activeBefore = new Map(asked.before.map(({ id, isActive }) => [id, isActive]));
  const refreshed = asked.listings.map(({ gateway, listed }) => {
    const ofPlugin = known.filter(({ pluginName }) => pluginName === gateway.name);
    const methods = refreshedMethods({ listed, known: ofPlugin, activeBefore, usedKeys });
    for (const { externalKey } of methods.inserted) usedKeys.add(externalKey);
    return { gateway, ...methods };
  });
  await session.payments.insertMethods(
    refreshed.flatMap(({ gateway, inserted }) =>
      inserted.map((method) => newMethod(session, account, { ...method, pluginName: gateway.name })),
    ),
  );
  await session.payments.updateMethods(refreshed.flatMap(({ changed }) => changed));
  const defaultId = refreshedDefault(account.paymentMethodId, refreshed);
  await setDefaultMethods(session, [{ account, paymentMethodId: defaultId }]);
  return { refreshed, defaultId };
}

/**
 * Returns the listed keys that existing methods of the tenant already have.
 * @throws BillingError PAYMENT_REFRESH_PAYMENT_METHOD (7006) for a method of another account or plugin, or a method
 * that is listed twice.
 */
async function checkedKeys(session: WriteSession, account: Account, listings: readonly Listing[]) {
  const all = listings.flatMap(({ gateway, listed }) => listed.map((method) => ({ ...method, gateway })));
  const gatewayOf = new Map<Uuid, PaymentGateway>();
  for (const { paymentMethodId, gateway } of all) {
    if (paymentMethodId === null) continue;
    const first = gatewayOf.get(paymentMethodId) ?? gateway;
    if (first !== gateway)
      throw refreshError(
        `it lists payment method ${paymentMethodId}, which "${first.name}" lists too`,
        gateway,
      );
    gatewayOf.set(paymentMethodId, gateway);
  }
  for (const method of await session.payments.findMethodsByIds([...gatewayOf.keys()])) {
    const gateway = gatewayOf.get(method.id);
    if (method.accountId !== account.id || method.pluginName !== gateway?.name)
      throw refreshError(
        `it lists payment method ${method.id}, which does not belong to account ${account.id} there`,
        gateway,
      );
  }
  const keys = new Set(all.flatMap(({ externalPaymentMethodId }) => externalPaymentMethodId ?? []));
  const taken = await session.payments.findMethodsByKeys([...keys]);
  return new Set(taken.map(({ externalKey }) => externalKey));
}

function refreshError(reason: string, gateway: PaymentGateway | undefined) {
  const pluginName = gateway?.name ?? null;
  const message = `The payment methods of plugin "${pluginName}" were not refreshed: ${reason}`;
  return billingError(ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD, message, { pluginName });
}

/** A payment method from a gateway's list, after validation. */
export interface ListedMethod {
  /** The id of the payment method in the engine, or null if the gateway does not store this id. */
  readonly paymentMethodId: Uuid | null;
  /** The id to use if the method is new. It is the same whenever the gateway lists the method. */
  readonly newId: Uuid;
  /** The id that the gateway assigned to the method, or null if the id is missing or is not a valid key. */
  readonly externalPaymentMethodId: string | null;
  readonly isDefault: boolean;
}

/** The data for comparing one gateway's list with the stored methods (§10.5). */
export interface RefreshFacts {
  readonly listed: readonly ListedMethod[];
  /** The account's methods of this plugin. Deleted methods are included. */
  readonly known: readonly PaymentMethod[];
  /**
   * Maps each method to true if it was active before the gateway was called. The gateway's list does not reflect later
   * changes.
   */
  readonly activeBefore: ReadonlyMap<Uuid, boolean>;
  /** The listed keys that other methods of the tenant already have. */
  readonly usedKeys: ReadonlySet<string>;
}

export interface RefreshedMethods {
  readonly inserted: readonly Pick<PaymentMethod, 'id' | 'externalKey'>[];
  /** Methods that the refresh deletes or restores, in their new state. */
  readonly changed: readonly PaymentMethod[];
  readonly knownIds: ReadonlySet<Uuid>;
  /** The active methods after the refresh, with the ids that the gateway assigned to them. */
  readonly active: readonly {
    readonly paymentMethodId: Uuid;
    readonly externalPaymentMethodId: string | null;
  }[];
  /** The default method according to the gateway, or null if the gateway names none. */
  readonly namedDefault: Uuid | null;
}

/**
 * Compares a gateway's list with the stored methods (§10.5). A listed method matches a stored method by the engine's
 * id, otherwise by key, otherwise by the id that it would get as a new method.
 */
export function refreshedMethods(facts: RefreshFacts): RefreshedMethods {
  const { known, activeBefore } = facts;
  const matched = matchedMethods(facts);
  const changed = known.flatMap((method) => {
    if (activeBefore.get(method.id) !== method.isActive) return [];
    const isActive = matched.ids.has(method.id);
    return isActive === method.isActive ? [] : [{ ...method, isActive }];
  });
  const changedIds = new Map(changed.map(({ id, isActive }) => [id, isActive]));
  const kept = known.filter(({ id, isActive }) => changedIds.get(id) ?? isActive).map(({ id }) => id);
  const activeIds = [...kept, ...matched.inserted.map(({ id }) => id)];
  return {
    inserted: matched.inserted,
    changed,
    knownIds: new Set(known.map(({ id }) => id)),
    active: activeIds.map((paymentMethodId) => ({
      paymentMethodId,
      externalPaymentMethodId: matched.ids.get(paymentMethodId)?.externalPaymentMethodId ?? null,
    })),
    namedDefault: activeIds.find((id) => matched.ids.get(id)?.isDefault === true) ?? null,
  };
}

/**
 * Returns the default payment method after a refresh. If the gateway of the current default was not refreshed, the
 * default does not change. Otherwise, the default is the method that this gateway names, the current default if it is
 * still active, or the first method that any gateway names, in this order.
 */
export function refreshedDefault(
  present: Uuid | null,
  refreshed: readonly Pick<RefreshedMethods, 'knownIds' | 'active' | 'namedDefault'>[],
): Uuid | null {
  const owner = refreshed.find(({ knownIds }) => present !== null && knownIds.has(present));
  if (owner === undefined && present !== null) return present;
  if (owner !== undefined && owner.namedDefault !== null) return owner.namedDefault;
  if (owner?.active.some(({ paymentMethodId }) => paymentMethodId === present)) return present;
  return refreshed.find(({ namedDefault }) => namedDefault !== null)?.namedDefault ?? null;
}

/**
 * Matches the listed methods with the stored ones. If several listed methods match the same stored method, uses the
 * first one.
 */
function matchedMethods({ listed, known, usedKeys }: RefreshFacts) {
  const ids = new Map<Uuid, ListedMethod>();
  const inserted: Pick<PaymentMethod, 'id' | 'externalKey'>[] = [];
  const knownIds = new Set(known.map(({ id }) => id));
  const idsByKey = new Map(known.map(({ id, externalKey }) => [externalKey, id]));
  const newKeys = new Set<string>();
  for (const method of listed) {
    const key = method.externalPaymentMethodId;
    const ofKey = key === null ? undefined : idsByKey.get(key);
    const id = method.paymentMethodId ?? ofKey ?? method.newId;
    if (ids.has(id)) continue;
    ids.set(id, method);
    if (knownIds.has(id)) continue;
    const isFree = key !== null && !usedKeys.has(key) && !newKeys.has(key);
    const externalKey = isFree ? key : id;
    newKeys.add(externalKey);
    if (key !== null && ofKey === undefined) idsByKey.set(key, id);
    inserted.push({ id, externalKey });
  }
  return { ids, inserted };
}

type Lister = Pick<PaymentMethod, 'accountId' | 'pluginName'>;

/**
 * Returns the listed methods, each with the id that it gets if it is new (§10.5). The id is the engine's id, or is
 * derived from the gateway's id or from the position in the list. The same list therefore always results in the same
 * ids.
 */
export async function listedMethods(
  claimed: readonly ClaimedMethod[],
  lister: Lister,
): Promise<readonly ListedMethod[]> {
  const told = new Set(claimed.flatMap(({ paymentMethodId }) => paymentMethodId ?? []));
  const listed: ListedMethod[] = [];
  let place = 0;
  for (const { paymentMethodId, gatewayId, isDefault } of claimed) {
    let newId = paymentMethodId;
    if (newId === null && gatewayId !== null) newId = await idNamed(gatewayId, lister);
    while (newId === null) {
      place += 1;
      const placed = await idNamed(place, lister);
      if (!told.has(placed)) newId = placed;
    }
    listed.push({ paymentMethodId, newId, externalPaymentMethodId: claimedKey(gatewayId), isDefault });
  }
  return listed;
}

function idNamed(name: string | number, { accountId, pluginName }: Lister) {
  return namedUuid(accountId, JSON.stringify([pluginName, name]));
}

function holdsMethods({ capabilities }: PaymentGateway) {
  return capabilities?.holdsPaymentMethods !== false;
}
