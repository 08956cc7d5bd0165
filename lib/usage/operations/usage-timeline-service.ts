import { loadAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession, UsageSum } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable } from '../../values/text/index.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';
import { answerableStretches, refuseArchived } from '../loading/answerable-stretches.ts';
import { hoursOfDays } from '../roll-up/hours-of-days.ts';
import { boundsIn } from '../roll-up/roll-up-bounds.ts';
import { type UsageBucket, UsageGranularity, usageBuckets } from '../roll-up/usage-buckets.ts';
import { usageStretches } from '../roll-up/usage-stretch.ts';
import type { UsageSources } from '../sources/usage-sources.ts';
import { suppliedUsage } from '../supplied/supplied-roll-up.ts';
import type { RollUpBounds } from './roll-up-service.ts';
import type { RolledUpUsage } from './usage-operations.ts';

export interface TimelineBounds extends RollUpBounds {
  readonly granularity?: UsageGranularity | null | undefined;
}

interface Asked {
  readonly accountId: Uuid;
  readonly subscriptionRecordId: number;
  readonly unit: string | null;
  readonly zone: TimeZone;
  readonly buckets: readonly UsageBucket[];
}

/** Tells what was recorded by hours, days or months (§3.3). */
export class UsageTimelineService {
  readonly #ports: Pick<Ports, 'storage'>;

  readonly #sources: UsageSources;

  constructor(ports: Pick<Ports, 'storage'>, sources: UsageSources) {
    this.#ports = ports;
    this.#sources = sources;
  }

  async timeline(
    context: CallContext,
    subscriptionId: Uuid,
    { granularity, unitType: unit = null, ...request }: TimelineBounds,
  ): Promise<readonly RolledUpUsage[]> {
    const by = granularity ?? UsageGranularity.DAY;
    const { storage } = this.#ports;
    const asked = await storage.read(context.tenant, async (session): Promise<Asked> => {
      const { accountId, recordId } = await loadSubscription(session, subscriptionId);
      const { timeZone: zone } = await loadAccount(session, accountId);
      const buckets = usageBuckets({ ...boundsIn(zone, request), zone, granularity: by });
      return { accountId, subscriptionRecordId: recordId, unit, zone, buckets };
    });
    const { buckets } = asked;
    if (buckets.length === 0 || (unit !== null && !isStorable(unit))) return [];
    const told = this.#sources.isEmpty ? null : await this.#supplied(context, subscriptionId, asked);
    if (told !== null) return told.filter(({ rolledUpUnits }) => rolledUpUnits.length > 0);
    const sumsOf = by === UsageGranularity.HOUR ? sumsByHour : sumsByDays;
    const sums = await storage.read(context.tenant, (session) => sumsOf(session, asked));
    return buckets.flatMap(({ start, end }, index) => {
      const units = sums[index] ?? [];
      const rolledUpUnits = units.map(({ unit: unitType, amount }) => ({ unitType, amount }));
      return units.length === 0 ? [] : { subscriptionId, startDate: start, endDate: end, rolledUpUnits };
    });
  }

  /** What a usage source says (§3.1 rule 7); null = none has the subscription. */
  async #supplied(
    { tenant, createdDate: now, pluginProperties }: CallContext,
    subscriptionId: Uuid,
    { accountId, unit, buckets }: Asked,
  ): Promise<readonly RolledUpUsage[] | null> {
    const [first] = buckets;
    if (first === undefined) return null;
    const ends = buckets.map(({ end }) => end) as [Instant, ...Instant[]];
    const pieces = await this.#sources.ofSubscription(subscriptionId, [first.start, ...ends], {
      context: { tenantId: tenant.id, accountId, dryRunType: null, inputTargetDate: null, now },
      properties: pluginProperties ?? [],
    });
    return pieces && suppliedUsage(buckets, { pieces, subscriptionId, unit });
  }
}

async function sumsByDays(
  session: ReadSession,
  { subscriptionRecordId, unit, zone, buckets }: Asked,
): Promise<readonly (readonly UsageSum[])[]> {
  const asked = usageStretches(buckets, zone);
  const stretches = await answerableStretches(session, asked, { subscriptionRecordId, zone });
  return session.usage.sums({ subscriptionRecordId, stretches, unit });
}

async function sumsByHour(
  session: ReadSession,
  { subscriptionRecordId, unit, zone, buckets }: Asked,
): Promise<readonly (readonly UsageSum[])[]> {
  const stretches = hoursOfDays(buckets, zone);
  await refuseArchived(
    session,
    subscriptionRecordId,
    stretches.map(({ day }) => day),
  );
  const found = await session.usage.hourSums({ subscriptionRecordId, stretches, unit });
  const sums: UsageSum[][] = buckets.map(() => []);
  for (const [index, { first }] of stretches.entries()) {
    for (const { hour, ...sum } of found[index] ?? []) sums[first + hour]?.push(sum);
  }
  return sums;
}
