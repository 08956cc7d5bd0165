import { loadAccount, lockAccount } from '../../accounts/index.ts';
import type { PaymentGateway, Ports } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext, PaymentMethod } from '../../records/index.ts';
import { authorshipOf, inParallel } from '../../runtime/index.ts';
import { type BillingError, ErrorCode } from '../../values/errors/index.ts';
import { namedUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_CONCURRENT_GATEWAY_CALLS } from '../../values/limits.ts';
import { type ClaimedMethod, claimedKey, claimedMethods } from '../claims/gateway-claims.ts';
import { tellGateway } from '../plugins/call-gateway.ts';
import type { PaymentConfigOf } from '../state/payment-config.ts';
import { paymentError, registeredGateway } from '../state/payment-errors.ts';
import type { RefreshPaymentMethodsInput } from './payment-method-operations.ts';
import { isTakenKey, newMethod, setDefaultMethods } from './stored-methods.ts';

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

/** Brings the methods of accounts to what their gateways hold (§10.5). */
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
        stored(session, await lockAccount(session, accountId), { before, listings }),
      );
    const { refreshed, defaultId } = await store().catch((error: unknown) => {
      // Since it was free, a call for another account has taken the key of a method: nobody has asked for it.
      if (isTakenKey(error)) return store();
      throw error;
    });
    await this.#reset(asking, refreshed, defaultId);
  }

  /** What the gateways list, no lock being held; one that keeps none, or cannot list, is left alone. */
  async #listings({ context, input, gateways, timeoutMs }: Asking): Promise<readonly Listing[]> {
    const { accountId, properties = [] } = input;
    const request = { accountId, refreshFromGateway: true, properties };
    const listings = await inParallel(gateways, MAX_CONCURRENT_GATEWAY_CALLS, async (gateway) => {
      const failsWith = ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD;
      const telling = { context, gateway, timeoutMs, request, failsWith };
      const told = await tellGateway(this.#ports, telling, async (asking, as) => {
        const methods = await gateway.getPaymentMethods?.(asking, as);
        return methods == null ? null : { claimed: claimedMethods(methods) };
      });
      if (told === null) return [];
      if (told.claimed === null) throw refused('its list of payment methods cannot be read', gateway);
      const lister = { accountId, pluginName: gateway.name };
      return [{ gateway, listed: await listedMethods(told.claimed, lister) }];
    });
    return listings.flat();
  }

  async #reset(
    { context, input: { accountId }, timeoutMs }: Asking,
    refreshed: readonly (Pick<RefreshedMethods, 'active'> & Pick<Listing, 'gateway'>)[],
    defaultId: Uuid | null,
  ): Promise<void> {
    await inParallel(refreshed, MAX_CONCURRENT_GATEWAY_CALLS, async ({ gateway, active }) => {
      const paymentMethods = active.map((method) => ({
        ...method,
        isDefault: method.paymentMethodId === defaultId,
      }));
      const failsWith = ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD;
      const request = { accountId, paymentMethods };
      const telling = { context, gateway, timeoutMs, request, failsWith };
      await tellGateway(this.#ports, telling, async (asking, as) =>
        gateway.resetPaymentMethods?.(asking, as),
      );
    });
  }
}

/** Makes of the account's methods what the gateways list. */
async function stored(
  session: WriteSession,
  account: Account,
  asked: { readonly before: readonly PaymentMethod[]; readonly listings: readonly Listing[] },
) {
  const known = await session.payments.findMethodsByAccounts([account.id], { includeDeleted: true });
  const takenKeys = await checkedKeys(session, account, asked.listings);
  const activeBefore = new Map(asked.before.map(({ id, isActive }) => [id, isActive]));
  const refreshed = asked.listings.map(({ gateway, listed }) => {
    const ofPlugin = known.filter(({ pluginName }) => pluginName === gateway.name);
    const methods = refreshedMethods({ listed, known: ofPlugin, activeBefore, takenKeys });
    for (const { externalKey } of methods.inserted) takenKeys.add(externalKey);
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
 * The keys among those listed that methods of the tenant have.
 * @throws BillingError PAYMENT_REFRESH_PAYMENT_METHOD (7006) if a gateway lists a method of another account or plugin, or two list one.
 */
async function checkedKeys(
  session: WriteSession,
  account: Account,
  listings: readonly Listing[],
): Promise<Set<string>> {
  const all = listings.flatMap(({ gateway, listed }) => listed.map((method) => ({ ...method, gateway })));
  const gatewayOf = new Map<Uuid, PaymentGateway>();
  for (const { paymentMethodId, gateway } of all) {
    if (paymentMethodId === null) continue;
    const first = gatewayOf.get(paymentMethodId) ?? gateway;
    if (first !== gateway)
      throw refused(`it lists payment method ${paymentMethodId}, as "${first.name}" does`, gateway);
    gatewayOf.set(paymentMethodId, gateway);
  }
  for (const method of await session.payments.findMethodsByIds([...gatewayOf.keys()])) {
    const gateway = gatewayOf.get(method.id);
    if (method.accountId !== account.id || method.pluginName !== gateway?.name)
      throw refused(
        `it lists payment method ${method.id}, which is not of account ${account.id} there`,
        gateway,
      );
  }
  const keys = new Set(all.flatMap(({ externalPaymentMethodId }) => externalPaymentMethodId ?? []));
  const taken = await session.payments.findMethodsByKeys([...keys]);
  return new Set(taken.map(({ externalKey }) => externalKey));
}

function refused(reason: string, gateway: PaymentGateway | undefined): BillingError {
  const pluginName = gateway?.name ?? null;
  return paymentError(
    ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD,
    `The payment methods of plugin "${pluginName}" were not refreshed: ${reason}`,
    { pluginName },
  );
}

/** A payment method as a gateway lists it, once that is checked. */
export interface ListedMethod {
  /** Null = the gateway has not heard of ours. */
  readonly paymentMethodId: Uuid | null;
  /** The id that it gets if it is unknown: always the same for the same method of the gateway. */
  readonly newId: Uuid;
  /** The gateway's own id; null = it tells none that could be a key. */
  readonly externalPaymentMethodId: string | null;
  readonly isDefault: boolean;
}

/** What is known when the list of one gateway is compared with ours (§10.5). */
export interface RefreshFacts {
  readonly listed: readonly ListedMethod[];
  /** The account's methods of this plugin, deleted ones included. */
  readonly known: readonly PaymentMethod[];
  /** Whether each was active before the gateway was asked: what has changed since, its list cannot know. */
  readonly activeBefore: ReadonlyMap<Uuid, boolean>;
  /** Keys of the tenant that methods already have. */
  readonly takenKeys: ReadonlySet<string>;
}

export interface RefreshedMethods {
  readonly inserted: readonly Pick<PaymentMethod, 'id' | 'externalKey'>[];
  /** Those that are deleted, or are there again, as they are now. */
  readonly changed: readonly PaymentMethod[];
  readonly knownIds: ReadonlySet<Uuid>;
  /** The active ones afterwards, with what the gateway calls them. */
  readonly active: readonly {
    readonly paymentMethodId: Uuid;
    readonly externalPaymentMethodId: string | null;
  }[];
  /** What the gateway names as the default; null = nothing. */
  readonly namedDefault: Uuid | null;
}

/**
 * Compares a gateway's list with ours, by id, and where the gateway tells no id of ours by key, or else by the id that
 * the method had when it was new (§10.5): unknown is inserted, deleted revived, absent deleted. The same list again
 * changes nothing.
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
 * The account's default after a refresh: what the gateway of the present default names, nothing if that default is gone,
 * and where there is none what the first gateway names. A gateway that names none changes nothing.
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

/** Which of our methods each of the list is; the first counts where several are the same one. */
function matchedMethods({ listed, known, takenKeys }: RefreshFacts) {
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
    const isFree = key !== null && !takenKeys.has(key) && !newKeys.has(key);
    const externalKey = isFree ? key : id;
    newKeys.add(externalKey);
    if (key !== null && ofKey === undefined) idsByKey.set(key, id);
    inserted.push({ id, externalKey });
  }
  return { ids, inserted };
}

type Lister = Pick<PaymentMethod, 'accountId' | 'pluginName'>;

/**
 * What a gateway claims to have, each method with the id that it gets if it is new (§10.5). Where the gateway tells no id
 * of ours that is made of its own, and where it tells nothing of the place among such: with the same list it is the same.
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

function idNamed(name: string | number, { accountId, pluginName }: Lister): Promise<Uuid> {
  return namedUuid(accountId, JSON.stringify([pluginName, name]));
}

function holdsMethods({ capabilities }: PaymentGateway): boolean {
  return capabilities?.holdsPaymentMethods !== false;
}
