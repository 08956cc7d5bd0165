import { atOnce, oneStep, type Steps } from '../../../runtime/index.ts';
import { escapeAttribute, escapeText } from '../../../values/documents/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import { type CatalogVersion, contentSteps } from '../../lookup/catalog-version.ts';
import type { Plan, RuleCase } from '../../model/catalog-model.ts';
import { pricesOfPhase } from '../../model/plan.ts';
import { version as versionType } from '../fields/catalog-records.ts';
import {
  NAMESPACE,
  type NamedField,
  PREFIX,
  type RecordType,
  type RuleCaseType,
  type ValueType,
} from '../fields/field.ts';

const XSI_DECLARATION = { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance' };
const OWN_DECLARATION = { [`xmlns:${PREFIX.slice(0, -1)}`]: NAMESPACE };

interface WritingOptions {
  /** If false, omits the elements that the format of Kill Bill does not have. */
  readonly withFeatures?: boolean;
}

/**
 * Returns the catalog as an XML envelope, in the order of the grammar and with default values (§3.4). Parsing the
 * result gives equal versions.
 */
export function writeCatalogXml(
  catalog: Catalog,
  versions: readonly CatalogVersion[] = catalog.versions,
): string {
  return atOnce(catalogXmlTextSteps(catalog, versions));
}

export function* catalogXmlTextSteps(
  catalog: Catalog,
  versions: readonly CatalogVersion[],
  { withFeatures = true }: WritingOptions = {},
): Steps<string> {
  const xml = new XmlText();
  const writer = new RecordWriter(xml, withFeatures);
  const attributes = yield* rootAttributes(versions, withFeatures);
  yield* xml.elementSteps('catalogs', attributes, function* () {
    yield* xml.listSteps('versions', versions, (version) =>
      xml.elementSteps('version', {}, () => versionSteps(xml, writer, version)),
    );
    if (catalog.name !== null) xml.leaf('catalogName', catalog.name);
  });
  return xml.text;
}

/**
 * Returns the `catalog` document of one version in canonical form. Versions are stored, compared and hashed in this
 * form.
 */
export function canonicalXml(version: CatalogVersion): string {
  return atOnce(canonicalXmlSteps(version));
}

export function* canonicalXmlSteps(version: CatalogVersion): Steps<string> {
  const xml = new XmlText();
  const attributes = yield* rootAttributes([version], true);
  yield* xml.elementSteps('catalog', attributes, () => versionSteps(xml, new RecordWriter(xml), version));
  return xml.text;
}

function* versionSteps(xml: XmlText, writer: RecordWriter, version: CatalogVersion): Steps<void> {
  // The plans already contain the version's billing mode.
  const content = { ...(yield* contentSteps(version)), recurringBillingMode: null };
  for (const field of versionType.fields) {
    if (!writer.isWritten(content, field)) continue;
    if (field.place !== 'list') writer.field(field, valueIn(content, field));
    else
      yield* xml.listSteps(field.element, listIn(content, field), (item) =>
        oneStep(() => writer.item(field, item)),
      );
  }
}

/** Declares the `xsi` namespace if a price is null, and the namespace of features if features are written. */
function* rootAttributes(versions: readonly CatalogVersion[], withFeatures: boolean): Steps<Attributes> {
  let isXsi = false;
  let isOwn = false;
  for (const version of versions) {
    const { features, productParts, planParts } = version;
    isOwn ||= features.length > 0;
    for (const product of yield* productParts.valueSteps()) isOwn ||= product.features !== undefined;
    for (const plan of yield* planParts.valueSteps()) {
      isXsi ||= hasNull(plan);
      isOwn ||= [plan, ...plan.phases].some((owner) => owner.features !== undefined);
      yield;
    }
  }
  return { ...(isXsi ? XSI_DECLARATION : {}), ...(isOwn && withFeatures ? OWN_DECLARATION : {}) };
}

function hasNull(plan: Plan): boolean {
  return plan.phases.some((phase) =>
    pricesOfPhase(phase).some((price) => price.prices.some((entry) => entry.amount === null)),
  );
}

/** Writes model values according to the field tables. */
class RecordWriter {
  readonly #xml: XmlText;
  readonly #withFeatures: boolean;

  constructor(xml: XmlText, withFeatures = true) {
    this.#xml = xml;
    this.#withFeatures = withFeatures;
  }

  /** Returns false for a missing list, and for an element that documents omit. */
  isWritten(record: unknown, field: NamedField): boolean {
    if (valueIn(record, field) === undefined) return false;
    return this.#withFeatures || !field.element.startsWith(PREFIX);
  }

  field(field: NamedField, value: unknown): void {
    if (field.place === 'list')
      this.#xml.list(field.element, value as List, (item) => this.item(field, item));
    else if (field.place === 'repeated') for (const item of value as List) this.item(field, item);
    else if (value !== null) this.item(field, value);
    else if (field.isNillable) this.#xml.empty(field.element, { 'xsi:nil': 'true' });
  }

  item({ item, element, type }: NamedField, value: unknown): void {
    this.#element(item ?? element, type, value);
  }

  #element(name: string, type: ValueType, value: unknown): void {
    if (type.kind === 'scalar') this.#xml.leaf(name, type.write(value));
    else if (type.kind === 'record') this.#record(name, type, value);
    else this.#xml.element(name, {}, () => this.#case(type, value as RuleCase<object, string>));
  }

  #record(name: string, type: RecordType, value: unknown): void {
    const children = type.children.filter((field) => this.isWritten(value, field));
    const attributes: Record<string, string> = {};
    for (const [constant, scalar] of type.constants) attributes[constant] = scalar.write('');
    for (const field of type.attributes) {
      const written = valueIn(value, field);
      if (field.type.kind === 'scalar' && written !== null)
        attributes[field.element] = field.type.write(written);
    }
    const isEmpty = children.every(
      (field) => field.place === 'repeated' && listIn(value, field).length === 0,
    );
    if (isEmpty) this.#xml.empty(name, attributes);
    else
      this.#xml.element(name, attributes, () => {
        for (const field of children) this.field(field, valueIn(value, field));
      });
  }

  #case({ resultName }: RuleCaseType, { conditions, result }: RuleCase<object, string>): void {
    for (const [condition, value] of Object.entries(conditions)) {
      if (typeof value === 'string') this.#xml.leaf(condition, value);
    }
    this.#xml.leaf(resultName, result);
  }
}

type List = readonly unknown[];

function valueIn(record: unknown, { name }: NamedField): unknown {
  return (record as Readonly<Record<string, unknown>>)[name];
}

function listIn(record: unknown, field: NamedField): List {
  return valueIn(record, field) as List;
}

const LINES_AT_ONCE = 1_000;

/** Builds a document with escaped text, indented by two spaces. */
class XmlText {
  /** Lines that have already been joined into longer strings. Reading one growing string would be slow. */
  readonly #joined: string[] = [];
  #lines: string[] = ['<?xml version="1.0" encoding="UTF-8"?>\n'];
  #depth = 0;

  get text(): string {
    return this.#joined.join('') + this.#lines.join('');
  }

  leaf(name: string, value: string): void {
    this.#line(`<${name}>${escapeText(value)}</${name}>`);
  }

  empty(name: string, attributes: Attributes = {}): void {
    this.#line(`<${name}${attributesOf(attributes)}/>`);
  }

  element(name: string, attributes: Attributes, writeChildren: () => void): void {
    this.#open(name, attributes);
    writeChildren();
    this.#close(name);
  }

  *elementSteps(name: string, attributes: Attributes, writeChildren: () => Steps<void>): Steps<void> {
    this.#open(name, attributes);
    yield* writeChildren();
    this.#close(name);
  }

  list<T>(name: string, items: readonly T[], writeItem: (item: T) => void): void {
    if (items.length === 0) this.empty(name);
    else this.element(name, {}, () => items.forEach(writeItem));
  }

  *listSteps<T>(name: string, items: readonly T[], writeItem: (item: T) => Steps<void>): Steps<void> {
    if (items.length === 0) this.empty(name);
    else
      yield* this.elementSteps(name, {}, function* () {
        for (const item of items) yield* writeItem(item);
      });
  }

  #open(name: string, attributes: Attributes): void {
    this.#line(`<${name}${attributesOf(attributes)}>`);
    this.#depth += 1;
  }

  #close(name: string): void {
    this.#depth -= 1;
    this.#line(`</${name}>`);
  }

  #line(markup: string): void {
    this.#lines.push(`${'  '.repeat(this.#depth)}${markup}\n`);
    if (this.#lines.length < LINES_AT_ONCE) return;
    this.#joined.push(this.#lines.join(''));
    this.#lines = [];
  }
}

type Attributes = Readonly<Record<string, string>>;

function attributesOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeAttribute(value)}"`)
    .join('');
}
