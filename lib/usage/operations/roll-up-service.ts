import { loadAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession, UsageStretch } from '../../ports/storage/index.ts';
import type { CallContext, Subscription } from '../../records/index.ts';
import { loadSubscription } from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { isStorable } from '../../values/text/index.ts';
import type { Instant, TimeZone } from '../../values/time/index.ts';
import { answerableStretches } from '../loading/answerable-stretches.ts';
import { boundsIn, checkedBounds, type RequestedBounds } from '../roll-up/roll-up-bounds.ts';
import { usageStretch } from '../roll-up/usage-stretch.ts';
import type { UsageSources } from '../sources/usage-sources.ts';
import { suppliedUsage } from '../supplied/supplied-roll-up.ts';
import type { RolledUpUsage } from './usage-operations.ts';

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
