import { expect } from 'chai';
import { sellWithTax } from '../../examples/tax-plugin.ts';

describe('invoice plugin example', () => {
  it('charges taxes by country, explains them and refunds them with credits', async () =>
    expect(await sellWithTax()).to.eql([
      'Ada: RECURRING 100, TAX 19, ITEM_ADJ -9.81, CBA_ADJ -51.61; owed EUR 57.58',
      'Ada: REPAIR_ADJ -51.61, CBA_ADJ 51.61; owed EUR 0',
      '19.00 EUR for the 100.00 EUR charged for plan desk-monthly, phase desk-monthly-evergreen, added by the invoice plugin "vat": MwSt. 19 %.',
      'Chantal: RECURRING 100, TAX 20; owed EUR 120',
      'Ed: RECURRING 100; owed EUR 100',
    ]));
});
