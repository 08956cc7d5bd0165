import { type NewInvoiceItem, plainItem } from '../../../lib/invoicing/invoices/new-item.ts';
import {
  type ConsultedInvoice,
  withAdditionalItems,
} from '../../../lib/invoicing/plugins/additional-items.ts';
import { claimedItems } from '../../../lib/invoicing/plugins/plugin-claims.ts';
import type { Proposal } from '../../../lib/invoicing/plugins/proposal.ts';
import { isSameProposal, recordedIds, replayedIds } from '../../../lib/invoicing/plugins/proposal.ts';
import { groupedItems, imposedNumbers } from '../../../lib/invoicing/plugins/split-and-number.ts';
import type { AdditionalItem } from '../../../lib/ports/index.ts';
import type { InvoiceItem } from '../../../lib/records/index.ts';
import { asCurrency, decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import { BillingError, expect, MalformedAnswer, parseLocalDate, type Uuid } from '../../support/unit.ts';

const uuid = (n: number): Uuid => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as Uuid;
const invoiceId = uuid(100);
const date = parseLocalDate('2024-01-15');

function item(n: number, [itemType, amount]: readonly [InvoiceItem['itemType'], string]): NewInvoiceItem {
  return plainItem({ id: uuid(n), itemType, amount: decimal(amount), repairable: decimal(amount) });
}

function consulted(
  items: readonly NewInvoiceItem[],
  existing: readonly InvoiceItem[] = [],
): ConsultedInvoice {
  return {
    invoiceId,
    currency: asCurrency('USD'),
    items,
    existing,
    creditIds: new Set([uuid(99)]),
    elsewhere: [],
    chosenIds: [],
  };
}

function answered(invoice: ConsultedInvoice, ...items: readonly AdditionalItem[]) {
  let next = 500;
  return withAdditionalItems(invoice, claimedItems({ items }).items, {
    pluginName: 'tax',
    date,
    nextItemId: () => {
      next += 1;
      return uuid(next);
    },
  });
}

function linesOf({ items }: ConsultedInvoice): readonly string[] {
  return items.map(
    ({ itemType, amount, repairable }) =>
      `${itemType} ${formatDecimal(amount)} left ${formatDecimal(repairable)}`,
  );
}

function codeOf(invoice: ConsultedInvoice, claim: AdditionalItem): number | string {
  try {
    return linesOf(answered(invoice, claim).invoice).join();
  } catch (error) {
    return error instanceof BillingError ? error.code : String(error);
  }
}

const recurring = item(1, ['RECURRING', '30']);
const stored = (n: number, itemType: InvoiceItem['itemType'], amount: string): InvoiceItem => ({
  ...item(n, [itemType, amount]),
  recordId: n,
  invoiceId,
  accountId: uuid(1),
  accountRecordId: 1,
  currency: asCurrency('USD'),
  createdDate: 0 as InvoiceItem['createdDate'],
});

describe('invoice plugin results (invoicing §13)', () => {
  it('become new items, rounded, dated and attributed to the plugin, if their id is missing or unknown (rule 3)', () => {
    const { invoice } = answered(
      consulted([recurring]),
      { itemType: 'TAX', amount: '5.706', linkedItemId: recurring.id },
      { id: uuid(7), itemType: 'EXTERNAL_CHARGE', amount: '1', planName: 'gold' },
    );
    expect(linesOf(invoice)).to.eql([
      'RECURRING 30 left 30',
      'TAX 5.71 left 5.71',
      'EXTERNAL_CHARGE 1 left 1',
    ]);
    const [, tax, charge] = invoice.items;
    expect([tax?.id, tax?.startDate, tax?.description, tax?.linkedItemId]).to.eql([
      uuid(501),
      date,
      'Tax',
      recurring.id,
    ]);
    expect(tax?.basis).to.eql({ kind: 'PLUGIN', pluginName: 'tax', changed: null, given: null });
    expect([charge?.id, charge?.description]).to.eql([uuid(7), 'gold (external charge)']);
    expect(invoice.chosenIds.map(({ id }) => id)).to.eql([uuid(7)]);
  });

  it('change the existing item with the same id, except for its fixed fields (rule 3)', () => {
    const { invoice, passedOver } = answered(consulted([recurring]), {
      id: recurring.id,
      amount: '20',
      description: 'less',
      quantity: '2',
      planName: 'other',
      itemType: 'FIXED',
    });
    expect(linesOf(invoice)).to.eql(['RECURRING 20 left 20']);
    const [changed] = invoice.items;
    expect([
      changed?.description,
      changed?.quantity && formatDecimal(changed.quantity),
      changed?.planName,
    ]).to.eql(['less', '2', null]);
    expect(passedOver).to.eql([`itemType of item ${recurring.id}`, `planName of item ${recurring.id}`]);
  });

  it('leave an item unchanged when the plugin returns it unchanged (rule 3)', () => {
    const { invoice, passedOver } = answered(consulted([recurring]), { ...recurring, currency: 'USD' });
    expect(invoice.items).to.eql([recurring]);
    expect(passedOver).to.eql([]);
  });

  it('must have one of four types, and an amount with the sign of that type (rule 3)', () => {
    const invoice = consulted([recurring]);
    expect(codeOf(invoice, { itemType: 'RECURRING', amount: '1' })).to.equal(4022);
    expect(codeOf(invoice, { amount: '1' })).to.equal(4022);
    expect(codeOf(invoice, { itemType: 'TAX' })).to.equal(4015);
    expect(codeOf(invoice, { itemType: 'TAX', amount: '-1' })).to.equal(4015);
    expect(codeOf(invoice, { itemType: 'CREDIT_ADJ', amount: '1' })).to.equal(4009);
    expect(codeOf(invoice, { itemType: 'ITEM_ADJ', amount: '1', linkedItemId: recurring.id })).to.equal(4010);
    expect(codeOf(invoice, { id: recurring.id, amount: '-1' })).to.equal(4015);
    expect(codeOf(invoice, { itemType: 'TAX', amount: '1', currency: 'EUR' })).to.equal(3);
    expect(codeOf(invoice, { itemType: 'TAX', amount: '1', description: 'x'.repeat(256) })).to.equal(60003);
    const backwards = { startDate: '2024-02-01', endDate: '2024-01-01' };
    expect(codeOf(invoice, { itemType: 'EXTERNAL_CHARGE', amount: '1', ...backwards })).to.equal(4004);
  });

  it('cannot repeat an item (rule 3)', () => {
    const twice = { id: recurring.id, amount: '1' };
    expect(() => answered(consulted([recurring]), twice, twice)).to.throw(MalformedAnswer);
  });

  it('cannot change account credit, because the credit is recalculated (rule 3)', () =>
    expect(linesOf(answered(consulted([recurring]), { id: uuid(99), amount: '5' }).invoice)).to.eql([
      'RECURRING 30 left 30',
    ]));

  it('may belong to another invoice (rule 3)', () => {
    const { invoice } = answered(consulted([recurring]), {
      itemType: 'TAX',
      amount: '1',
      invoiceId: uuid(200),
    });
    expect(linesOf(invoice)).to.eql(['RECURRING 30 left 30']);
    expect(invoice.elsewhere.map(({ invoiceId: at, item: { itemType } }) => `${at} ${itemType}`)).to.eql([
      `${uuid(200)} TAX`,
    ]);
  });

  it('cannot adjust more than the remainder of an item, individually or in total (rule 4)', () => {
    const less = (amount: string): AdditionalItem => ({
      itemType: 'ITEM_ADJ',
      amount,
      linkedItemId: recurring.id,
    });
    const { invoice } = answered(consulted([recurring]), less('-20'));
    expect(linesOf(invoice)).to.eql(['RECURRING 30 left 10', 'ITEM_ADJ -20 left 0']);
    expect(codeOf(invoice, less('-10.01'))).to.equal(4020);
    expect(linesOf(answered(invoice, less('-10')).invoice)[0]).to.equal('RECURRING 30 left 0');
    expect(codeOf(invoice, { id: recurring.id, amount: '19.99' })).to.equal(4020);
    expect(codeOf(invoice, { ...less('-1'), invoiceId: uuid(200) })).to.equal(4011);
    expect(codeOf(invoice, { itemType: 'ITEM_ADJ', amount: '-1' })).to.equal(4011);
    expect(codeOf(invoice, { itemType: 'ITEM_ADJ', amount: '-1', linkedItemId: uuid(502) })).to.equal(
      'RECURRING 30 left 10,ITEM_ADJ -20 left 0',
    );
    expect(codeOf(invoice, { itemType: 'ITEM_ADJ', amount: '-1', linkedItemId: uuid(501) })).to.equal(4021);
  });

  it('can reduce a repair, but not increase it (rule 4)', () => {
    const repair = {
      ...item(2, ['REPAIR_ADJ', '-10']),
      ...{ repairable: decimal(0), linkedItemId: uuid(50) },
    };
    expect(linesOf(answered(consulted([repair]), { id: repair.id, amount: '-4' }).invoice)).to.eql([
      'REPAIR_ADJ -4 left 0',
    ]);
    expect(codeOf(consulted([repair]), { id: repair.id, amount: '-10.01' })).to.equal(4020);
    expect(codeOf(consulted([repair]), { id: repair.id, amount: '1' })).to.equal(4010);
  });

  it('rewrite draft items of the four types when their amounts differ (rule 5)', () => {
    const existing = [stored(10, 'TAX', '3'), stored(11, 'RECURRING', '30')];
    const rewritten = answered(
      consulted([recurring], existing),
      { id: uuid(10), amount: '4', description: 'new rate' },
      { id: uuid(11), amount: '5' },
    ).invoice;
    expect(
      rewritten.existing.map(({ amount, repairable, description }) => [
        formatDecimal(amount),
        formatDecimal(repairable),
        description,
      ]),
    ).to.eql([
      ['4', '4', 'new rate'],
      ['30', '30', null],
    ]);
    const same = answered(consulted([recurring], existing), {
      id: uuid(10),
      amount: '3',
      description: 'other',
    }).invoice;
    expect(same.existing).to.eql(existing);
  });

  it('limit a rewritten adjustment to the remainder of its item (rule 5)', () => {
    const charge = { ...stored(1, 'EXTERNAL_CHARGE', '30'), repairable: decimal('25') };
    const adjustment = { ...stored(2, 'ITEM_ADJ', '-5'), linkedItemId: charge.id };
    const draft = consulted([], [charge, adjustment]);
    const rewritten = (amount: string): readonly string[] =>
      answered(draft, { id: adjustment.id, amount }).invoice.existing.map(
        (each) => `${formatDecimal(each.amount)} left ${formatDecimal(each.repairable)}`,
      );
    expect(rewritten('-1')[0]).to.equal('30 left 29');
    expect(rewritten('-30')[0]).to.equal('30 left 0');
    expect(codeOf(draft, { id: adjustment.id, amount: '-30.01' })).to.equal(4020);
    expect(codeOf({ ...draft, isFixed: true }, { id: adjustment.id, amount: '-30.01' })).to.equal('');
  });
});

describe('item groups (invoicing §8.2 step 12)', () => {
  const items = [1, 2, 3, 4].map((n) => item(n, ['RECURRING', '1']));
  const grouped = (...groups: readonly (readonly number[])[]) =>
    groupedItems(
      items,
      groups.map((group) => group.map(uuid)),
      new Set([uuid(99)]),
    ).map((group) => group.map(({ id }) => Number(id.slice(-3))));

  it('place items without a group in the first group, and drop empty groups', () => {
    expect(grouped([3], [], [2])).to.eql([[1, 3, 4], [2]]);
    expect(grouped([], [2], [3])).to.eql([[1, 2, 4], [3]]);
    expect(grouped()).to.eql([[1, 2, 3, 4]]);
    expect(grouped([1, 2, 3, 4, 99])).to.eql([[1, 2, 3, 4]]);
  });

  it('cannot contain an unknown item, or the same item twice', () => {
    expect(() => grouped([9])).to.throw(MalformedAnswer);
    expect(() => grouped([1], [1])).to.throw(MalformedAnswer);
    expect(() => grouped([1, 1])).to.throw(MalformedAnswer);
  });

  it('keep an adjustment in the group of its item', () => {
    const adjustment = { ...item(5, ['ITEM_ADJ', '-1']), ...{ linkedItemId: uuid(2) } };
    const groups = groupedItems([...items, adjustment], [[uuid(1)], [uuid(2)], [uuid(5)]]);
    expect(groups.map((group) => group.map(({ id }) => Number(id.slice(-3))))).to.eql([
      [1, 3, 4],
      [2, 5],
    ]);
  });
});

describe('invoice numbers set by plugins (invoicing §13 rule 6)', () => {
  const of = (...values: readonly (string | null)[]) =>
    values.map((value) => ({ key: 'INVOICE_SEQUENCE_NUMBER', value }));

  it('apply to the invoices in order, and default to the next tenant number', () => {
    expect(imposedNumbers([], 2)).to.eql([null, null]);
    expect(imposedNumbers([{ key: 'x', value: '9' }, ...of('7', '5', '6')], 2)).to.eql([7, 5]);
    expect(imposedNumbers(of('7'), 2)).to.eql([7, null]);
  });

  it('must be positive integers, and different for each invoice', () => {
    for (const value of ['0', '-1', '1.5', 'A1', '', null, '99999999999', '2147483647'])
      expect(() => imposedNumbers(of(value), 1), String(value)).to.throw(BillingError);
    expect(() => imposedNumbers(of('7', '7'), 2)).to.throw(BillingError);
  });
});

describe('evaluations that plugins saw (invoicing §17 rule 4)', () => {
  const proposal: Proposal = {
    targetDate: date,
    invoiceId,
    status: 'COMMITTED',
    draft: null,
    items: [recurring],
  };

  it('have the same fingerprint when they are repeated with the same ids', () => {
    const fresh = [uuid(1), uuid(2)];
    const ids = recordedIds({ next: () => fresh.shift() ?? uuid(3) });
    const first = [ids.next(), ids.next()];
    const again = replayedIds(ids.taken, { next: () => uuid(77) });
    expect([again.next(), again.next(), again.next()]).to.eql([...first, uuid(77)]);
    expect(
      isSameProposal(proposal, { ...proposal, items: [{ ...recurring, amount: decimal('30.00') }] }),
    ).to.equal(true);
  });

  it('have a different fingerprint after a change to the invoice, its items, its date or its status', () => {
    const others: readonly Partial<Proposal>[] = [
      { items: [{ ...recurring, amount: decimal('31') }] },
      { items: [{ ...recurring, endDate: date }] },
      { items: [{ ...recurring, id: uuid(2) }] },
      { items: [] },
      { items: [recurring, recurring] },
      { targetDate: parseLocalDate('2024-01-16') },
      { status: 'DRAFT' },
      { invoiceId: uuid(3) },
      { draft: { invoice: { id: invoiceId } as never, items: [] } },
    ];
    for (const other of others) expect(isSameProposal(proposal, { ...proposal, ...other })).to.equal(false);
  });
});
