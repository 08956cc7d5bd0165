import { expect } from 'chai';
import { Shape, shapedText } from '../../../lib/catalog/cache/stored-parts.ts';
import { textOfPlan } from '../../../lib/catalog/model/plan.ts';
import { phase, plan, price, version } from '../../support/catalogs/catalog-document.ts';

function textOf(usd: string, forExisting?: string, prettyName = 'Any'): string {
  const more = `<effectiveDateForExistingSubscriptions>${forExisting}</effectiveDateForExistingSubscriptions>`;
  const finalPhase = phase('EVERGREEN', { price: price('USD', usd) + price('EUR', '9.00') });
  const document = plan('p-m', 'P', { finalPhase, ...(forExisting && { more }) });
  const plans = document.replace('<plan', `<plan prettyName="${prettyName}"`);
  return version({ currencies: ['USD', 'EUR'], plans })
    .plans.map(textOfPlan)
    .join();
}

describe('stored plan text', () => {
  it('has the same shape for any amounts and any dates for existing subscriptions', () => {
    const divided = [textOf('10.50'), textOf('12'), textOf('10.50', '2024-05-01')].map(shapedText);
    expect(divided.map(({ filling }) => filling.split('\n'))).to.eql([
      ['null', '10.50', '9.00'],
      ['null', '12', '9.00'],
      [String(Date.parse('2024-05-01T00:00:00Z')), '10.50', '9.00'],
    ]);
    expect(new Set(divided.map(({ shape }) => shape))).to.have.property('size', 1);
    expect(divided[0]?.shape).to.not.include('10.50');
    expect(shapedText(textOf('10.50', undefined, 'Another')).shape).to.not.equal(divided[0]?.shape);
  });

  const names = [
    '{&quot;d&quot;:&quot;1&quot;}',
    'a&#9;b\\u001a',
    '&quot;d&quot;:',
    '{"d":"'.replaceAll('"', '&quot;'),
  ];
  for (const name of names)
    it(`survives a round trip with the pretty name ${name}`, () => {
      const text = textOf('10.50', '2024-05-01', name);
      const { shape, filling } = shapedText(text);
      expect(filling.split('\n')).to.have.length(3);
      expect(new Shape({ name: 'p-m', text: shape }).fill(filling)).to.equal(text);
    });
});
