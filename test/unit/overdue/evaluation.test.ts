import { evaluate } from '../../../lib/overdue/checks/evaluate-accounts.ts';
import { CLEAR_STATE_NAME } from '../../../lib/overdue/config/overdue-config.ts';
import { readOverdueJson } from '../../../lib/overdue/config/read-config.ts';
import type { OverdueFacts } from '../../../lib/overdue/loading/overdue-facts.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import {
  formatInstant,
  instant,
  localDate,
  localDateOf,
  parseWireInstant,
} from '../../../lib/values/time/index.ts';
import { blockingState, newId, ownerOf } from '../../support/storage/stored-records.ts';
import { account } from '../../support/subscriptions/example.ts';
import { decimal, expect } from '../../support/unit.ts';

const at = (text: string) => parseWireInstant(text) ?? instant(0);
const owner = { ...account(), referenceTime: at('2024-01-01T00:03:42Z') };

const config = readOverdueJson(
  JSON.stringify({
    initialReevaluationInterval: 5,
    overdueStates: [
      {
        name: 'OD',
        isDisableEntitlement: true,
        condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 5 } },
      },
    ],
  }),
);

const invoice = {
  invoiceId: newId(),
  invoiceDate: localDate(2024, 1, 1),
  commitDate: null,
  targetDate: null,
  balance: decimal(30),
};

const inState = (stateName: string, effective: string) =>
  ({
    ...blockingState(ownerOf(owner), { blockedId: owner.id, stateName, service: 'overdue-service' }),
    recordId: 1,
    isBlockChange: true,
    isBlockEntitlement: true,
    isBlockBilling: true,
    effective: { at: at(effective), date: localDateOf(at(effective), owner.timeZone) },
  }) as const;

function evaluated(
  facts: Partial<OverdueFacts>,
  { now, asked = now, action = 'REFRESH' as 'CHECK' | 'REFRESH' | 'CLEAR', owns = false, workUntil } = {
    now: '',
  } as {
    now: string;
    asked?: string;
    action?: 'CHECK' | 'REFRESH' | 'CLEAR';
    owns?: boolean;
    workUntil?: string;
  },
) {
  const { transition, nextCheck } = evaluate(
    {
      account: owner,
      today: localDateOf(at(now), owner.timeZone),
      prev: null,
      payerId: owner.id,
      unpaid: [invoice],
      lastPaymentResponse: PaymentResponse.OTHER,
      tags: new Set(),
      hasInvoicingOff: false,
      exemptBy: null,
      ...facts,
    },
    {
      config,
      job: { action, asked: at(asked), spreads: false, causedBy: null },
      workUntil: workUntil === undefined ? null : at(workUntil),
      ownsInvoicingOff: owns,
      now: at(now),
    },
  );
  return {
    state: transition && `${transition.state.stateName} ${formatInstant(transition.effective.at)}`,
    invoicingOff: transition?.invoicingOff,
    nextCheck: nextCheck.kind === 'AT' ? formatInstant(nextCheck.at) : nextCheck.kind,
  };
}

describe('account evaluation (overdue §5.1)', () => {
  it('schedules the check of an account with debt for the first threshold of that debt (overdue §6)', () =>
    expect(evaluated({}, { now: '2024-01-02T10:00:00Z' })).to.eql({
      state: null,
      invoicingOff: undefined,
      nextCheck: '2024-01-06T00:03:42.000Z',
    }));

  it('schedules no check for an account without debt (overdue §6 rule 3)', () =>
    expect(evaluated({ unpaid: [] }, { now: '2024-01-02T10:00:00Z' }).nextCheck).to.equal('REMOVE'));

  it('keeps the pending check of an account whose last state has no interval', () => {
    const found = evaluated({}, { now: '2024-01-06T00:03:42Z', action: 'CHECK' });
    expect(found).to.eql({ state: 'OD 2024-01-06T00:03:42.000Z', invoicingOff: 'ADD', nextCheck: 'KEEP' });
  });

  for (const action of ['CHECK', 'REFRESH', 'CLEAR'] as const)
    it(`clears an exempt account on ${action} and removes its check (overdue §7 rules 3 and 4)`, () => {
      const prev = inState('OD', '2024-01-06T00:03:42Z');
      const facts = { prev, exemptBy: owner.id, hasInvoicingOff: true };
      expect(evaluated(facts, { now: '2024-01-08T10:00:00Z', action, owns: true })).to.eql({
        state: `${CLEAR_STATE_NAME} 2024-01-08T10:00:00.000Z`,
        invoicingOff: 'REMOVE',
        nextCheck: 'REMOVE',
      });
    });

  it('ignores an exempt account that is clear (overdue §7 rule 4)', () => {
    const found = evaluated({ exemptBy: owner.id }, { now: '2024-01-08T10:00:00Z', action: 'CLEAR' });
    expect(found).to.eql({ state: null, invoicingOff: undefined, nextCheck: 'REMOVE' });
  });

  it('applies an improvement immediately, even when the entry runs late (overdue §5.3 rule 3)', () => {
    const prev = inState('OD', '2024-01-06T00:03:42Z');
    const late = { now: '2024-01-08T10:00:00Z', asked: '2024-01-07T10:00:00Z' };
    for (const action of ['CLEAR', 'REFRESH', 'CHECK'] as const) {
      const exemptBy = action === 'CLEAR' ? owner.id : null;
      expect(evaluated({ prev, unpaid: [], exemptBy }, { ...late, action }).state).to.contain('01-08T10');
    }
  });

  it('dates a worse state from the scheduled time in a check, and from now in a refresh (overdue §5.3 rules 1 and 3)', () => {
    const late = { now: '2024-01-08T10:00:00Z', asked: '2024-01-07T10:00:00Z' };
    expect(evaluated({}, { ...late, action: 'CHECK' }).state).to.contain('01-07T10');
    expect(evaluated({}, { ...late, action: 'REFRESH' }).state).to.contain('01-08T10');
  });

  it('treats a request to clear as a refresh when the account is no longer exempt', () => {
    const prev = inState('OD', '2024-01-06T00:03:42Z');
    expect(evaluated({ prev }, { now: '2024-01-08T10:00:00Z', action: 'CLEAR' }).state).to.equal(null);
  });
});
