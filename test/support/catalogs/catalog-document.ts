import { expect } from 'chai';
import type { CatalogVersion, ParsedVersion } from '../../../lib/catalog/index.ts';
import { createVersion, readCatalogXml, validateVersion } from '../../../lib/catalog/index.ts';
import type { ErrorCode } from '../../../lib/values/errors/index.ts';
import { type Instant, parseWireInstant } from '../../../lib/values/time/index.ts';
import { errorOf } from '../assertions.ts';

// Builds catalog XML for tests; omitted parts get the smallest valid content.

export interface DocumentParts {
  readonly effectiveDate?: string;
  readonly catalogName?: string;
  readonly recurringBillingMode?: string;
  readonly currencies?: readonly string[];
  readonly units?: readonly string[];
  readonly products?: string;
  readonly rules?: string;
  readonly plans?: string;
  readonly priceLists?: string;
}

export const DEFAULT_RULES = `
  <changePolicy><changePolicyCase><policy>IMMEDIATE</policy></changePolicyCase></changePolicy>
  <cancelPolicy><cancelPolicyCase><policy>IMMEDIATE</policy></cancelPolicyCase></cancelPolicy>`;

export function versionXml(parts: DocumentParts = {}): string {
  const {
    effectiveDate = '2024-01-01T00:00:00Z',
    catalogName = 'Test',
    recurringBillingMode = 'IN_ADVANCE',
    currencies = ['USD'],
    units = [],
    products = product('P'),
    rules = DEFAULT_RULES,
    plans = plan('p-m', 'P'),
    priceLists = lists({ DEFAULT: ['p-m'] }),
  } = parts;
  const mode = recurringBillingMode && `<recurringBillingMode>${recurringBillingMode}</recurringBillingMode>`;
  return `
    <effectiveDate>${effectiveDate}</effectiveDate>
    <catalogName>${catalogName}</catalogName>
    ${mode}
    <currencies>${elements('currency', currencies)}</currencies>
    <units>${units.map((name) => `<unit name="${name}"/>`).join('')}</units>
    <products>${products}</products>
    <rules>${rules}</rules>
    <plans>${plans}</plans>
    <priceLists>${priceLists}</priceLists>`;
}

export function catalogXml(parts: DocumentParts = {}): string {
  return `<catalog>${versionXml(parts)}</catalog>`;
}

export function envelopeXml(...versions: readonly DocumentParts[]): string {
  const all = versions.map((parts) => `<version>${versionXml(parts)}</version>`).join('');
  return `<catalogs><versions>${all}</versions><catalogName>ignored</catalogName></catalogs>`;
}

export interface ProductParts {
  readonly category?: string;
  readonly included?: readonly string[];
  readonly available?: readonly string[];
  readonly limits?: string;
}

export function product(name: string, parts: ProductParts = {}): string {
  const { category = 'BASE', included = [], available = [], limits = '' } = parts;
  return `<product name="${name}"><category>${category}</category>
    <included>${elements('addonProduct', included)}</included>
    <available>${elements('addonProduct', available)}</available>${limits}</product>`;
}

export interface PlanParts {
  readonly period?: string;
  readonly price?: string;
  readonly initialPhases?: string;
  readonly finalPhase?: string;
  readonly more?: string;
}

export function plan(name: string, productName: string, parts: PlanParts = {}): string {
  const { period = 'MONTHLY', price = '10.00', initialPhases = '', more = '' } = parts;
  const { finalPhase = phase('EVERGREEN', { period, price }) } = parts;
  return `<plan name="${name}"><product>${productName}</product>
    <initialPhases>${initialPhases}</initialPhases>${finalPhase.replaceAll(/<(\/?)phase\b/g, '<$1finalPhase')}${more}</plan>`;
}

export interface PhaseParts {
  readonly unit?: string;
  readonly number?: number | null;
  readonly period?: string;
  /** Amount in USD, or the XML of the `price` elements. */
  readonly price?: string | null;
  readonly fixed?: string;
  readonly usages?: string;
}

export function phase(type: string, parts: PhaseParts = {}): string {
  const isEvergreen = type === 'EVERGREEN';
  const { unit = isEvergreen ? 'UNLIMITED' : 'DAYS', number = isEvergreen ? null : 30 } = parts;
  const { period = 'MONTHLY', price = null, fixed, usages = '' } = parts;
  const recurringPrice = price === null ? '' : `<recurringPrice>${prices(price)}</recurringPrice>`;
  const hasRecurring = price !== null || parts.period !== undefined;
  return `<phase type="${type}">
    <duration><unit>${unit}</unit>${number === null ? '' : `<number>${number}</number>`}</duration>
    ${fixed === undefined ? '' : `<fixed><fixedPrice>${prices(fixed)}</fixedPrice></fixed>`}
    ${hasRecurring ? `<recurring><billingPeriod>${period}</billingPeriod>${recurringPrice}</recurring>` : ''}
    <usages>${usages}</usages></phase>`;
}

export const TRIAL = phase('TRIAL', { fixed: '' });

export function prices(amount: string): string {
  return amount === '' || amount.startsWith('<') ? amount : price('USD', amount);
}

export function price(currency: string, amount: string | null): string {
  const value = amount === null ? '<value xsi:nil="true"/>' : `<value>${amount}</value>`;
  return `<price><currency>${currency}</currency>${value}</price>`;
}

/** Price lists by name, `DEFAULT` first. */
export function lists(plansByList: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(plansByList)
    .map(([name, plans]) => {
      const element = name === 'DEFAULT' ? 'defaultPriceList' : 'childPriceList';
      return `<${element} name="${name}"><plans>${elements('plan', plans)}</plans></${element}>`;
    })
    .join('');
}

export function elements(name: string, texts: readonly string[]): string {
  return texts.map((text) => `<${name}>${text}</${name}>`).join('');
}

export function parse(xml: string): ParsedVersion {
  const [parsed, ...others] = readCatalogXml(xml).versions;
  if (parsed === undefined || others.length > 0) throw new Error('the document has not one version');
  return parsed;
}

/** Returns the version of a valid document. */
export function version(parts: DocumentParts = {}): CatalogVersion {
  const parsed = parse(catalogXml(parts));
  expect(validateVersion(parsed).errors, 'errors of the test document').to.eql([]);
  return createVersion(parsed.content);
}

export function at(text: string): Instant {
  const instant = parseWireInstant(text);
  if (instant === undefined) throw new Error(`${text} is not an instant`);
  return instant;
}

export function expectCode(code: ErrorCode, call: () => unknown): void {
  expect(errorOf(call).code).to.equal(code);
}
