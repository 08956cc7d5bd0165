import { SystemTag, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, product } from './catalogs/catalog-document.ts';
import type { OpenDatabase } from './databases.ts';
import { openEngine, type TestEngine } from './engine.ts';

export interface Subscribed {
  readonly engine: TestEngine;
  readonly accountId: Uuid;
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
}

/** The catalog in which these plans, by name, are all there is; their products are S and T. */
export function shelfOf(plans: Readonly<Record<string, string>>): string {
  return catalogXml({
    effectiveDate: '2012-01-01T00:00:00Z',
    catalogName: 'Shelf',
    products: `${product('S')}${product('T')}`,
    plans: Object.values(plans).join(''),
    priceLists: lists({ DEFAULT: Object.keys(plans) }),
  });
}

/** Subscribes a new account, whose invoices stay unpaid, and settles. */
export async function subscribed(
  open: OpenDatabase,
  options: {
    readonly now: string;
    readonly catalog: string;
    readonly billCycleDayLocal: number;
    readonly planName: string;
    readonly quantity?: number;
    readonly tags?: readonly Uuid[];
    readonly host?: Omit<Parameters<typeof openEngine>[1], 'now' | 'catalog'>;
  },
): Promise<Subscribed> {
  const { now, catalog, billCycleDayLocal, planName, quantity = 1, tags = [], host } = options;
  const engine = await openEngine(open, { now, catalog, ...host });
  const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal });
  await engine.acme.tags.add({ type: 'ACCOUNT', id: accountId }, [SystemTag.AUTO_PAY_OFF, ...tags]);
  const made = await engine.acme.createSubscription({ accountId, planName, quantity });
  await engine.settle();
  return { engine, accountId, ...made };
}
