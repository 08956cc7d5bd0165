import { addSimplePlan, checkSimplePlan } from '../../../lib/catalog/formats/add-simple-plan.ts';
import type { PlanContent } from '../../../lib/catalog/index.ts';
import { createCatalog, createVersion, readCatalogXml, validateVersion } from '../../../lib/catalog/index.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import {
  at,
  catalogXml,
  DEFAULT_RULES,
  envelopeXml,
  lists,
  parse,
  phase,
  plan,
  product,
} from '../../support/catalogs/catalog-document.ts';
import { BillingError, decimal, errorOf, expect } from '../../support/unit.ts';

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

/** Returns a document with these counts. `rules` includes the two that every version has. */
function sized(counts: {
  products?: number;
  plans?: number;
  priceLists?: number;
  rules?: number;
  phases?: number;
}) {
  const { products = 1, plans = 1, priceLists = 1, rules = 2, phases = 1 } = counts;
  const ruleCase = (index: number) =>
    `<createAlignmentCase><product>P${index}</product><alignment>START_OF_BUNDLE</alignment></createAlignmentCase>`;
  return {
    products: times(products, (index) => product(`P${index}`)),
    plans: times(plans, (index) =>
      plan(`p${index}`, 'P0', {
        initialPhases: index === 0 ? phase('TRIAL', { fixed: '' }).repeat(phases - 1) : '',
      }),
    ),
    rules: `${DEFAULT_RULES}<createAlignment>${times(rules - 2, ruleCase)}</createAlignment>`,
    priceLists:
      lists({ DEFAULT: ['p0'] }) + times(priceLists - 1, (index) => `<childPriceList name="L${index}"/>`),
  };
}

const messagesOf = (document: string): readonly string[] =>
  (errorOf(() => readCatalogXml(document)).problems ?? []).map(({ message }) => message);

describe('catalog version limits (platform §16)', () => {
  const tooMany = { products: 5_001, plans: 10_002, priceLists: 203, rules: 5_004, phases: 25 };
  const messages = [
    'A catalog version can have at most 5000 products, not 5001',
    'A catalog version can have at most 5000 rule cases, not 5004',
    'A plan can have at most 20 phases, not 25',
    'A catalog version can have at most 10000 plans, not 10002',
    'A catalog version can have at most 200 price lists, not 203',
  ];

  for (const [what, count] of Object.entries(tooMany))
    it(`reject a document with ${count} ${what}, at the position of the first one beyond the limit`, () => {
      const { problems } = errorOf(() => readCatalogXml(catalogXml(sized({ [what]: count }))));
      expect(problems).to.have.length(1);
      expect(messages).to.include(problems?.[0]?.message);
      expect(problems?.[0]?.line).to.be.greaterThan(0);
    });

  it('report every exceeded limit, in document order', () =>
    expect(messagesOf(catalogXml(sized(tooMany)))).to.eql(messages));

  it('take precedence over other errors in the document', () => {
    const cut = catalogXml(sized({ products: 5_001 })).replace('</rules>', '</rules><nonsense>');
    expect(messagesOf(cut)).to.eql([messages[0]]);
  });

  it('apply to each version of an envelope', () => {
    const half = { products: 2_600, priceLists: 120 };
    const version = (effectiveDate: string, counts: Parameters<typeof sized>[0]) => ({
      effectiveDate,
      ...sized(counts),
    });
    const both = envelopeXml(version('2024-01-01', half), version('2024-02-01', half));
    expect(readCatalogXml(both).versions).to.have.length(2);
    const second = envelopeXml(version('2024-01-01', half), version('2024-02-01', { products: 5_001 }));
    expect(messagesOf(second)).to.eql([messages[0]]);
  });

  it('accept a version that is exactly at the limits', () => {
    const { content } = parse(
      catalogXml(sized({ products: 5_000, priceLists: 200, rules: 5_000, phases: 20 })),
    );
    expect(content.products).to.have.length(5_000);
  });

  it('apply to catalogs from plugins and from code', () => {
    const { content } = parse(catalogXml(sized({})));
    const [first] = content.products;
    const products = Array.from({ length: 5_001 }, (_, index) => ({ ...first, name: `P${index}` }));
    const [onlyPlan] = content.plans as readonly [PlanContent];
    const initialPhases = Array.from({ length: 20 }, () => onlyPlan.finalPhase);
    const sizedContent = { ...content, products, plans: [{ ...onlyPlan, initialPhases }] } as typeof content;
    expect(validateVersion({ content: sizedContent }).errors.map(({ message }) => message)).to.eql([
      messages[0],
      'A plan can have at most 20 phases, not 21',
    ]);
  });

  it('reject a simple plan that exceeds a limit', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `p${index}`);
    const { content } = parse(catalogXml(sized({})));
    const [onlyPlan] = content.plans as readonly [PlanContent];
    const full = {
      ...content,
      plans: names.map((name) => ({ ...onlyPlan, name })),
      priceLists: {
        ...content.priceLists,
        defaultPriceList: { ...content.priceLists.defaultPriceList, plans: names },
      },
    };
    const catalog = createCatalog([createVersion(full)]);
    const request = checkSimplePlan({
      planId: 'more',
      productName: 'P0',
      currency: 'USD',
      amount: decimal('1'),
      billingPeriod: 'MONTHLY',
    });
    const [edit] = atOnce(addSimplePlan(catalog, request, at('2024-05-01')));
    expect(edit && validateVersion(edit).errors.map(({ message }) => message)).to.eql([
      'A catalog version can have at most 10000 plans, not 10001',
    ]);
  });

  it('are enforced even in a document far above the limits', () => {
    const document = catalogXml({
      products: times(20_000, (index) => `<product name="P${index}"><category>BASE</category></product>`),
    });
    const error = errorOf(() => readCatalogXml(document));
    expect(error).to.be.instanceOf(BillingError);
    expect(error.problems?.map(({ message }) => message)).to.eql([
      'A catalog version can have at most 5000 products, not 20000',
    ]);
  });
});
