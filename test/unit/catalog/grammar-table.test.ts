import { SaxesParser } from 'saxes';
import { readCatalogXml } from '../../../lib/catalog/index.ts';
import { BillingError, expect, valueOrError } from '../../support/unit.ts';

// The table of catalog §3.3: the children of each element and how often they may occur. Removing `1` is an error,
// doubling `1` or `?` is an error, and everything else is accepted.

const PRICE = 'price *';
const LIMITS = 'limit *';
const CHANGE_CONDITIONS =
  'phaseType ?, fromProduct ?, fromProductCategory ?, fromBillingPeriod ?, fromPriceList ?, toProduct ?, toProductCategory ?, toBillingPeriod ?, toPriceList ?';
const CREATE_CONDITIONS = 'product ?, productCategory ?, billingPeriod ?, priceList ?';
const PHASE = '@type 1, @prettyName ?, duration 1, fixed ?, recurring ?, usages ?, bw:featureValues ?';

/** Children by parent. If a name has several tables, the parent is `parent/child`. */
const grammar: Readonly<Record<string, string>> = {
  catalog:
    'effectiveDate 1, catalogName 1, recurringBillingMode ?, currencies 1, units ?, bw:features ?, products 1, rules 1, plans 1, priceLists 1',
  currencies: 'currency *',
  units: 'unit *',
  unit: '@name 1, @prettyName ?',
  'bw:features': 'bw:feature *',
  'bw:feature': '@name 1, @kind 1, @combine ?, @unit ?',
  'bw:featureValues': 'bw:featureValue *',
  'bw:featureValue': '@name 1, @value 1, @per ?, @overage ?, @perQuantity ?',
  products: 'product *',
  'products/product':
    '@name 1, @prettyName ?, category 1, included ?, available ?, limits ?, bw:featureValues ?',
  included: 'addonProduct *',
  available: 'addonProduct *',
  limits: LIMITS,
  limit: 'unit 1, max ?, min ?',
  'catalog/plans': 'plan *',
  'plans/plan':
    '@name 1, @prettyName ?, effectiveDateForExistingSubscriptions ?, product 1, recurringBillingMode ?, initialPhases ?, finalPhase 1, plansAllowedInBundle ?, bw:featureValues ?',
  initialPhases: 'phase *',
  phase: PHASE,
  finalPhase: PHASE,
  duration: 'unit 1, number ?',
  fixed: '@type ?, fixedPrice ?',
  recurring: 'billingPeriod 1, recurringPrice ?',
  fixedPrice: PRICE,
  recurringPrice: PRICE,
  prices: PRICE,
  price: 'currency 1, value 1',
  usages: 'usage *',
  usage:
    '@name 1, @prettyName ?, @billingMode 1, @usageType 1, @tierBlockPolicy ?, billingPeriod 1, limits ?, blocks ?, tiers ?, fixedPrice ?, recurringPrice ?',
  'usage/blocks': 'block *',
  block: '@type ?, unit 1, size 1, prices 1, minTopUpCredit ?',
  tiers: 'tier *',
  tier: 'limits ?, blocks ?, fixedPrice ?, recurringPrice ?',
  'tier/blocks': 'tieredBlock *',
  tieredBlock: '@type ?, unit 1, size 1, prices 1, minTopUpCredit ?, max 1',
  rules:
    'changePolicy ?, changeAlignment ?, cancelPolicy ?, createAlignment ?, billingAlignment ?, priceList ?',
  changePolicy: 'changePolicyCase *',
  changePolicyCase: `${CHANGE_CONDITIONS}, policy 1`,
  changeAlignment: 'changeAlignmentCase *',
  changeAlignmentCase: `${CHANGE_CONDITIONS}, alignment 1`,
  cancelPolicy: 'cancelPolicyCase *',
  cancelPolicyCase: `phaseType ?, ${CREATE_CONDITIONS}, policy 1`,
  createAlignment: 'createAlignmentCase *',
  createAlignmentCase: `${CREATE_CONDITIONS}, alignment 1`,
  billingAlignment: 'billingAlignmentCase *',
  billingAlignmentCase: `phaseType ?, ${CREATE_CONDITIONS}, alignment 1`,
  'rules/priceList': 'priceListCase *',
  priceListCase: 'fromProduct ?, fromProductCategory ?, fromBillingPeriod ?, fromPriceList ?, toPriceList 1',
  priceLists: 'defaultPriceList 1, childPriceList *',
  defaultPriceList: '@name 1, @prettyName ?, plans ?',
  childPriceList: '@name 1, @prettyName ?, plans ?',
  'defaultPriceList/plans': 'plan *',
  'childPriceList/plans': 'plan *',
};

const prices = '<price><currency>USD</currency><value>1</value></price>';
const limits = '<limits><limit><unit>u</unit><max>2</max><min>1</min></limit></limits>';
const featureValues =
  '<bw:featureValues><bw:featureValue name="f" value="1" per="DAY" overage="BLOCK" perQuantity="true"/></bw:featureValues>';
const phaseContent = `<duration><unit>DAYS</unit><number>30</number></duration>
  <fixed type="ONE_TIME"><fixedPrice>${prices}</fixedPrice></fixed>
  <recurring><billingPeriod>MONTHLY</billingPeriod><recurringPrice>${prices}</recurringPrice></recurring>
  <usages><usage name="usg" prettyName="a" billingMode="IN_ARREAR" usageType="CAPACITY" tierBlockPolicy="TOP_TIER">
    <billingPeriod>MONTHLY</billingPeriod>${limits}
    <blocks><block type="VANILLA"><unit>u</unit><size>1</size><prices>${prices}</prices><minTopUpCredit>1</minTopUpCredit></block></blocks>
    <tiers><tier>${limits}
      <blocks><tieredBlock type="TIERED"><unit>u</unit><size>1</size><prices>${prices}</prices><minTopUpCredit>-1</minTopUpCredit><max>1</max></tieredBlock></blocks>
      <fixedPrice>${prices}</fixedPrice><recurringPrice>${prices}</recurringPrice></tier></tiers>
    <fixedPrice>${prices}</fixedPrice><recurringPrice>${prices}</recurringPrice></usage></usages>${featureValues}`;
const from = `<fromProduct>P</fromProduct><fromProductCategory>BASE</fromProductCategory>
  <fromBillingPeriod>MONTHLY</fromBillingPeriod><fromPriceList>DEFAULT</fromPriceList>`;
const change = `<phaseType>TRIAL</phaseType>${from}${from.replaceAll('from', 'to')}`;
const creation = `<product>P</product><productCategory>BASE</productCategory><billingPeriod>MONTHLY</billingPeriod>
  <priceList>DEFAULT</priceList>`;
const subscription = `<phaseType>TRIAL</phaseType>${creation}`;
const rule = (name: string, conditions: string, result: string): string =>
  `<${name}><${name}Case>${conditions}${result}</${name}Case></${name}>`;
const alignment = '<alignment>START_OF_BUNDLE</alignment>';
const policy = '<policy>IMMEDIATE</policy>';

/** A document with every element and attribute of the table, in every allowed place. */
const whole = `<catalog>
  <effectiveDate>2024-01-01</effectiveDate><catalogName>Whole</catalogName>
  <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
  <currencies><currency>USD</currency></currencies><units><unit name="u" prettyName="a"/></units>
  <bw:features><bw:feature name="f" kind="QUOTA" combine="SUM" unit="u"/></bw:features>
  <products><product name="P" prettyName="a"><category>BASE</category>
    <included><addonProduct>A</addonProduct></included><available><addonProduct>B</addonProduct></available>${limits}${featureValues}</product></products>
  <rules>${rule('changePolicy', change, policy)}${rule('changeAlignment', change, alignment)}
    ${rule('cancelPolicy', subscription, policy)}${rule('createAlignment', creation, alignment)}
    ${rule('billingAlignment', subscription, '<alignment>ACCOUNT</alignment>')}
    ${rule('priceList', from, '<toPriceList>DEFAULT</toPriceList>')}</rules>
  <plans><plan name="p" prettyName="a">
    <effectiveDateForExistingSubscriptions>2024-01-01</effectiveDateForExistingSubscriptions><product>P</product>
    <recurringBillingMode>IN_ADVANCE</recurringBillingMode>
    <initialPhases><phase type="TRIAL" prettyName="a">${phaseContent}</phase></initialPhases>
    <finalPhase type="FIXEDTERM" prettyName="a">${phaseContent}</finalPhase>
    <plansAllowedInBundle>1</plansAllowedInBundle>${featureValues}</plan></plans>
  <priceLists><defaultPriceList name="DEFAULT" prettyName="a"><plans><plan>p</plan></plans></defaultPriceList>
    <childPriceList name="VIP" prettyName="a"><plans><plan>p</plan></plans></childPriceList></priceLists>
</catalog>`;

/** Reads a document after declaring the namespace of features on its root. */
function read(document: string) {
  return readCatalogXml(document.replace(/^<\w+/, '$& xmlns:bw="urn:billwright:catalog"'));
}

interface Element {
  readonly name: string;
  readonly parent: Element | null;
  readonly attributes: Map<string, string>;
  readonly children: Element[];
  text: string;
}

function treeOf(xml: string): Element {
  const parser = new SaxesParser();
  const document: Element = { name: '', parent: null, attributes: new Map(), children: [], text: '' };
  let open = document;
  parser.on('opentag', ({ name, attributes }) => {
    const element = {
      name,
      parent: open,
      attributes: new Map(Object.entries(attributes)),
      children: [],
      text: '',
    };
    open.children.push(element);
    open = element;
  });
  parser.on('text', (text) => {
    open.text += text.trim();
  });
  parser.on('closetag', () => {
    if (open.parent !== null) open = open.parent;
  });
  parser.write(xml).close();
  const [root] = document.children;
  if (root === undefined) throw new Error('no root element');
  return root;
}

function xmlOf({ name, attributes, children, text }: Element): string {
  const written = [...attributes].map(([key, value]) => ` ${key}="${value}"`).join('');
  return `<${name}${written}>${text}${children.map(xmlOf).join('')}</${name}>`;
}

function elementsBelow(element: Element): readonly Element[] {
  return [element, ...element.children.flatMap(elementsBelow)];
}

/** Returns the table row of an element, which text elements do not have. */
function rowOf({ name, parent }: Element): string | undefined {
  const own = `${parent?.name}/${name}`;
  if (own in grammar) return own;
  return name in grammar ? name : undefined;
}

interface Part {
  readonly name: string;
  readonly cardinality: string;
}

function partsOf(row: string): readonly Part[] {
  return (grammar[row] ?? '').split(', ').map((part) => {
    const [name = '', cardinality = ''] = part.split(' ');
    return { name, cardinality };
  });
}

/** Changes the first element of the row and reads the document. Returns `taken` or the error. */
function outcome(row: string, change: (element: Element) => void): string {
  const root = treeOf(whole);
  const element = elementsBelow(root).find((each) => rowOf(each) === row);
  if (element === undefined) throw new Error(`the document has no ${row}`);
  change(element);
  const taken = valueOrError(() => read(xmlOf(root)));
  return taken instanceof BillingError ? (taken.problems?.[0]?.message ?? taken.message) : 'taken';
}

function without(element: Element, name: string): void {
  if (name.startsWith('@')) element.attributes.delete(name.slice(1));
  else
    element.children.splice(
      0,
      element.children.length,
      ...element.children.filter((each) => each.name !== name),
    );
}

function doubled(element: Element, name: string): void {
  element.children.push(...element.children.filter((each) => each.name === name));
}

describe('catalog grammar (catalog §3.3)', () => {
  it('covers a document with every element', () => {
    const [alone] = read(whole).versions;
    const version = whole.replaceAll(/(?<=^<|<\/)catalog(?=>)/g, 'version');
    const [inEnvelope] = read(`<catalogs><versions>${version}</versions></catalogs>`).versions;
    expect(inEnvelope?.content).to.eql(alone?.content);
    const found = new Map<string, Set<string>>();
    for (const element of elementsBelow(treeOf(whole))) {
      const row = rowOf(element);
      if (row === undefined) continue;
      const parts = [...element.attributes.keys()].map((name) => `@${name}`);
      const known = found.get(row) ?? new Set();
      found.set(row, known.union(new Set([...parts, ...element.children.map(({ name }) => name)])));
    }
    const inTable = Object.keys(grammar).map((row) => [
      row,
      partsOf(row)
        .map(({ name }) => name)
        .toSorted(),
    ]);
    expect([...found].map(([row, parts]) => [row, [...parts].toSorted()])).to.have.deep.members(inTable);
  });

  for (const row of Object.keys(grammar))
    it(`defines ${row} as ${grammar[row]}`, () => {
      for (const { name, cardinality } of partsOf(row)) {
        const kind = name.startsWith('@') ? 'attribute' : 'element';
        const missing = outcome(row, (element) => without(element, name));
        const fault = new RegExp(`lacks the ${kind} "${name.replace('@', '')}"$`);
        expect(missing, name).to.match(cardinality === '1' ? fault : /^taken$/);
        if (kind === 'attribute') continue;
        const twice = outcome(row, (element) => doubled(element, name));
        const repeated = new RegExp(`^Element "${name}" is repeated in`);
        expect(twice, name).to.match(cardinality === '*' ? /^taken$/ : repeated);
      }
    });
});
