import type { PaymentMethod } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

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

/** A method that the account can pay with, and what its gateway calls it. */
export interface ActiveMethod {
  readonly paymentMethodId: Uuid;
  readonly externalPaymentMethodId: string | null;
}

/** What becomes of the methods of one plugin. */
export interface RefreshedMethods {
  readonly inserted: readonly Pick<PaymentMethod, 'id' | 'externalKey'>[];
  /** Those that are deleted, or are there again, as they are now. */
  readonly changed: readonly PaymentMethod[];
  readonly knownIds: ReadonlySet<Uuid>;
  /** The active ones afterwards, with what the gateway calls them. */
  readonly active: readonly ActiveMethod[];
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
