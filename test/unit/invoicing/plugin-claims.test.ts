import { claimedGroups, claimedItems, claimedPrior } from '../../../lib/invoicing/plugins/plugin-claims.ts';
import {
  addMilliseconds,
  formatInstant,
  type Instant,
  parseLocalDate,
} from '../../../lib/values/time/index.ts';
import { BillingError, decimal, expect, formatDecimal, MalformedAnswer } from '../../support/unit.ts';

const now = Date.UTC(2024, 0, 1) as Instant;
const id = '0190163d-8694-739b-aea5-966c26f8ad91';

describe('invoice plugin responses (invoicing §13)', () => {
  it('have no effect when they are undefined, null or an empty object', () => {
    for (const answer of [undefined, null, {}]) {
      expect(claimedPrior(answer, now)).to.eql({ isAborted: false, rescheduledTo: null, properties: null });
      expect(claimedItems(answer)).to.eql({ items: [], note: null, properties: null });
      expect(claimedGroups(answer)).to.eql({ groups: [], properties: null });
    }
  });

  it('may contain ids, amounts and dates as strings', () => {
    const given = { id: id.toUpperCase(), itemType: 'TAX', amount: '1.90', startDate: '2024-02-01' };
    const [item] = claimedItems({ items: [given] }).items;
    expect([item?.id, item && formatDecimal(item.amount ?? decimal(0)), item?.startDate]).to.eql([
      id,
      '1.9',
      parseLocalDate('2024-02-01'),
    ]);
  });

  it('must have a retry date in the future if they request a retry', () => {
    for (const rescheduleDate of [new Date(now + 1), formatInstant(addMilliseconds(now, 1))])
      expect(claimedPrior({ rescheduleDate }, now).rescheduledTo).to.equal(now + 1);
    for (const rescheduleDate of [new Date(now), new Date(Number.NaN), '2024-01-01', 'soon', 1])
      expect(() => claimedPrior({ rescheduleDate }, now), String(rescheduleDate)).to.throw(MalformedAnswer);
  });

  it('are rejected in any other shape', () => {
    const answers: readonly (readonly [(answer: unknown) => unknown, unknown])[] = [
      [(answer) => claimedPrior(answer, now), 'yes'],
      [(answer) => claimedPrior(answer, now), { aborted: 'yes' }],
      [(answer) => claimedPrior(answer, now), { properties: 'a=b' }],
      [(answer) => claimedPrior(answer, now), { properties: [{ value: 'b' }] }],
      [(answer) => claimedPrior(answer, now), { properties: [{ key: 'a', value: 1 }] }],
      [claimedItems, []],
      [claimedItems, { items: 'none' }],
      [claimedItems, { items: [null] }],
      [claimedItems, { items: [{ itemType: 'GIFT' }] }],
      [claimedItems, { items: [{ amount: 1.5 }] }],
      [claimedItems, { items: [{ amount: {} }] }],
      [claimedItems, { items: [{ amount: decimal('1e20') }] }],
      [claimedItems, { items: [{ amount: 'a lot' }] }],
      [claimedItems, { items: [{ id: 'a' }] }],
      [claimedItems, { items: [{ id: 1 }] }],
      [claimedItems, { items: [{ startDate: '2024-02-30' }] }],
      [claimedItems, { items: [{ startDate: 9e9 }] }],
      [claimedItems, { items: [{ catalogEffectiveDate: 9e99 }] }],
      [claimedItems, { items: [{ description: 5 }] }],
      [claimedItems, { items: [{ description: '\u0000' }] }],
      [claimedItems, { items: Array.from({ length: 1_001 }, () => ({})) }],
      [claimedGroups, { groups: [[id]] }],
      [claimedGroups, { groups: [{ itemIds: ['first'] }] }],
    ];
    for (const [read, answer] of answers) {
      let refusal: unknown;
      try {
        read(answer);
      } catch (error) {
        refusal = error;
      }
      const isRefusal = refusal instanceof MalformedAnswer || refusal instanceof BillingError;
      expect(isRefusal, `${JSON.stringify(answer)?.slice(0, 80)} ${refusal}`).to.equal(true);
    }
  });
});
