import {
  Catalog,
  createVersion,
  formatInstant,
  type Instant,
  instant,
  priceOf,
  readCatalogXml,
} from '../../lib/index.ts';
import { answerParent } from './child.ts';
import { expectSame } from './goal.ts';

/** A catalog of so many plans, whose versions are a day apart and differ in the price of one plan. */
export interface CatalogInput {
  readonly plans: number;
  readonly versions: number;
  readonly lookUps: number;
}

export interface CatalogOutput {
  readonly loadMs: number;
  readonly mib: number;
  readonly newUs: number;
  readonly recentUs: number;
  readonly oldUs: number;
}

const firstDay = instant(Date.parse('2020-01-01T00:00:00Z'));
const dayMs = 86_400_000;
const basePrice = 10;

async function measure({ plans, versions, lookUps }: CatalogInput): Promise<CatalogOutput> {
  const documents = Array.from({ length: versions }, (_, version) => documentOf(version, plans));
  const mib = documents.reduce((sum, text) => sum + text.length, 0) / 2 ** 20;
  const began = performance.now();
  const catalog = new Catalog(
    documents.flatMap((text) => readCatalogXml(text).versions.map(({ content }) => createVersion(content))),
  );
  const loadMs = performance.now() - began;
  check(catalog, plans);

  const nameOf = (index: number): string => names[index % plans] ?? '';
  const names = Array.from({ length: plans }, (_, index) => planName(index));
  // Built before the clock runs, and read in no order that a processor could foresee.
  const days = Array.from({ length: versions }, (_, index) => dateOf((index * 7_919) % versions));
  const dayOf = (index: number): Instant => days[index % versions] ?? firstDay;
  const timed = (lookUp: (index: number) => unknown): number => {
    let found = 0;
    for (let index = 0; index < lookUps / 10; index += 1) lookUp(index);
    const start = performance.now();
    for (let index = 0; index < lookUps; index += 1) if (lookUp(index) !== undefined) found += 1;
    const us = ((performance.now() - start) / lookUps) * 1_000;
    expectSame('Plans found', found, lookUps);
    return us;
  };
  return {
    loadMs,
    mib,
    newUs: timed((index) => catalog.resolveVersion(dayOf(index)).findPlan(nameOf(index))),
    recentUs: timed((index) => catalog.resolvePlan(nameOf(index), dayOf(index), dayOf(index)).plan),
    oldUs: timed((index) => catalog.resolvePlan(nameOf(index), dayOf(index), firstDay).plan),
  };
}

/** An existing subscription keeps the price of its start; a new one gets that of its day (catalog.md §6.2). */
function check(catalog: Catalog, plans: number): void {
  const last = catalog.versions.length - 1;
  const at = dateOf(last);
  const name = planName(last % plans);
  const { version } = catalog.resolvePlan(name, at, firstDay);
  expectSame('The version of an old subscription', version.effectiveDate, firstDay);
  const price = catalog.resolveVersion(at).findPlan(name).finalPhase.recurring?.price;
  const amount = price && priceOf(price, 'USD').toFixed(2);
  expectSame('The price of the last day', amount, (basePrice + last).toFixed(2));
}

function dateOf(version: number): Instant {
  return instant(firstDay + version * dayMs);
}

function planName(index: number): string {
  return `plan-${String(index).padStart(3, '0')}-monthly`;
}

function documentOf(version: number, plans: number): string {
  const indexes = Array.from({ length: plans }, (_, index) => index);
  const product = (index: number): string => `Product${String(index).padStart(3, '0')}`;
  const price = (index: number): string =>
    (index === version % plans ? basePrice + version : basePrice).toFixed(2);
  return `<?xml version="1.0" encoding="UTF-8"?>
<catalog>
  <effectiveDate>${formatInstant(dateOf(version))}</effectiveDate>
  <catalogName>Long</catalogName>
  <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
  <currencies><currency>USD</currency><currency>EUR</currency></currencies>
  <products>${indexes.map((index) => `<product name="${product(index)}"><category>BASE</category></product>`).join('')}</products>
  <rules/>
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

answerParent(measure);
