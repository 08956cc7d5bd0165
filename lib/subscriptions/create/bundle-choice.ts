import { type Bundle, type LifecycleEvent, ProductCategory, type Subscription } from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { CheckedRequest } from '../requests/create-request.ts';
import { checkBundleOwner, noSuchBundle, specifierError } from '../requests/unknown-objects.ts';
import { isEnd } from '../timeline/lifecycle-events.ts';

/** A bundle, with what decides whether it is live. */
export interface BundleContent {
  readonly bundle: Bundle;
  readonly subscriptions: readonly Pick<Subscription, 'id' | 'category'>[];
  /** Active lifecycle events of these subscriptions. */
  readonly events: readonly LifecycleEvent[];
}

export interface BundleChoiceInput {
  readonly request: Pick<CheckedRequest, 'accountId' | 'bundleId' | 'bundleExternalKey'>;
  /** The bundle with the requested id or, without one, that holds the requested key. */
  readonly found: BundleContent | undefined;
  readonly renameKeyIfUnused: boolean;
  readonly now: Instant;
}

/**
 * The existing bundle to which a subscription is added; null for a new one, which takes over the key from an ended bundle
 * (§6.2 rule 2, §17.2).
 * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER
 * (1020), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014).
 */
export function chooseBundle(input: BundleChoiceInput): BundleContent | null {
  const { request, found } = input;
  if (request.bundleId !== null) return bundleById(request.bundleId, input);
  if (request.bundleExternalKey === null || found === undefined) return null;

  const isOurs = found.bundle.accountId === request.accountId;
  if (isLive(found, input.now)) {
    if (isOurs) return found;
    throw keyExists(found.bundle, 'it belongs to another account');
  }
  if (isOurs && found.subscriptions.length === 0) return found;
  if (input.renameKeyIfUnused) return null;
  throw keyExists(found.bundle, 'its subscriptions have ended; allow the key to be renamed');
}

/** True if it holds a BASE or STANDALONE subscription whose billing has not ended by `now`. */
export function isLive(content: BundleContent, now: Instant): boolean {
  const ended = new Set(
    content.events
      .filter((event) => isEnd(event) && event.effective.at <= now)
      .map((event) => event.subscriptionId),
  );
  return content.subscriptions.some(
    (subscription) => subscription.category !== ProductCategory.ADD_ON && !ended.has(subscription.id),
  );
}

function bundleById(bundleId: Uuid, { request, found }: BundleChoiceInput): BundleContent {
  if (found === undefined) throw noSuchBundle(bundleId);
  checkBundleOwner(found.bundle, request.accountId);
  const key = request.bundleExternalKey;
  if (key !== null && key !== found.bundle.externalKey) {
    throw specifierError(`Bundle ${bundleId} has the key ${found.bundle.externalKey}, not ${key}`, bundleId);
  }
  return found;
}

function keyExists(bundle: Bundle, why: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    message: `Bundle ${bundle.id} has the key ${bundle.externalKey} already: ${why}, or choose another key`,
    facts: { bundleId: bundle.id, bundleExternalKey: bundle.externalKey },
  });
}

/**
 * Whether a bundle takes another subscription of that category (§6.2 rules 5, 6): at most one BASE, and
 * STANDALONE only among themselves.
 * @throws BillingError SUBSCRIPTION_CREATE_BP_EXISTS (1015), SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER (1020).
 */
export function checkBundleTakes(category: ProductCategory, content: BundleContent): void {
  const base = content.subscriptions.find((subscription) => subscription.category === ProductCategory.BASE);
  const bundleId = content.bundle.id;
  if (base !== undefined) {
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS,
      message: `Bundle ${bundleId} already has the base subscription ${base.id}; create another bundle`,
      facts: { bundleId, subscriptionId: base.id },
    });
  }
  if (category === ProductCategory.BASE && content.subscriptions.length > 0) {
    throw specifierError(
      `Bundle ${bundleId} holds STANDALONE subscriptions and takes no BASE; create another`,
      bundleId,
    );
  }
}

/** Why a bundle gives up its key; the value begins the form in which the key is kept from then on (§17.1). */
export const KeyRetirement = { CANCELLED: 'kbcncl', TRANSFERRED: 'kbtsf' } as const;
export type KeyRetirement = (typeof KeyRetirement)[keyof typeof KeyRetirement];

/** True if the bundle holds the key that it carries: no later one has taken it. */
export function holdsKey({ retiredKey }: Bundle): boolean {
  return retiredKey === null;
}

/** The one that holds the key, among the bundles that carry it; the others held it before. */
export function holderOf(carriers: readonly Bundle[]): Bundle | undefined {
  return carriers.find(holdsKey);
}

/** The bundle without its key, which another one may take; callers still see the key. */
export function withoutKey(bundle: Bundle, why: KeyRetirement): Bundle {
  return { ...bundle, retiredKey: `${why}-${bundle.recordId}:${bundle.externalKey}` };
}

/** The original creation date of a bundle made now: that of the oldest bundle that carried its key before (§3). */
export function originalCreation(carriers: readonly Bundle[], now: Instant): Instant {
  return carriers.reduce<Instant>(
    (first, { originalCreatedDate }) => (originalCreatedDate < first ? originalCreatedDate : first),
    now,
  );
}
