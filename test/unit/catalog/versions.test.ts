import { additionSteps } from '../../../lib/catalog/formats/xml/catalog-document.ts';
import type { CatalogVersion } from '../../../lib/catalog/index.ts';
import { createVersion, readCatalogXml, validateVersions } from '../../../lib/catalog/index.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import {
  catalogXml,
  envelopeXml,
  phase,
  plan,
  product,
  TRIAL,
  version,
} from '../../support/catalogs/catalog-document.ts';
import { expect, type Problem } from '../../support/unit.ts';

function upload(
  stored: readonly CatalogVersion[],
  xml: string,
): { readonly dates: readonly string[]; readonly problems: readonly Problem[] } {
  const document = readCatalogXml(xml);
  const versions = document.versions.map(({ content }) => createVersion(content));
  const added = atOnce(additionSteps(stored, versions, document.isEnvelope));
  const parsed = added
    .map((each) => document.versions[versions.indexOf(each)])
    .filter((each) => each !== undefined);
  return {
    dates: added.map((each) => new Date(each.effectiveDate).toISOString().slice(0, 10)),
    problems: validateVersions(stored, added, parsed),
  };
}

function messages(problems: readonly Problem[]): string[] {
  return problems.map(({ message }) => message);
}

const TAKEN =
  'A version with effective date 2024-01-01T00:00:00.000Z already exists; to change it, upload a version with a later date';

describe('catalog version upload', () => {
  const january = version();

  it('skips an equal version, and rejects a changed version and an upload without a new version (catalog W16 "Envelope")', () => {
    const both = envelopeXml({}, { effectiveDate: '2024-03-01' });
    expect(upload([january], both)).to.eql({ dates: ['2024-03-01'], problems: [] });

    const again = upload([january, version({ effectiveDate: '2024-03-01' })], both);
    expect(messages(again.problems)).to.have.length(2);
    expect(messages(again.problems)[0]).to.equal(TAKEN);

    const altered = envelopeXml(
      { plans: plan('p-m', 'P', { price: '11.00' }) },
      { effectiveDate: '2024-03-01' },
    );
    expect(messages(upload([january], altered).problems)).to.eql([TAKEN]);
  });

  it('rejects an existing date in a single-root document even if the documents are equal', () => {
    const { problems } = upload([january], catalogXml());
    expect(messages(problems)).to.eql([TAKEN]);
    expect(problems[0]?.line).to.equal(2);
  });

  it('rejects a duplicate date in an envelope', () =>
    expect(messages(upload([], envelopeXml({}, {})).problems)).to.eql([TAKEN]));

  it('accepts past dates and dates between existing versions', () => {
    const stored = [january, version({ effectiveDate: '2025-01-01' })];
    expect(upload(stored, catalogXml({ effectiveDate: '2024-06-01' })).problems).to.eql([]);
    expect(upload(stored, catalogXml({ effectiveDate: '1999-01-01' })).problems).to.eql([]);
  });

  it('rejects a different catalog name', () => {
    const { problems } = upload([january], catalogXml({ catalogName: 'Other', effectiveDate: '2024-02-01' }));
    expect(messages(problems)).to.eql([
      'The catalog name differs: this version has "Other", the others have "Test"',
    ]);
    expect(problems[0]).to.include({ line: 3, column: 5 });
    const among = envelopeXml({}, { catalogName: 'Other', effectiveDate: '2024-02-01' });
    expect(upload([], among).problems).to.have.length(1);
  });

  it('rejects changes to a plan’s phases or product and to a product’s category, each at its position', () => {
    const changed = (parts: object): string[] => {
      const xml = catalogXml({ effectiveDate: '2024-02-01', ...parts });
      return upload([january], xml).problems.map(({ message, line = 0, column = 0 }) => {
        const [element] = /(?<=^<)\w+/.exec(xml.split('\n')[line - 1]?.slice(column - 1) ?? '') ?? [];
        return `${element}: ${message}`;
      });
    };
    const inJanuary = 'catalog "Test" effective 2024-01-01T00:00:00.000Z';

    expect(changed({ plans: plan('p-m', 'P', { initialPhases: TRIAL }) })).to.eql([
      `plan: Plan "p-m" has the phases TRIAL, EVERGREEN here and EVERGREEN in ${inJanuary}`,
    ]);
    expect(
      changed({
        plans: plan('p-m', 'P', { finalPhase: phase('FIXEDTERM', { unit: 'YEARS', number: 1, price: '1' }) }),
      }),
    ).to.eql([`plan: Plan "p-m" has the phases FIXEDTERM here and EVERGREEN in ${inJanuary}`]);
    expect(changed({ products: product('Q'), plans: plan('p-m', 'Q') })).to.eql([
      `product: Plan "p-m" belongs to product "Q" here and to "P" in ${inJanuary}`,
    ]);
    expect(changed({ products: product('P', { category: 'STANDALONE' }) })).to.eql([
      `category: Product "P" is STANDALONE here and BASE in ${inJanuary}`,
    ]);
  });

  it('compares a plan that was removed and added again with the last version that contained the plan', () => {
    const without = version({
      effectiveDate: '2024-02-01',
      products: product('Q'),
      plans: plan('q-m', 'Q'),
      priceLists: '<defaultPriceList name="DEFAULT"><plans><plan>q-m</plan></plans></defaultPriceList>',
    });
    const returned = catalogXml({
      effectiveDate: '2024-03-01',
      plans: plan('p-m', 'P', { initialPhases: TRIAL }),
    });
    expect(upload([january, without], returned).problems).to.have.length(1);
    const asItWas = catalogXml({ effectiveDate: '2024-03-01' });
    expect(upload([january, without], asItWas).problems, 'as it was').to.eql([]);
  });

  it('rejects a changed phase order, and accepts changed durations', () => {
    const discount = phase('DISCOUNT', { unit: 'MONTHS', number: 1, price: '5' });
    const phased = (effectiveDate: string, initialPhases: string) => ({
      effectiveDate,
      plans: plan('p-m', 'P', { initialPhases }),
    });
    const stored = [version(phased('2024-01-01', TRIAL + discount))];
    const longer = TRIAL.replace('>30<', '>60<') + discount.replace('MONTHS', 'YEARS');
    expect(upload(stored, catalogXml(phased('2024-02-01', longer))).problems).to.eql([]);
    const reversed = upload(stored, catalogXml(phased('2024-02-01', discount + TRIAL)));
    expect(messages(reversed.problems)[0]).to.include('has the phases DISCOUNT, TRIAL, EVERGREEN here');
  });

  it('accepts changed prices, durations, periods, modes, lists, rules, currencies and units', () => {
    const { problems } = upload(
      [january],
      catalogXml({
        effectiveDate: '2024-02-01',
        recurringBillingMode: 'IN_ARREAR',
        currencies: ['USD', 'EUR'],
        units: ['u'],
        plans: plan('p-m', 'P', { period: 'ANNUAL', price: '99' }),
        priceLists:
          '<defaultPriceList name="DEFAULT"/><childPriceList name="L"><plans><plan>p-m</plan></plans></childPriceList>',
      }),
    );
    expect(problems).to.eql([]);
  });

  it('treats a number as changed even if only its notation differs', () => {
    const scale = envelopeXml({ plans: plan('p-m', 'P', { price: '10.0' }) });
    expect(upload([january], scale).problems).to.have.length(1);
  });
});
