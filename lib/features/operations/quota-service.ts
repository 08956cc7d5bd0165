import type { Ports } from '../../ports/index.ts';
import { type CallContext, QuotaOverage } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_FRACTION_DIGITS } from '../../values/limits.ts';
import { type Decimal, decimal, formatDecimal } from '../../values/money/index.ts';
import { checkStorable, shortenText } from '../../values/text/index.ts';
import { formatInstant, type Instant } from '../../values/time/index.ts';
import { type CountedSource, overageOf, quotaBalance } from '../evaluation/quota-draws.ts';
import { counterOf, loadUsedAmounts } from '../loading/load-features.ts';
import { consumeQuota, releaseUse } from '../storing/consume-quota.ts';
import { sharedDraws } from '../storing/draw-together.ts';
import { keysSince, QUOTA_DAYS } from '../storing/quota-limits.ts';
import type { ConsumeRequest, Consumption, Release } from './feature-operations.ts';
import { type FeatureReading, quotaOf } from './feature-reading.ts';

const MAX_KEY_CHARACTERS = 128;
const MAX_AMOUNT = decimal('1e15');
const MAX_AMOUNT_DECIMALS = 10;
const ONE = decimal(1);

/** Operations that consume and release quotas (§4). */
export function quotaOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'sha256' | 'systemClock'>,
  reading: FeatureReading,
) {
  const { storage, ids, sha256 } = ports;
  const { cache } = reading;
  const drawShared = sharedDraws(ports);
  return {
    async consume(context: CallContext, request: ConsumeRequest): Promise<Consumption> {
      const { accountId, feature, key = null } = request;
      const amount = request.amount ?? ONE;
      checkAmount(amount);
      if (key !== null) checkKey(key);
      const { tenant, createdDate: now } = context;
      const at = request.at ?? now;
      checkInstant(at, now);
      const loaded = await (at === now
        ? reading.current(context, accountId)
        : reading.at(context, accountId, at));
      const { counted: sources } = quotaOf(loaded, feature);
      checkBillable(amount, sources);
      const authorship = authorshipOf(context);
      const call = { loaded, feature, sources, amount, key, at };
      const drawAlone = () => {
        const [useId, trackingId] = [ids.next(), key ?? ids.next()];
        return storage.write(tenant, authorship, (session) =>
          consumeQuota(session, { ...call, useId, trackingId }, sha256),
        );
      };
      const { consumption, draws } = (await drawShared(tenant, call)) ?? (await drawAlone());
      if (tenant.within === undefined) {
        const raised = draws.map(({ source, used }) => ({ counter: counterOf(feature, source), used }));
        cache.raise(tenant, loaded, raised);
      }
      return consumption;
    },

    async release(
      context: CallContext,
      {
        accountId,
        feature,
        key,
      }: { readonly accountId: Uuid; readonly feature: string; readonly key: string },
    ): Promise<Release> {
      const { tenant } = context;
      checkKey(key);
      const loaded = await reading.current(context, accountId);
      const { counted: sources } = quotaOf(loaded, feature);
      const { recordId: accountRecordId } = loaded.account;
      const released = await storage.write(tenant, authorshipOf(context), async (session) => {
        const since = keysSince(context.createdDate);
        const use = await session.features.findUse({ accountRecordId, feature, key, since });
        if (use === null) throw noSuchUse(accountId, feature, key);
        const amount = await releaseUse(session, use);
        session.touch(accountRecordId);
        const used = await loadUsedAmounts(session, [{ name: feature, counted: sources }]);
        return { released: amount, ...quotaBalance(sources, used.of(feature)) };
      });
      return released;
    },
  };
}

function checkAmount(amount: Decimal): void {
  const isValid =
    amount.greaterThan(0) && amount.lessThan(MAX_AMOUNT) && amount.decimalPlaces() <= MAX_AMOUNT_DECIMALS;
  if (isValid) return;
  throw invalidParameter(
    `Invalid amount ${formatDecimal(amount)}. Use an amount above 0 with at most 15 digits before the point and ${MAX_AMOUNT_DECIMALS} after it`,
    { amount },
  );
}

/**
 * Checks that an amount can be billed as usage. Usage has fewer decimals than counters, so fewer decimals are allowed
 * if a contribution bills overage (§4).
 */
function checkBillable(amount: Decimal, sources: readonly CountedSource[]): void {
  if (amount.decimalPlaces() <= MAX_FRACTION_DIGITS) return;
  if (sources.every((source) => overageOf(source) !== QuotaOverage.BILL)) return;
  throw invalidParameter(
    `Invalid amount ${formatDecimal(amount)}. A quota with billed overage accepts at most ${MAX_FRACTION_DIGITS} digits after the point`,
    { amount },
  );
}

function checkKey(key: string): void {
  checkStorable('Key', key);
  if (key !== '' && key.length <= MAX_KEY_CHARACTERS) return;
  throw invalidParameter(`Invalid key "${shortenText(key)}". Use 1 to ${MAX_KEY_CHARACTERS} characters`, {
    key,
  });
}

function checkInstant(at: Instant, now: Instant): void {
  if (at <= now && at >= keysSince(now)) return;
  throw invalidParameter(
    `Invalid instant ${formatInstant(at)}. Use an instant within the last ${QUOTA_DAYS} days`,
    { at },
  );
}

function noSuchUse(accountId: Uuid, feature: string, key: string): BillingError {
  return billingError(
    ErrorCode.QUOTA_USE_NOT_FOUND,
    `Account ${accountId} has not consumed "${shortenText(feature)}" with key "${shortenText(key)}" in the last ${QUOTA_DAYS} days`,
    { accountId, feature, key },
  );
}
