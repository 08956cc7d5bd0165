import { loadAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession, UsageStretch, UsageSum } from '../../ports/storage/index.ts';
import type { CallContext, Subscription } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import { type BillingError, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { formatLocalDate, type Instant, type LocalDate, type TimeZone } from '../../values/time/index.ts';
import {
  boundsIn,
  checkedBounds,
  hoursOfDays,
  type RequestedBounds,
  type UsageBucket,
  UsageGranularity,
  usageBuckets,
} from '../roll-up/usage-buckets.ts';
import { usageStretch, usageStretches } from '../roll-up/usage-stretch.ts';
import { suppliedUsage } from '../supplied/supplied-usage.ts';
import type { RolledUpUsage } from './usage-operations.ts';
import type { UsageSources } from './usage-sources.ts';

export interface RollUpBounds extends RequestedBounds {
  readonly unitType?: string | null;
}

interface Asked {
  readonly subscriptionId: Uuid;
  readonly unit: string | null;
  /** In ascending order, from the first to the last. */
  readonly instantsIn: (zone: TimeZone) => readonly Instant[];
}

/** Tells what was recorded (§3). */
export class RollUpService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #sources: UsageSources;

  constructor(ports: Pick<Ports, 'storage'>, sources: UsageSources) {
    this.#ports = ports;
    this.#sources = sources;
  }

  async rollUp(
    context: CallContext,
    subscriptionId: Uuid,
    { unitType = null, ...request }: RollUpBounds,
  ): Promise<RolledUpUsage> {
    const [only] = await this.#between(context, {
      subscriptionId,
      unit: unitType,
      instantsIn: (zone) => {
        const { start, end } = boundsIn(zone, request);
        return [start, end];
      },
    });
    if (only === undefined) throw new Error('Two bounds have one stretch between them');
    return only;
  }

  rollUpForTransitions(
    context: CallContext,
    subscriptionId: Uuid,
    instants: readonly Instant[],
  ): Promise<readonly RolledUpUsage[]> {
    return this.#between(context, { subscriptionId, unit: null, instantsIn: () => instants });
  }

  /** What lies between each bound and the next one. */
  async #between(context: CallContext, asked: Asked): Promise<readonly RolledUpUsage[]> {
    const { storage } = this.#ports;
    if (this.#sources.isEmpty) {
      return storage.read(context.tenant, async (session) =>
        recorded(session, asked, await stretchesOf(session, asked)),
      );
    }
    const stretched = await storage.read(context.tenant, (session) => stretchesOf(session, asked));
    const told = await this.#supplied(context, asked, stretched);
    if (told !== null) return told;
    return storage.read(context.tenant, (session) => recorded(session, asked, stretched));
  }

  /** What a usage source says (§3.1 rule 7); null = none has the subscription. */
  async #supplied(
    { tenant, createdDate: now, pluginProperties }: CallContext,
    { subscriptionId, unit }: Asked,
    { subscription: { accountId }, stretches }: Stretched,
  ): Promise<readonly RolledUpUsage[] | null> {
    const instants = new Set(stretches.flatMap(({ start, end }) => [start, end]));
    const [first, second, ...others] = [...instants].sort((a, b) => a - b);
    // Nothing lies between bounds that are one instant.
    if (first === undefined || second === undefined) return null;
    const pieces = await this.#sources.ofSubscription(subscriptionId, [first, second, ...others], {
      context: { tenantId: tenant.id, accountId, dryRunType: null, inputTargetDate: null, now },
      properties: pluginProperties ?? [],
    });
    return pieces && suppliedUsage(stretches, { pieces, subscriptionId, unit });
  }
}

interface Stretched {
  readonly subscription: Subscription;
  readonly zone: TimeZone;
  readonly stretches: readonly UsageStretch[];
}

async function stretchesOf(session: ReadSession, { subscriptionId, instantsIn }: Asked): Promise<Stretched> {
  const subscription = await loadSubscription(session, subscriptionId);
  const { timeZone } = await loadAccount(session, subscription.accountId);
  const instants = instantsIn(timeZone);
  const stretches = instants.slice(1).map((end, index) => {
    const bounds = checkedBounds({ start: instants[index] ?? end, end });
    return usageStretch(bounds.start, bounds.end, timeZone);
  });
  return { subscription, zone: timeZone, stretches };
}

async function recorded(
  session: ReadSession,
  { subscriptionId, unit }: Asked,
  { subscription: { recordId: subscriptionRecordId }, zone, stretches: asked }: Stretched,
): Promise<readonly RolledUpUsage[]> {
  const stretches = await answerableStretches(session, asked, { subscriptionRecordId, zone });
  const isAsked = stretches.length > 0 && (unit === null || isStorable(unit));
  const sums = isAsked ? await session.usage.sums({ subscriptionRecordId, stretches, unit }) : [];
  return stretches.map(({ start, end }, index) => ({
    subscriptionId,
    startDate: start,
    endDate: end,
    rolledUpUnits: (sums[index] ?? []).map(({ unit: unitType, amount }) => ({ unitType, amount })),
  }));
}

export interface TimelineBounds extends RollUpBounds {
  readonly granularity?: UsageGranularity | null | undefined;
}

interface AskedTimeline {
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
    const asked = await storage.read(context.tenant, async (session): Promise<AskedTimeline> => {
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
    { accountId, unit, buckets }: AskedTimeline,
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
  { subscriptionRecordId, unit, zone, buckets }: AskedTimeline,
): Promise<readonly (readonly UsageSum[])[]> {
  const asked = usageStretches(buckets, zone);
  const stretches = await answerableStretches(session, asked, { subscriptionRecordId, zone });
  return session.usage.sums({ subscriptionRecordId, stretches, unit });
}

async function sumsByHour(
  session: ReadSession,
  { subscriptionRecordId, unit, zone, buckets }: AskedTimeline,
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

interface StretchOwner {
  readonly subscriptionRecordId: number;
  readonly zone: TimeZone;
}

/**
 * The stretches as what is stored can tell of them. Where days are cut, one statement looks whether they have points left to
 * cut.
 * @throws BillingError INVALID_PARAMETER for a bound within an archived day (§11.4).
 */
export async function answerableStretches(
  session: ReadSession,
  stretches: readonly UsageStretch[],
  { subscriptionRecordId, zone }: StretchOwner,
): Promise<readonly UsageStretch[]> {
  const cut = cutDaysOf(stretches);
  if (cut.length === 0) return stretches;
  const archived = new Set(await session.usage.archivedDays(subscriptionRecordId, cut));
  if (archived.size === 0) return stretches;
  const around = usageStretches(stretches, zone, archived);
  const refused = cutDaysOf(around).find((day) => archived.has(day));
  if (refused === undefined) return around;
  throw dayArchived(refused);
}

/** @throws BillingError INVALID_PARAMETER where one of the days, whose points are to be read, is archived. */
export async function refuseArchived(
  session: ReadSession,
  subscriptionRecordId: number,
  days: readonly LocalDate[],
): Promise<void> {
  const [archived] = await session.usage.archivedDays(subscriptionRecordId, days);
  if (archived !== undefined) throw dayArchived(archived);
}

function dayArchived(day: LocalDate): BillingError {
  const date = formatLocalDate(day);
  return invalidParameter(
    `The usage of ${date} is archived: what was used can be told for the whole day alone, not for a time within it`,
    { date },
  );
}

/** An empty stretch cuts nothing. */
function cutDaysOf(stretches: readonly UsageStretch[]): readonly LocalDate[] {
  return stretches.flatMap(({ start, end, cutDays }) => (start === end ? [] : cutDays));
}
