import type { Uuid } from '../../../lib/index.ts';
import type { TestEngine } from '../engine.ts';
import { AccountModel } from './account-model.ts';
import { QuotaModel } from './quota-model.ts';
import type { Ms } from './zones.ts';

interface SubscriptionIds {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
}

interface LifeStart {
  readonly accountId: Uuid;
  readonly zone: string;
  /** 0 = no bill cycle day. */
  readonly billCycleDay: number;
  readonly now: Ms;
}

/** An account of the engine, and what the model knows about it. */
export class LifeState {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly account: AccountModel;
  readonly quotas: QuotaModel;
  readonly zone: string;
  readonly created: Ms;
  readonly subscriptions: SubscriptionIds[] = [];
  readonly overrideIds: Uuid[] = [];
  /** Places of subscriptions and overrides by id. */
  readonly places = new Map<string, number>();
  /** The last value of each feature in FEATURE_CHANGE. */
  readonly published = new Map<string, string>();
  /** Position in the event feed. */
  lastEvent = 'latest';
  now: Ms;
  /** Number of checks, which rotate through amounts and features. */
  checks = 0;

  constructor(engine: TestEngine, { accountId, zone, billCycleDay, now }: LifeStart) {
    this.engine = engine;
    this.accountId = accountId;
    this.account = new AccountModel(zone, { billCycleDay, created: now });
    this.quotas = new QuotaModel(this.account);
    this.zone = zone;
    this.created = now;
    this.now = now;
  }

  idsOf(place: number): SubscriptionIds {
    const ids = this.subscriptions[place];
    if (ids === undefined) throw new Error(`No subscription at place ${place}`);
    return ids;
  }

  /** Runs all due work, and copies the overdue states of the account to the model. */
  async settle(): Promise<void> {
    await this.engine.settle();
    const services = ['overdue-service'];
    const states = await this.engine.acme.blocking.ofAccount(this.accountId, { services });
    const overdue = states.map(({ effective, isBlockEntitlement, isBlockBilling }) => ({
      level: 'ACCOUNT' as const,
      of: 0,
      service: 'overdue-service',
      at: effective.at.getTime(),
      stopsService: isBlockEntitlement,
      stopsBilling: isBlockBilling,
    }));
    const others = this.account.blocks.filter(({ service }) => service !== 'overdue-service');
    this.account.blocks = [...others, ...overdue];
  }
}
