import { expect } from 'chai';
import type { AvailablePlan } from '../../../lib/catalog/lookup/catalog-version.ts';
import { listAddOns, listBasePlans } from '../../../lib/catalog/lookup/catalog-version.ts';
import { atOnce } from '../../../lib/runtime/wait/turns.ts';
import { lists, plan, product, version } from '../../support/catalogs/catalog-document.ts';

const club = version({
  products:
    product('Solo') +
    product('Duo', { included: ['Badge'], available: ['Cap', 'Bag'] }) +
    product('Bag', { category: 'ADD_ON' }) +
    product('Cap', { category: 'ADD_ON' }) +
    product('Badge', { category: 'ADD_ON' }) +
    product('Kit', { category: 'STANDALONE' }),
  plans: [
    plan('solo-m', 'Solo'),
    plan('duo-m', 'Duo'),
    plan('bag-z', 'Bag'),
    plan('bag-a', 'Bag'),
    plan('cap-y', 'Cap', { period: 'ANNUAL' }),
    plan('cap-w', 'Cap', { period: 'WEEKLY' }),
    plan('badge-m', 'Badge'),
    plan('kit-m', 'Kit'),
  ].join(''),
  priceLists: lists({
    DEFAULT: ['solo-m', 'bag-a', 'bag-z', 'cap-y', 'cap-w', 'badge-m', 'kit-m'],
    Winter: ['solo-m', 'duo-m', 'cap-y'],
    Autumn: ['duo-m', 'bag-a'],
  }),
});

function shown(plans: readonly AvailablePlan[]): readonly string[] {
  return plans.map((each) => `${each.plan.name} ${each.priceListName}`);
}

describe('available plans (catalog §12 rule 4)', () => {
  it('include every plan of a base product once per price list, sorted by plan, with the lists in document order', () =>
    expect(shown(atOnce(listBasePlans(club)))).to.eql([
      'duo-m Winter',
      'duo-m Autumn',
      'solo-m DEFAULT',
      'solo-m Winter',
    ]));

  it('include plans of available add-ons but not of included add-ons, sorted by add-on, period, price list and name', () => {
    expect(shown(listAddOns(club, 'Duo'))).to.eql([
      'cap-w DEFAULT',
      'cap-y DEFAULT',
      'cap-y Winter',
      'bag-a DEFAULT',
      'bag-z DEFAULT',
      'bag-a Autumn',
    ]);
    expect(shown(listAddOns(club, 'Duo', 'Winter'))).to.eql(['cap-y Winter']);
    expect(listAddOns(club, 'Duo', 'Spring')).to.eql([]);
    expect(listAddOns(club, 'Solo')).to.eql([]);
    expect(listAddOns(club, 'Ghost')).to.eql([]);
  });
});
