import type { Cell } from '../../../adapters/mikro-orm/sql/columns.ts';
import { ongoingChargeOrNull } from '../../../adapters/mikro-orm/tables/ongoing-charges.ts';
import { ongoingChargeAfter, ongoingChargeOf } from '../../../lib/invoicing/evaluation/last-evaluation.ts';
import type { BillingEvent } from '../../../lib/records/billing-event.ts';
import type { OngoingCharge } from '../../../lib/records/cursor.ts';
import { cancel, day, event, subscriptionId } from '../../support/invoicing/billing-events.ts';
import { decimal, expect } from '../../support/unit.ts';
import { smsUsage } from '../../support/usage/sections.ts';

const monthly = event('CREATE', '2024-01-01', { price: '30.00', fixed: '5.00', catalogDate: '2023-06-01' });
const settledThrough = day('2024-02-01');

describe('ongoing charge', () => {
  it('contains the last event', () => {
    const trial = event('CREATE', '2023-12-01', { phaseDays: 31, fixed: '0.00' });
    expect(ongoingChargeAfter([trial, monthly], { settledThrough })).to.eql({ event: monthly });
  });

  it('survives a round trip through its columns', () => {
    const written: BillingEvent = {
      ...monthly,
      totalOrdering: 2 ** 52 + 3,
      quantity: 3,
      phaseDuration: { unit: 'UNLIMITED', number: -1 },
      billingAlignment: { result: 'ACCOUNT', conditions: { product: 'Gold' } },
    };
    const field = ongoingChargeOrNull();
    const row = Object.fromEntries(
      field.columns.map(({ name }, index) => [name, cellsOf({ event: written })[index]]),
    );
    const read = field.read({ ...row, subscription_id: subscriptionId });
    expect(read).to.eql({ event: written });
    expect(field.read({ ...row, subscription_id: subscriptionId })).to.eql(read);
  });

  it('stores the cycle of its event, and cannot be read from an older text without a cycle', () => {
    const split = {
      ...event('QUANTITY_CHANGE', '2024-06-01', { price: '30.00', quantity: 2, since: '2024-01-01' }),
    };
    const field = ongoingChargeOrNull();
    const cells = cellsOf({ event: split });
    const rowOf = (values: readonly Cell[]) => ({
      ...Object.fromEntries(field.columns.map(({ name }, index) => [name, values[index] ?? null])),
      subscription_id: subscriptionId,
    });
    expect(field.read(rowOf(cells))?.event.cycleStart).to.equal(day('2024-01-01'));
    const old = JSON.stringify((JSON.parse(String(cells.at(-1))) as unknown[]).slice(0, -1));
    expect(field.read(rowOf([...cells.slice(0, -1), old]))).to.equal(null);
  });

  it('is stored as text without the ids of its subscription', () => {
    const other = {
      ...monthly,
      subscriptionId: monthly.bundleId,
      bundleId: subscriptionId,
      totalOrdering: 9,
    };
    const texts = [monthly, other].map((each) => cellsOf({ event: each }).at(-1));
    expect(texts[1]).to.equal(texts[0]).and.be.a('string');
  });

  const without: Record<string, [readonly BillingEvent[], typeof settledThrough | null]> = {
    'there are no events': [[], settledThrough],
    'nothing is settled': [[monthly], null],
    'an event follows': [[monthly, cancel('2024-03-01')], settledThrough],
    'the last event lies after the settled period': [
      [monthly, event('CHANGE', '2024-03-01', { price: '40.00' })],
      settledThrough,
    ],
    'the last event begins at the end of the settled period': [[monthly], monthly.localDate],
    'it bills in arrears an amount that rounds to zero': [
      [{ ...monthly, billingMode: 'IN_ARREAR', recurringPrice: decimal('0.4'), quantity: 2 }],
      settledThrough,
    ],
    'the last event charges usage': [[{ ...monthly, usages: [smsUsage] }], settledThrough],
    'the last event does not recur': [[event('CREATE', '2024-01-01', { fixed: '5.00' })], settledThrough],
  };
  for (const [when, [events, settled]] of Object.entries(without))
    it(`is not kept when ${when}`, () =>
      expect(ongoingChargeAfter(events, { settledThrough: settled })).to.equal(null));

  const charge = ongoingChargeAfter([monthly], { settledThrough });
  const clean = { dirtyFrom: null, catalogRevision: 4, ongoing: charge };
  const catalog = { revision: 4, isRevised: (_planName?: string | null) => true };
  const cases = {
    'nothing has changed': [clean, 1, charge],
    'the subscription is dirty': [{ ...clean, dirtyFrom: day('2030-01-01') }, 1, null],
    'the catalog has another revision': [{ ...clean, catalogRevision: 3 }, 1, null],
    'the cursor knows no revision': [{ ...clean, catalogRevision: null }, 1, null],
    'the account has no bill cycle day': [clean, 0, null],
    'no charge is stored': [{ ...clean, ongoing: null }, 1, null],
    'the catalog changes without a revision': [clean, 1, null, { ...catalog, isRevised: () => false }],
    'the catalog changes without a revision, but not its plan': [
      clean,
      1,
      charge,
      { ...catalog, isRevised: (planName?: string | null) => Boolean(planName) },
    ],
  } as const;
  for (const [when, [cursor, billCycleDayLocal, expected, given = catalog]] of Object.entries(cases))
    it(`${expected === null ? 'is not valid' : 'is valid'} when ${when}`, () => {
      const standing = { subscriptionId, settledThrough, nextDueDate: settledThrough };
      const stored = {
        ...standing,
        accountRecordId: 1,
        itemsDate: null,
        itemsCount: 0,
        usage: null,
        ...cursor,
      };
      expect(ongoingChargeOf(stored, { account: { billCycleDayLocal }, catalog: given })).to.equal(expected);
    });
});

function cellsOf(charge: OngoingCharge): readonly Cell[] {
  const cells: Cell[] = [];
  ongoingChargeOrNull().write(charge, cells);
  return cells;
}
