import { readFile } from 'node:fs/promises';
import type { TenantBilling, TenantRef, Uuid } from '../../lib/index.ts';
import { specCatalog, type TestEngine } from '../support/engine.ts';
import { openShop } from '../support/shop.ts';
import type { Random } from './random.ts';

export interface Shop {
  readonly tenant: TenantRef;
  readonly acme: TenantBilling;
  readonly customers: Customer[];
}

export interface Customer {
  readonly shop: Shop;
  readonly id: Uuid;
  readonly subscriptions: Held[];
}

export interface Held {
  readonly id: Uuid;
  readonly bundleId: Uuid;
  readonly planName: string;
}

export interface Visit {
  readonly acme: TenantBilling;
  readonly subscriptionId: Uuid;
}

export class Town {
  readonly engine: TestEngine;
  readonly random: Random;
  readonly shops: readonly Shop[];
  /** Changed or canceled subscriptions, the latest last, for undo operations. */
  readonly changed: Visit[] = [];
  readonly cancelled: Visit[] = [];
  /** Number of accepted and rejected calls by operation. */
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();

  private constructor(engine: TestEngine, random: Random, shops: readonly Shop[]) {
    this.engine = engine;
    this.random = random;
    this.shops = shops;
  }

  static async found(engine: TestEngine, random: Random, accounts: number): Promise<Town> {
    const own: Shop = { tenant: engine.tenant, acme: engine.acme, customers: [] };
    const other: Shop = { ...(await openShop(engine.billing, specCatalog)), customers: [] };
    const town = new Town(engine, random, [own, other]);
    for (let count = 0; count < accounts; count += 1) await town.#settle(random.percent(70) ? own : other);
    return town;
  }

  get customers(): readonly Customer[] {
    return this.shops.flatMap(({ customers }) => customers);
  }

  async #settle(shop: Shop): Promise<void> {
    const { random, engine } = this;
    const { id } = await shop.acme.createAccount({ currency: 'USD', timeZone: random.of(ZONES) });
    if (random.percent(85))
      await shop.acme.addPaymentMethod({ accountId: id, pluginName: engine.gateway.name, isDefault: true });
    shop.customers.push({ shop, id, subscriptions: [] });
  }
}

const ZONES = ['UTC', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Auckland', 'Europe/Berlin'];

/** The example catalog with other prices, from `existing` on for all subscriptions. */
export async function repriced(effective: string, percent: number, existing: string | null): Promise<string> {
  const xml = await readFile(specCatalog, 'utf8');
  const moved =
    existing === null
      ? ''
      : `<effectiveDateForExistingSubscriptions>${existing}</effectiveDateForExistingSubscriptions>`;
  return xml
    .replace('2010-01-01T00:00:00Z', effective)
    .replaceAll(/<value>([\d.]+)<\/value>/g, (_, value: string) => `<value>${scaled(value, percent)}</value>`)
    .replaceAll('</finalPhase>', `</finalPhase>${moved}`);
}

function scaled(value: string, percent: number): string {
  return (Math.round(Number(value) * percent) / 100).toFixed(2);
}
