import type { PaymentResponse } from '../../../lib/index.ts';
import type { OverdueCondition } from '../../../lib/overdue/config/overdue-config.ts';
import { stateReasons } from '../../../lib/overdue/evaluation/explanation.ts';
import {
  condition,
  config,
  configC,
  duration,
  owed,
  snapshotOf,
  state,
} from '../../support/overdue/states.ts';
import { decimal, expect, parseLocalDate } from '../../support/unit.ts';

const unpaid = ['2012-05-31 249.95', '2012-06-10 30'];

interface Found {
  readonly on?: string;
  readonly invoices?: readonly string[];
  readonly response?: PaymentResponse | null;
}

function reasons(wanted: Partial<OverdueCondition>, found: Found = {}) {
  const { on = '2012-06-30', invoices = unpaid, response = 'EXPIRED_CARD' } = found;
  return stateReasons({
    config: config([state('S', { condition: condition(wanted) })]),
    snapshot: snapshotOf(on, owed(...invoices), {
      tags: new Set(['PARTNER']),
      lastPaymentResponse: response,
    }),
    date: parseLocalDate(on),
    currency: 'USD',
  })[0];
}

describe('reasons for an overdue state', () => {
  for (const [text, [holds, wanted, found]] of Object.entries<
    readonly [holds: boolean, wanted: Partial<OverdueCondition>, found?: Found]
  >({
    'unpaid since 2012-05-31, 30 days of 30': [true, { unpaidFor: duration('30 DAYS') }],
    'unpaid since 2012-05-31, 30 days of 20': [true, { unpaidFor: duration('20 DAYS') }],
    'unpaid since 2012-05-31, 30 days of 31 (on 2012-07-01)': [false, { unpaidFor: duration('31 DAYS') }],
    'unpaid since 2012-05-31, 1 day of 30 (on 2012-06-30)': [
      false,
      { unpaidFor: duration('30 DAYS') },
      { on: '2012-06-01' },
    ],
    'unpaid since 2012-05-31, 30 days of 30 (1 month)': [true, { unpaidFor: duration('1 MONTHS') }],
    'unpaid since 2012-05-31, 30 days of 42 (6 weeks, on 2012-07-12)': [
      false,
      { unpaidFor: duration('6 WEEKS') },
    ],
    'nothing is unpaid, required is a debt of 30 days': [
      false,
      { unpaidFor: duration('30 DAYS') },
      { invoices: [] },
    ],
    'unpaid since 2012-05-31, required is a debt of unlimited time': [
      false,
      { unpaidFor: duration('-1 UNLIMITED') },
    ],
    '2 unpaid invoices of 2': [true, { unpaidCount: 2 }],
    '1 unpaid invoice of 3': [false, { unpaidCount: 3 }, { on: '2012-06-30', invoices: ['2012-06-10 30'] }],
    '279.95 USD unpaid of 260.00 USD': [true, { unpaidTotal: decimal(260) }],
    '0 USD unpaid of 260.00 USD': [false, { unpaidTotal: decimal(260) }, { invoices: [] }],
    'the last payment response is EXPIRED_CARD, required is EXPIRED_CARD or DECLINE': [
      true,
      { responses: ['EXPIRED_CARD', 'DECLINE'] },
    ],
    'the last payment response is EXPIRED_CARD, required is DECLINE': [false, { responses: ['DECLINE'] }],
    'no payment of an unpaid invoice has failed, required is OTHER': [
      false,
      { responses: ['OTHER'] },
      { response: null },
    ],
    'the account has the tag PARTNER, which is required': [true, { tagCarried: 'PARTNER' }],
    'the account does not have the tag TEST, which is required': [false, { tagCarried: 'TEST' }],
    'the account does not have the tag TEST, which is excluded': [true, { tagMissing: 'TEST' }],
    'the account has the tag PARTNER, which is excluded': [false, { tagMissing: 'PARTNER' }],
  }))
    it(`include "${text}"`, () => {
      const reason = reasons(wanted, found);
      expect(reason?.criteria.map((each) => ({ holds: each.holds, text: each.text }))).to.eql([
        { holds, text },
      ]);
      expect(reason?.holds).to.equal(holds);
    });

  it('state in one sentence whether the state applies, with each criterion', () => {
    const reason = reasons({ unpaidFor: duration('30 DAYS'), unpaidCount: 3, tagMissing: 'TEST' });
    expect(reason).to.include({
      state: 'S',
      holds: false,
      text: 'S does not hold on 2012-06-30: unpaid since 2012-05-31, 30 days of 30; 2 unpaid invoices of 3; the account does not have the tag TEST, which is excluded.',
    });
    expect(reason?.criteria.map(({ kind, holds }) => `${kind} ${holds}`)).to.eql([
      'TIME true',
      'COUNT false',
      'TAG_MISSING true',
    ]);
    expect(reasons({})?.text).to.equal('S does not hold on 2012-06-30: its condition is empty.');
  });

  it('cover every overdue state that can be entered, starting with the most severe', () => {
    const states = config([
      ...configC.states,
      state('CLEAR', { isClearState: true }),
      state('NEVER', { condition: null }),
    ]);
    const on = '2012-06-07';
    const input = {
      config: states,
      snapshot: snapshotOf(on, owed(...unpaid)),
      date: parseLocalDate(on),
      currency: null,
    };
    expect(stateReasons(input).map(({ state: name, holds }) => `${name} ${holds}`)).to.eql([
      'CANCELLATION false',
      'BLOCKED true',
      'WARNING true',
    ]);
  });
});
