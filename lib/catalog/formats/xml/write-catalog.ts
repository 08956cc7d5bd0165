import { atOnce, oneStep, type Steps } from '../../../runtime/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, contentSteps } from '../../lookup/catalog-version.ts';
import type { Plan } from '../../model/catalog-model.ts';
import { pricesOfPhase } from '../../model/prices-of.ts';
import { version as versionType } from '../fields/records.ts';
import { listIn, RecordWriter, valueIn } from './record-writer.ts';
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
  // The plans already have the mode of the version.
  const content = { ...(yield* contentSteps(version)), recurringBillingMode: null };
  const writer = new RecordWriter(xml);
  for (const field of versionType.fields) {
    const value = valueIn(content, field);
    if (field.place !== 'list') writer.field(field, value);
    else
      yield* xml.listSteps(field.element, listIn(content, field), (item) =>
        oneStep(() => writer.item(field, item)),
      );
  }
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
