import { isOperatorSearch, parseOperatorSearch } from '../../../lib/runtime/operator-search.ts';
import { BillingError, expect } from '../../support/unit.ts';

const columns = {
  id: { property: 'id', type: 'uuid' },
  field_name: { property: 'field_name', type: 'text' },
  created_date: { property: 'created_date', type: 'instant' },
} as const;
const id = '11111111-1111-4111-8111-111111111111';

function read(key: string): readonly string[] {
  return parseOperatorSearch(key, columns).map(
    ({ property, operator, value }) => `${property} ${operator} ${value}`,
  );
}

describe('parser of operator search keys (accounts §6.2)', () => {
  const readable: readonly (readonly [key: string, clauses: readonly string[]])[] = [
    ['_q=1&field_name=x', ['field_name eq x']],
    ['_q=1&field_name[eq]=x&field_name[NEQ]=y', ['field_name eq x', 'field_name neq y']],
    ['_q=1&field_name[gt]=a&field_name[gte]=b', ['field_name gt a', 'field_name gte b']],
    ['_q=1&field_name[lt]=a&field_name[lte]=b', ['field_name lt a', 'field_name lte b']],
    ['_q=1&field_name[like]=%a_', ['field_name like %a_']],
    ['_q=1&field_name=', ['field_name eq ']],
    ['_q=1&field_name=a=b', ['field_name eq a=b']],
    ['_q=1&field_name=a%26b', ['field_name eq a&b']],
    ['_q=1&field_name=100%25', ['field_name eq 100%']],
    ['_q=1&field_name[like]=ali%25', ['field_name like ali%']],
    ['_q=1&field_name[like]=%25R%26D%25', ['field_name like %R&D%']],
    ['_q=1&field_name[like]=%R%26D%', ['field_name like %R&D%']],
    ['_q=1&field_name[like]=%25%', ['field_name like %25%']],
    ['_q=1&field_name[like]=%2025%', ['field_name like %2025%']],
    ['_q=1&field_name=a%40x.org', ['field_name eq a@x.org']],
    ['_q=1&field_name[neq]=%C3%BC%20b', ['field_name neq ü b']],
    ['_q=1&field_name=50%2540', ['field_name eq 50%40']],
    ['_q=1&field_name=a%40b%', ['field_name eq a%40b%']],
    ['_q=1&field_name=%ff', ['field_name eq %ff']],
    ['_q=1&field_name[like]=%40x', ['field_name like %40x']],
    ['_q=1&field_name[like]=%25%40x.org', ['field_name like %@x.org']],
    [
      '_q=1&created_date[lt]=2025-03-10T09%3A15%3A30Z',
      [`created_date lt ${Date.UTC(2025, 2, 10, 9, 15, 30)}`],
    ],
    ['_q=1&field_name=line\nbreak', ['field_name eq line\nbreak']],
    [`_q=1&id=${id.toUpperCase()}`, [`id eq ${id}`]],
    ['_q=1&id[like]=1111%', ['id like 1111%']],
    ['_q=1&created_date=2025-03-10', [`created_date eq ${Date.UTC(2025, 2, 10)}`]],
    ['_q=1&created_date[lt]=2025-03-10T09:15:30Z', [`created_date lt ${Date.UTC(2025, 2, 10, 9, 15, 30)}`]],
  ];
  for (const [key, clauses] of readable)
    it(`parses ${JSON.stringify(key)}`, () => {
      expect(isOperatorSearch(key)).to.equal(true);
      expect(read(key)).to.eql(clauses);
    });

  for (const key of [
    '_q=1&',
    '_q=1&field_name',
    '_q=1&=x',
    '_q=1&fieldName=x',
    '_q=1&FIELD_NAME=x',
    '_q=1&toString=x',
    '_q=1&field_name[in]=x',
    '_q=1&field_name[]=x',
    '_q=1&field_name]eq[=x',
    '_q=1&field_name=x&',
    '_q=1&id=x',
    '_q=1&created_date=soon',
    '_q=1&created_date[like]=2025%',
  ])
    it(`rejects ${JSON.stringify(key)}`, () =>
      expect(() => read(key))
        .to.throw(BillingError)
        .with.property('code', 60002));

  it('treats a key that is not in operator form as text', () => {
    for (const key of ['x', '_q=1', 'q=1&field_name=x', '']) expect(isOperatorSearch(key)).to.equal(false);
  });
});
