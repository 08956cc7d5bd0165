import { invoiceSearch } from '../../../lib/invoicing/review/invoice-read-service.ts';
import { decimal, expect } from '../../support/unit.ts';

const id = '0f4a3c5e-8b1d-4e57-9a43-2f1f6c1f0a11';

describe('invoice search (invoicing §15)', () => {
  for (const [key, search] of [
    ['', { kind: 'all' }],
    ['17', { kind: 'number', invoiceNumber: 17 }],
    [
      'USD',
      { kind: 'clauses', clauses: [{ property: 'currency', type: 'text', operator: 'eq', value: 'USD' }] },
    ],
    [id.toUpperCase(), { kind: 'id', id }],
    ['usd', null],
    ['-17', null],
    ['1234567890123456', null],
    ['Ada', null],
  ] as const)
    it(`${search === null ? 'rejects' : 'accepts'} the key "${key}"`, () =>
      expect(invoiceSearch(key)).to.eql(search));

  for (const [clauses, expected] of Object.entries({
    'invoice_date[gte]=2024-02-01': {
      property: 'invoiceDate',
      type: 'date',
      operator: 'gte',
      value: '2024-02-01',
    },
    'targetDate=2024-02-01': { property: 'targetDate', type: 'date', operator: 'eq', value: '2024-02-01' },
    'migrated=TRUE': { property: 'isMigration', type: 'boolean', operator: 'eq', value: true },
    'parent_invoice[neq]=true': {
      property: 'isParentInvoice',
      type: 'boolean',
      operator: 'neq',
      value: true,
    },
    [`grp_id=${id}`]: { property: 'groupId', type: 'uuid', operator: 'eq', value: id },
    'created_by[like]=a%': { property: 'createdBy', type: 'text', operator: 'like', value: 'a%' },
  } as const))
    it(`supports the clause ${clauses}`, () =>
      expect(invoiceSearch(`_q=1&${clauses}`)).to.eql({ kind: 'clauses', clauses: [expected] }));

  it('supports a comparison with the balance', () => {
    const balance = decimal('10.50');
    expect(invoiceSearch('_q=1&balance[gte]=10.50')).to.eql({ kind: 'balance', operator: 'gte', balance });
  });

  for (const key of [
    'balance[gt]=much',
    'balance[like]=1%',
    'balance[gt]=1&balance[lt]=2',
    'balance[gt]=1&currency=USD',
    'invoice_date=yesterday',
    'invoice_date[like]=2024%',
    'invoice_number=1',
    'status',
    '',
  ])
    it(`rejects the key _q=1&${key}`, () =>
      expect(() => invoiceSearch(`_q=1&${key}`))
        .to.throw()
        .with.property('code', 60002));
});
