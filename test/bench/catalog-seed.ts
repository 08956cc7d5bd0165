import { Billing } from '../../adapters/node/billwright.ts';
import { uuidGenerator } from '../../adapters/node/index.ts';
import { partsOf } from '../../lib/catalog/cache/stored-parts.ts';
import {
  createVersion,
  decimal,
  formatInstant,
  type Instant,
  instant,
  type PlanContent,
  readCatalogXml,
  type Uuid,
} from '../../lib/index.ts';
import type { NewCatalogVersion } from '../../lib/records/catalog/catalog-version.ts';
import { authorshipOf } from '../../lib/runtime/activity.ts';
import { inOneTurn } from '../../lib/runtime/wait/turns.ts';
import type { BenchDatabase } from './bench-database.ts';
import { storageAt } from './databases.ts';

/** A catalog with this many plans, whose versions are one day apart. */
export interface CatalogShape {
  readonly plans: number;
  readonly versions: number;
  /** Which prices change from one version to the next: one plan in turn, or every plan. */
  readonly changes: 'one plan' | 'every plan';
}

/** Number of versions per transaction while seeding. */
const batch = 20;
const basePrice = 10;
const dayMs = 86_400_000;
export const firstDay: Instant = instant(Date.parse('2020-01-01T00:00:00Z'));

export function dateOf(version: number): Instant {
  return instant(firstDay + version * dayMs);
}

export function planName(index: number): string {
  return `plan-${String(index).padStart(3, '0')}-monthly`;
}

/** Returns the price of a plan in a version. It differs after every change and only then. */
export function priceOfPlan({ plans, changes }: CatalogShape, version: number, plan: number): string {
  const changedIn = changes === 'every plan' ? version : version - ((version - plan + plans) % plans);
  return (basePrice + Math.max(0, changedIn)).toFixed(2);
}

/** Fills the catalog of a new tenant with the rows that this many uploads would store. Returns the tenant's id. */
export async function seedCatalog(database: BenchDatabase, shape: CatalogShape): Promise<Uuid> {
  const storage = storageAt(database);
  const billing = await Billing.open({ storage });
  const tenant = await billing.tenants.create({ userName: 'bench' }, { apiKey: 'bench', apiSecret: 'bench' });
  const context = await billing.context({ tenant: tenant.id, user: 'bench' });
  for (let first = 0; first < shape.versions; first += batch) {
    const rows = await rowsOf(shape, first, Math.min(first + batch, shape.versions));
    await storage.write(context.tenant, authorshipOf(context), async ({ catalogs }) => catalogs.insert(rows));
  }
  await billing.close();
  return tenant.id;
}

async function rowsOf(shape: CatalogShape, first: number, end: number): Promise<NewCatalogVersion[]> {
  const ids = uuidGenerator();
  const [template] = readCatalogXml(documentOf(shape, first)).versions;
  if (!template) throw new Error('There is no version to repeat');
  const rows: NewCatalogVersion[] = [];
  for (let index = first; index < end; index += 1) {
    const effectiveDate = dateOf(index);
    const plans = template.content.plans.map((plan, number) =>
      repriced(plan, priceOfPlan(shape, index, number)),
    );
    const version = createVersion({ ...template.content, effectiveDate, plans });
    const id = ids.next();
    rows.push({
      id,
      effectiveDate,
      uploadId: id,
      contentHash: id,
      createdDate: effectiveDate,
      sourceText: null,
      parts: await partsOf(version, inOneTurn),
    });
  }
  return rows;
}

function repriced(plan: PlanContent, text: string): PlanContent {
  const { recurring } = plan.finalPhase;
  const prices = recurring?.price?.prices ?? [];
  const price = { prices: prices.map((each) => ({ ...each, amount: { value: decimal(text), text } })) };
  return { ...plan, finalPhase: { ...plan.finalPhase, recurring: recurring && { ...recurring, price } } };
}

export function documentOf(shape: CatalogShape, version: number): string {
  const indexes = Array.from({ length: shape.plans }, (_, index) => index);
  const product = (index: number): string => `Product${String(index).padStart(3, '0')}`;
  const price = (index: number): string => priceOfPlan(shape, version, index);
  return `<?xml version="1.0" encoding="UTF-8"?>
<catalog>
  <effectiveDate>${formatInstant(dateOf(version))}</effectiveDate>
  <catalogName>Long</catalogName>
  <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
  <currencies><currency>USD</currency><currency>EUR</currency></currencies>
  <products>${indexes.map((index) => `<product name="${product(index)}"><category>BASE</category></product>`).join('')}</products>
  <rules>
    <changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
    <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>
  </rules>
  <plans>${indexes
    .map(
      (index) => `
    <plan name="${planName(index)}">
      <product>${product(index)}</product>
      <initialPhases>
        <phase type="TRIAL">
          <duration><unit>DAYS</unit><number>14</number></duration>
          <fixed type="ONE_TIME"><fixedPrice/></fixed>
        </phase>
      </initialPhases>
      <finalPhase type="EVERGREEN">
        <duration><unit>UNLIMITED</unit></duration>
        <recurring>
          <billingPeriod>MONTHLY</billingPeriod>
          <recurringPrice>
            <price><currency>USD</currency><value>${price(index)}</value></price>
            <price><currency>EUR</currency><value>${price(index)}</value></price>
          </recurringPrice>
        </recurring>
      </finalPhase>
    </plan>`,
    )
    .join('')}
  </plans>
  <priceLists>
    <defaultPriceList name="DEFAULT"><plans>${indexes.map((index) => `<plan>${planName(index)}</plan>`).join('')}</plans></defaultPriceList>
  </priceLists>
</catalog>`;
}
