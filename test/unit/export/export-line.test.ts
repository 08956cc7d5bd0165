import { columnName, headerLine, rowLine } from '../../../lib/export/service.ts';
import { decimal, expect } from '../../support/unit.ts';

describe('export lines', () => {
  it('start with a header for each table', () =>
    expect(headerLine('accounts', ['record_id', 'id'])).to.equal('-- accounts record_id|id\n'));

  for (const [values, line] of [
    [[1, 'a', null, true, false], '1|a||true|false\n'],
    [['a|b\nc'], 'a\\N{VERTICAL LINE}b\\N{LINE FEED}c\n'],
    [['\n|', ''], '\\N{LINE FEED}\\N{VERTICAL LINE}|\n'],
    [[decimal('12.50')], '12.5\n'],
    [[{ key: 'a|b', list: [1] }], '{"key":"a\\N{VERTICAL LINE}b","list":[1]}\n'],
    [[''], '\n'],
  ] as const)
    it(`represent ${JSON.stringify(values)} as ${JSON.stringify(line)}`, () =>
      expect(rowLine(values)).to.equal(line));

  for (const [member, column] of [
    ['externalKey', 'external_key'],
    ['address1', 'address1'],
    ['isPaymentDelegatedToParent', 'is_payment_delegated_to_parent'],
    ['accountCBA', 'account_cba'],
    ['id', 'id'],
  ] as const)
    it(`use the column name ${column} for ${member}`, () => expect(columnName(member)).to.equal(column));
});
