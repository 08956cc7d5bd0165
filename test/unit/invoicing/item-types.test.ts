import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { InvoiceItemType, itemTypes, itemTypesWith } from '../../../lib/records/index.ts';

const signs = { NOT_NEGATIVE: '≥ 0', NOT_POSITIVE: '≤ 0', NEGATIVE: '< 0', ANY: 'any' };
const rules = readFileSync(new URL('../../../lib/invoicing/RULES.md', import.meta.url), 'utf8');

describe('invoice item types', () => {
  const types = Object.values(InvoiceItemType);
  const documented = rules
    .slice(rules.indexOf('### 1.3 '), rules.indexOf('### 1.4 '))
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('match the invoicing page in content and order (invoicing §1.3)', () => {
    assert.deepEqual(
      documented.map(([, , type]) => type),
      types,
    );
  });

  for (const [index, type] of types.entries()) {
    const { sign, sum, descriptions } = itemTypes[type];

    it(`give ${type} the documented sign and descriptions (invoicing §1.3)`, () => {
      const row = documented[index] ?? [];
      const documentedSign = type === InvoiceItemType.CBA_ADJ ? 'any' : row[3]?.replace(/ \(.*/, '');
      assert.equal(documentedSign, signs[sign]);
      for (const description of Object.keys(descriptions)) assert.ok(row[8]?.includes(`\`${description}\``));
    });

    it(`include ${type} in the documented sum (invoicing §1.4)`, () => {
      const rule = sum === 'amount' ? /^1\. `amount` = (.*)$/m : /^2\. `creditAdj` = (.*)$/m;
      assert.ok(rule.exec(rules)?.[1]?.split('unless')[0]?.includes(type));
    });
  }

  it('allow adjustments only of the documented charge types (invoicing §9 rule 4)', () => {
    const adjustable = itemTypesWith('adjustable');
    const listed = /type not in \{(.*?)\}/.exec(rules)?.[1]?.split(', ');
    assert.deepEqual(new Set(listed), new Set(adjustable));
    assert.deepEqual(
      adjustable,
      types.filter((type) => itemTypes[type].kind === 'CHARGE'),
    );
  });

  it('have a default description when users or plugins add them', () => {
    for (const type of [...itemTypesWith('addedByPeople'), ...itemTypesWith('addedByPlugins')])
      assert.notEqual(Object.keys(itemTypes[type].descriptions)[0], undefined, type);
  });
});
