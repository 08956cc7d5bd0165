import { atOnce, oneStep, type Steps } from '../../../runtime/index.ts';
import { formatInstant, type Instant } from '../../../values/time/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type {
  Block,
  InternationalPrice,
  Limit,
  Plan,
  PlanPhase,
  PriceList,
  Product,
  Tier,
  TieredBlock,
  Unit,
  Usage,
} from '../../model/catalog-model.ts';
import { pricesOfPhase } from '../../model/prices-of.ts';
import { writeRules } from './write-rules.ts';
import { XmlText } from './xml-text.ts';

const XSI_DECLARATION = { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance' };

/**
 * The envelope that retrieval returns (§3.4): `versions` (all of the catalog, or the given ones), then the
 * catalog's name. Order as in the grammar, defaults written out; reading it gives equal versions.
 */
export function writeCatalogXml(
  catalog: Catalog,
  versions: readonly CatalogVersion[] = catalog.versions,
): string {
  return atOnce(catalogXmlTextSteps(catalog, versions));
}

/** As `writeCatalogXml`, step by step. */
export function* catalogXmlTextSteps(catalog: Catalog, versions: readonly CatalogVersion[]): Steps<string> {
  const xml = new XmlText();
  const attributes = (yield* haveNull(versions)) ? XSI_DECLARATION : {};
  yield* xml.elementSteps('catalogs', attributes, function* () {
    yield* xml.listSteps('versions', versions, (version) =>
      xml.elementSteps('version', {}, () => versionSteps(xml, version)),
    );
    if (catalog.name !== null) xml.leaf('catalogName', catalog.name);
  });
  return xml.text;
}

/** The document of one version alone, root `catalog`: the form in which versions are stored, compared and hashed. */
export function canonicalXml(version: CatalogVersion): string {
  return atOnce(canonicalXmlSteps(version));
}

/** As `canonicalXml`, step by step. */
export function* canonicalXmlSteps(version: CatalogVersion): Steps<string> {
  const xml = new XmlText();
  const attributes = (yield* haveNull([version])) ? XSI_DECLARATION : {};
  yield* xml.elementSteps('catalog', attributes, () => versionSteps(xml, version));
  return xml.text;
}

function* versionSteps(xml: XmlText, version: CatalogVersion): Steps<void> {
  const plans = yield* version.planParts.valueSteps();
  const products = yield* version.productParts.valueSteps();
  xml.leaf('effectiveDate', dateTime(version.effectiveDate));
  xml.leaf('catalogName', version.catalogName);
  xml.list('currencies', version.currencies, (currency) => xml.leaf('currency', currency));
  xml.list('units', version.units, (unit) => xml.empty('unit', names(unit)));
  yield* xml.listSteps('products', products, (product) => oneStep(() => writeProduct(xml, product)));
  xml.element('rules', {}, () => writeRules(xml, version.rules));
  yield* xml.listSteps('plans', plans, (plan) => oneStep(() => writePlan(xml, plan)));
  xml.element('priceLists', {}, () => {
    writePriceList(xml, 'defaultPriceList', version.priceLists.defaultPriceList);
    for (const list of version.priceLists.childPriceLists) writePriceList(xml, 'childPriceList', list);
  });
}

function writeProduct(xml: XmlText, product: Product): void {
  xml.element('product', names(product), () => {
    xml.leaf('category', product.category);
    xml.list('included', product.included, (addOn) => xml.leaf('addonProduct', addOn));
    xml.list('available', product.available, (addOn) => xml.leaf('addonProduct', addOn));
    writeLimits(xml, product.limits);
  });
}

function writePlan(xml: XmlText, plan: Plan): void {
  xml.element('plan', names(plan), () => {
    const forExisting = plan.effectiveDateForExistingSubscriptions;
    if (forExisting !== null) xml.leaf('effectiveDateForExistingSubscriptions', dateTime(forExisting));
    xml.leaf('product', plan.product);
    if (plan.recurringBillingMode !== null) xml.leaf('recurringBillingMode', plan.recurringBillingMode);
    xml.list('initialPhases', plan.initialPhases, (phase) => writePhase(xml, 'phase', phase));
    writePhase(xml, 'finalPhase', plan.finalPhase);
    xml.leaf('plansAllowedInBundle', String(plan.plansAllowedInBundle));
  });
}

function writePhase(xml: XmlText, element: string, phase: PlanPhase): void {
  const { duration, fixed, recurring } = phase;
  xml.element(element, { type: phase.type, prettyName: phase.prettyName }, () => {
    xml.element('duration', {}, () => {
      xml.leaf('unit', duration.unit);
      xml.leaf('number', String(duration.number));
    });
    if (fixed !== null) {
      xml.element('fixed', { type: fixed.type }, () => writePrice(xml, 'fixedPrice', fixed.price));
    }
    if (recurring !== null) {
      xml.element('recurring', {}, () => {
        xml.leaf('billingPeriod', recurring.billingPeriod);
        writePrice(xml, 'recurringPrice', recurring.price);
      });
    }
    xml.list('usages', phase.usages, (usage) => writeUsage(xml, usage));
  });
}

function writePrice(xml: XmlText, name: string, price: InternationalPrice | null): void {
  if (price === null) return;
  xml.list(name, price.prices, ({ currency, amount }) => {
    xml.element('price', {}, () => {
      xml.leaf('currency', currency);
      if (amount === null) xml.empty('value', { 'xsi:nil': 'true' });
      else xml.leaf('value', amount.text);
    });
  });
}

function writeUsage(xml: XmlText, usage: Usage): void {
  const attributes = {
    ...names(usage),
    billingMode: usage.billingMode,
    usageType: usage.usageType,
    tierBlockPolicy: usage.tierBlockPolicy,
  };
  xml.element('usage', attributes, () => {
    xml.leaf('billingPeriod', usage.billingPeriod);
    writeLimits(xml, usage.limits);
    xml.list('blocks', usage.blocks, (block) => writeBlock(xml, block));
    xml.list('tiers', usage.tiers, (tier) => writeTier(xml, tier));
    writePrice(xml, 'fixedPrice', usage.fixedPrice);
    writePrice(xml, 'recurringPrice', usage.recurringPrice);
  });
}

function writeTier(xml: XmlText, tier: Tier): void {
  xml.element('tier', {}, () => {
    writeLimits(xml, tier.limits);
    xml.list('blocks', tier.blocks, (block) => writeTieredBlock(xml, block));
    writePrice(xml, 'fixedPrice', tier.fixedPrice);
    writePrice(xml, 'recurringPrice', tier.recurringPrice);
  });
}

function writeBlock(xml: XmlText, block: Block): void {
  xml.element('block', { type: block.type }, () => {
    xml.leaf('unit', block.unit);
    xml.leaf('size', block.size.text);
    writePrice(xml, 'prices', block.prices);
    if (block.minTopUpCredit !== null) xml.leaf('minTopUpCredit', block.minTopUpCredit.text);
  });
}

function writeTieredBlock(xml: XmlText, block: TieredBlock): void {
  xml.element('tieredBlock', { type: 'TIERED' }, () => {
    xml.leaf('unit', block.unit);
    xml.leaf('size', block.size.text);
    writePrice(xml, 'prices', block.prices);
    xml.leaf('max', block.max.text);
  });
}

function writeLimits(xml: XmlText, limits: readonly Limit[]): void {
  xml.list('limits', limits, (limit) => {
    xml.element('limit', {}, () => {
      xml.leaf('unit', limit.unit);
      xml.leaf('max', limit.max.text);
      xml.leaf('min', limit.min.text);
    });
  });
}

function writePriceList(xml: XmlText, element: string, list: PriceList): void {
  xml.element(element, names(list), () => xml.list('plans', list.plans, (plan) => xml.leaf('plan', plan)));
}

function names({ name, prettyName }: Unit): { readonly name: string; readonly prettyName: string } {
  return { name, prettyName };
}

/** In UTC, the milliseconds only when they are not zero. */
function dateTime(at: Instant): string {
  return formatInstant(at).replace('.000Z', 'Z');
}

/** Whether a price is null, which takes an attribute of the namespace `xsi`. */
function* haveNull(versions: readonly CatalogVersion[]): Steps<boolean> {
  for (const version of versions) {
    for (const plan of yield* version.planParts.valueSteps()) {
      if (hasNull(plan)) return true;
      yield;
    }
  }
  return false;
}

function hasNull(plan: Plan): boolean {
  return plan.phases.some((phase) =>
    pricesOfPhase(phase).some((price) => price.prices.some((entry) => entry.amount === null)),
  );
}
