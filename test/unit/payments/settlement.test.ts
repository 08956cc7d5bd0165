import { type Settlement, settledTransaction } from '../../../lib/payments/state/transaction-outcome.ts';
import type { PluginStatus } from '../../../lib/ports/index.ts';
import type { PaymentTransaction } from '../../../lib/records/index.ts';
import { NOW, PAYMENT_ID, transaction } from '../../support/payments/payment-records.ts';
import { addMilliseconds, expect } from '../../support/unit.ts';

const OURS = addMilliseconds(NOW, -1_000);
const LATER = addMilliseconds(NOW, 60_000);

describe('payment call result (payments §5.1 rule 3)', () => {
  const settled = (
    before: Partial<PaymentTransaction>,
    source: Settlement['source'],
    answer: PluginStatus = 'PROCESSED',
  ) => {
    const stored = transaction({ status: 'PENDING', ...before });
    const result = {
      kbPaymentId: PAYMENT_ID,
      kbTransactionPaymentId: stored.id,
      transactionType: stored.transactionType,
      status: answer,
      createdDate: NOW,
      effectiveDate: NOW,
      properties: [],
    };
    const settlement: Settlement = {
      paymentId: PAYMENT_ID,
      transactionId: stored.id,
      outcome: { kind: 'RESULT', result },
      source,
      leaseUntil: source === 'JANITOR' ? null : OURS,
    };
    const after = settledTransaction(stored, settlement, NOW);
    return after && [after.status, after.leaseUntil];
  };

  for (const source of ['CALL', 'LATE'] as const) {
    it(`is recorded with source ${source} under the lease of the call, even after the lease expires`, () =>
      expect(settled({ leaseUntil: OURS }, source)).to.eql(['SUCCESS', null]));

    it(`is ignored with source ${source} while another call holds the lease`, () =>
      expect(settled({ leaseUntil: LATER }, source)).to.equal(undefined));

    it(`is recorded with source ${source} after the lease was revoked, like a recovery result`, () => {
      expect(settled({ leaseUntil: null }, source)).to.eql(['SUCCESS', null]);
      expect(settled({ leaseUntil: null }, source, 'PENDING')).to.equal(undefined);
    });
  }

  it('is ignored if it comes from recovery while a call holds the lease', () => {
    expect(settled({ leaseUntil: LATER }, 'JANITOR')).to.equal(undefined);
    expect(settled({ leaseUntil: OURS }, 'JANITOR')).to.eql(['SUCCESS', null]);
  });

  const statuses = ['SUCCESS', 'PENDING', 'UNKNOWN', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE'] as const;
  const answers = ['PROCESSED', 'PENDING', 'ERROR', 'CANCELED', 'UNDEFINED'] as const;
  for (const status of statuses) {
    const isOpen = status === 'UNKNOWN' || status === 'PENDING';
    it(`${isOpen ? 'always replaces' : 'cannot replace, except by an operator,'} the status ${status} (payments §1.7 rule 7)`, () => {
      for (const answer of answers)
        for (const source of ['CALL', 'LATE', 'JANITOR'] as const) {
          const after = settled({ status, leaseUntil: OURS }, source, answer);
          if (!isOpen) expect(after).to.equal(undefined);
          else if (source === 'CALL') expect(after).not.to.equal(undefined);
        }
      expect(settled({ status, leaseUntil: null }, 'FIX', 'PROCESSED')).to.eql(['SUCCESS', null]);
      expect(settled({ status, leaseUntil: null }, 'FIX', 'ERROR')).to.eql(['PAYMENT_FAILURE', null]);
    });
  }
});
