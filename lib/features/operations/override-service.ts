import { lockAccount } from '../../accounts/index.ts';
import type { CatalogProvider } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { CallContext, FeatureOverride, New, WithContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { noSuchSubscription } from '../../subscriptions/index.ts';
import { type BillingError, billingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import { formatInstant, type Instant, maxInstant } from '../../values/time/index.ts';
import { billedUnitOf, featuresAt } from '../evaluation/features-at.ts';
import { findOverridesToEnd, untilNext, writtenValue } from '../evaluation/override-value.ts';
import { loadFeatureFacts } from '../loading/load-features.ts';
import { featureCheck } from './feature-change-handler.ts';
import type { FeatureOperations, OverrideRequest, OverrideTarget } from './feature-operations.ts';
import { featureOf } from './feature-reading.ts';

const MAX_REASON_CHARACTERS = 255;

/** Operations that override features (§2). */
export function overrideOperations(
  { storage, ids }: Pick<Ports, 'storage' | 'ids'>,
  catalogs: CatalogProvider,
): Pick<FeatureOperations<WithContext>, 'override' | 'endOverride'> {
  return {
    async override(context: CallContext, request: OverrideRequest): Promise<FeatureOverride> {
      const { accountId, subscriptionId = null, feature: name, reason = null } = request;
      const { tenant, createdDate: now } = context;
      const span = { from: request.from ?? now, until: request.until ?? null };
      checkSpan(span);
      checkReason(reason);
      if (typeof request.value === 'string') checkStorable('Value', request.value);
      const catalogsOf = await catalogs.open({ tenant, now, accounts: [accountId] });
      const id = ids.next();
      return storage.write(tenant, authorshipOf(context), async (session) => {
        const { recordId: accountRecordId } = await lockAccount(session, accountId);
        const facts = await loadFeatureFacts(session, accountId, catalogsOf);
        const isKnown = facts.streams.some(({ subscription }) => subscription.id === subscriptionId);
        if (subscriptionId !== null && !isKnown) throw noSuchSubscription(subscriptionId);
        const at = maxInstant(now, span.from);
        const feature = featureOf({ account: facts.account, features: featuresAt(facts, at) }, name);
        const billedUnit = billedUnitOf(facts, { subscriptionId, feature: name, at });
        const same = facts.overrides.filter(
          (each) => each.feature === name && each.subscriptionId === subscriptionId,
        );
        const override: New<FeatureOverride> = {
          id,
          accountId,
          accountRecordId,
          subscriptionId,
          feature: name,
          kind: feature.kind,
          value: writtenValue(feature, request.value, billedUnit),
          reason,
          from: span.from,
          until: untilNext(span, same),
          createdDate: now,
          updatedDate: now,
        };
        await session.features.endOverrides(
          findOverridesToEnd(span, same).map((each) => ({ ...each, until: span.from, updatedDate: now })),
        );
        await session.features.insertOverrides([override]);
        session.schedule([featureCheck(accountRecordId, now)]);
        return findOverride(session, id);
      });
    },

    async endOverride(
      context: CallContext,
      overrideId: Uuid,
      target?: OverrideTarget,
    ): Promise<FeatureOverride> {
      const { tenant, createdDate: now } = context;
      return storage.write(tenant, authorshipOf(context), async (session) => {
        const { accountId } = target ?? (await findOverride(session, overrideId));
        await lockAccount(session, accountId);
        const override = await findOverride(session, overrideId);
        if (target !== undefined && !isOf(override, target)) throw noSuchOverride(overrideId);
        if (override.until !== null && override.until <= now) return override;
        // If the override has not started yet, it ends at its start and never applies.
        const ended = { ...override, until: maxInstant(now, override.from), updatedDate: now };
        await session.features.endOverrides([ended]);
        session.schedule([featureCheck(override.accountRecordId, now)]);
        return ended;
      });
    },
  };
}

function checkSpan({ from, until }: { readonly from: Instant; readonly until: Instant | null }): void {
  if (until === null || until > from) return;
  throw invalidParameter(
    `Invalid end ${formatInstant(until)}. Use an instant after the start ${formatInstant(from)}`,
    { until },
  );
}

function checkReason(reason: string | null): void {
  checkStorable('Reason', reason);
  if (reason === null || reason.length <= MAX_REASON_CHARACTERS) return;
  throw invalidParameter(`Invalid reason. Use at most ${MAX_REASON_CHARACTERS} characters`, {
    field: 'reason',
  });
}

/** Returns the override. @throws BillingError FEATURE_OVERRIDE_NOT_FOUND (63004). */
async function findOverride(session: ReadSession, id: Uuid): Promise<FeatureOverride> {
  const [override] = await session.features.findOverrides([id]);
  if (override !== undefined) return override;
  throw noSuchOverride(id);
}

function isOf(override: FeatureOverride, { accountId, feature }: OverrideTarget): boolean {
  return override.accountId === accountId && override.feature === feature;
}

function noSuchOverride(overrideId: Uuid): BillingError {
  return billingError(
    ErrorCode.FEATURE_OVERRIDE_NOT_FOUND,
    `Feature override ${overrideId} does not exist. Use an override of this account and feature`,
    { overrideId },
  );
}
