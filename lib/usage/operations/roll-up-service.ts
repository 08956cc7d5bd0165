import { loadAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession, UsageStretch, UsageSum } from '../../ports/storage/index.ts';
import type { CallContext, Subscription } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import { assertInvariant, type BillingError, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { formatLocalDate, type Instant, type LocalDate, type TimeZone } from '../../values/time/index.ts';
import {
  type Bounds,
  boundsIn,
  checkedBounds,
  hoursOfDays,
  type RequestedBounds,
  UsageGranularity,
  usageBuckets,
  usageStretches,
} from '../roll-up/usage-buckets.ts';
import { suppliedUsage } from '../supplied/supplied-usage.ts';
import type { RolledUpUsage } from './usage-operations.ts';
import type { UsageSources } from './usage-sources.ts';

export interface RollUpBounds extends RequestedBounds {
  readonly unitType?: string | null;
}

/** Time spans for which the usage of a subscription is requested. */
interface RolledUpParts {
  readonly subscription: Subscription;
  readonly zone: TimeZone;
  /** Unit of the usage. Null means all units. */
  readonly unit: string | null;
  readonly parts: readonly Bounds[];
}

/**
 * Operations that report recorded usage (§3). If a usage source covers the subscription, they report the usage from
 * that source.
 */
export function rollUpOperations({ storage }: Pick<Ports, 'storage'>, sources: UsageSources) {
  async function rollUpUsage(context: CallContext, load: (session: ReadSession) => Promise<RolledUpParts>) {
    if (sources.isEmpty) {
      return storage.read(context.tenant, async (session) => recordedUsage(session, await load(session)));
    }
    const asked = await storage.read(context.tenant, load);
    const found = await findSuppliedUsage(context, asked);
    return found ?? storage.read(context.tenant, (session) => recordedUsage(session, asked));
  }

  /** Returns the usage from a usage source (§3.1 rule 7), or null if no source covers the subscription. */
  async function findSuppliedUsage(
    { tenant, createdDate: now, pluginProperties }: CallContext,
    { subscription: { id: subscriptionId, accountId }, unit, parts }: RolledUpParts,
  ) {
    if (sources.isEmpty) return null;
    const instants = new Set(parts.flatMap(({ start, end }) => [start, end]));
    const [first, second, ...others] = [...instants].sort((a, b) => a - b);
    // A time range with equal bounds is empty.
    if (first === undefined || second === undefined) return null;
    const pieces = await sources.ofSubscription(subscriptionId, [first, second, ...others], {
      context: { tenantId: tenant.id, accountId, dryRunType: null, inputTargetDate: null, now },
      properties: pluginProperties ?? [],
    });
    return pieces && suppliedUsage(parts, { pieces, subscriptionId, unit });
  }

  return {
    async rollUp(
      context: CallContext,
      subscriptionId: Uuid,
      { unitType: unit = null, ...request }: RollUpBounds,
    ): Promise<RolledUpUsage> {
      const [only] = await rollUpUsage(context, (session) =>
        requestedParts(session, { subscriptionId, unit }, (zone) => [boundsIn(zone, request)]),
      );
      assertInvariant(only, 'Two bounds must enclose exactly one time span');
      return only;
    },

    rollUpForTransitions: (
      context: CallContext,
      subscriptionId: Uuid,
      instants: readonly Instant[],
    ): Promise<readonly RolledUpUsage[]> =>
      rollUpUsage(context, (session) =>
        requestedParts(session, { subscriptionId, unit: null }, () =>
          instants.slice(1).map((end, index) => checkedBounds({ start: instants[index] ?? end, end })),
        ),
      ),

    async timeline(
      context: CallContext,
      subscriptionId: Uuid,
      {
        granularity,
        unitType: unit = null,
        ...request
      }: RollUpBounds & { readonly granularity?: UsageGranularity | null | undefined },
    ): Promise<readonly RolledUpUsage[]> {
      const by = granularity ?? UsageGranularity.DAY;
      const asked = await storage.read(context.tenant, (session) =>
        requestedParts(session, { subscriptionId, unit }, (zone) =>
          usageBuckets({ ...boundsIn(zone, request), zone, granularity: by }),
        ),
      );
      if (asked.parts.length === 0 || (unit !== null && !isStorable(unit))) return [];
      const sumsOf = by === UsageGranularity.HOUR ? sumsByHour : sumsByDays;
      const usage =
        (await findSuppliedUsage(context, asked)) ??
        (await storage.read(context.tenant, async (session) =>
          buildRolledUpUsage(asked, await sumsOf(session, asked)),
        ));
      return usage.filter(({ rolledUpUnits }) => rolledUpUnits.length > 0);
    },
  };
}

async function requestedParts(
  session: ReadSession,
  { subscriptionId, unit }: { readonly subscriptionId: Uuid; readonly unit: string | null },
  partsIn: (zone: TimeZone) => readonly Bounds[],
): Promise<RolledUpParts> {
  const subscription = await loadSubscription(session, subscriptionId);
  const { timeZone: zone } = await loadAccount(session, subscription.accountId);
  return { subscription, zone, unit, parts: partsIn(zone) };
}

async function recordedUsage(session: ReadSession, asked: RolledUpParts): Promise<readonly RolledUpUsage[]> {
  return buildRolledUpUsage(asked, await sumsByDays(session, asked));
}

async function sumsByDays(
  session: ReadSession,
  asked: RolledUpParts,
): Promise<readonly (readonly UsageSum[])[]> {
  const stretches = await answerableStretches(session, asked);
  const { subscription, unit } = asked;
  if (stretches.length === 0 || (unit !== null && !isStorable(unit))) return [];
  return session.usage.sums({ subscriptionRecordId: subscription.recordId, stretches, unit });
}

async function sumsByHour(
  session: ReadSession,
  { subscription: { recordId: subscriptionRecordId }, unit, zone, parts }: RolledUpParts,
): Promise<readonly (readonly UsageSum[])[]> {
  const stretches = hoursOfDays(parts, zone);
  const days = stretches.map(({ day }) => day);
  const [archived] = await session.usage.archivedDays(subscriptionRecordId, days);
  if (archived !== undefined) throw dayArchived(archived);
  const found = await session.usage.hourSums({ subscriptionRecordId, stretches, unit });
  const sums: UsageSum[][] = parts.map(() => []);
  for (const [index, { first }] of stretches.entries()) {
    for (const { hour, ...sum } of found[index] ?? []) sums[first + hour]?.push(sum);
  }
  return sums;
}

function buildRolledUpUsage(
  { subscription: { id: subscriptionId }, parts }: RolledUpParts,
  sums: readonly (readonly UsageSum[])[],
): readonly RolledUpUsage[] {
  return parts.map(({ start, end }, index) => ({
    subscriptionId,
    startDate: start,
    endDate: end,
    rolledUpUnits: (sums[index] ?? []).map(({ unit: unitType, amount }) => ({ unitType, amount })),
  }));
}

/**
 * Splits the requested parts into time spans that the storage can sum. If the spans divide days, checks in one
 * statement that these days still have points.
 * @throws BillingError INVALID_PARAMETER for a bound within an archived day (§11.4).
 */
async function answerableStretches(session: ReadSession, { subscription, zone, parts }: RolledUpParts) {
  const stretches = usageStretches(parts, zone);
  const cut = cutDaysOf(stretches);
  if (cut.length === 0) return stretches;
  const archived = new Set(await session.usage.archivedDays(subscription.recordId, cut));
  if (archived.size === 0) return stretches;
  const around = usageStretches(parts, zone, archived);
  const refused = cutDaysOf(around).find((day) => archived.has(day));
  if (refused === undefined) return around;
  throw dayArchived(refused);
}

function dayArchived(day: LocalDate): BillingError {
  const date = formatLocalDate(day);
  return invalidParameter(
    `The usage of ${date} is archived and available only for the whole day, not for a time within it`,
    { date },
  );
}

/** Returns the days that the bounds of time spans divide. An empty time span divides no day. */
function cutDaysOf(stretches: readonly UsageStretch[]): readonly LocalDate[] {
  return stretches.flatMap(({ start, end, cutDays }) => (start === end ? [] : cutDays));
}
