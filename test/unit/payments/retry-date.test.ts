import { retryDate } from '../../../lib/payments/state/outcome-consequences.ts';
import { paymentConfig } from '../../../lib/payments/state/payment-config.ts';
import { janitorCheck } from '../../../lib/payments/state/payment-notifications.ts';
import type { TransactionStatus } from '../../../lib/records/payments/payment.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../../lib/tenants/index.ts';
import { at, NOW } from '../../support/payments/payment-records.ts';
import { expect, formatInstant, type Instant } from '../../support/unit.ts';

const config = paymentConfig(DEFAULT_TENANT_SETTINGS);
const purchases = (...statuses: readonly TransactionStatus[]) =>
  statuses.map((status) => ({ transactionType: 'PURCHASE' as const, status }));
const text = (date: Instant | null) => (date === null ? null : formatInstant(date));

/** Returns the retry dates if each retry runs at once and ends in `status` again. */
function chain(status: TransactionStatus, start: Instant): readonly string[] {
  const dates: string[] = [];
  const history: TransactionStatus[] = [status];
  for (let date = retryDate(purchases(...history), start, config); date !== null; ) {
    dates.push(formatInstant(date));
    history.push(status);
    date = retryDate(purchases(...history), date, config);
  }
  return dates;
}

describe('retry date (payments §8.3)', () => {
  it('is 8 days after each of the first three declines, and absent after later declines', () =>
    expect(chain('PAYMENT_FAILURE', NOW)).to.eql([
      '2012-06-08T00:03:42.000Z',
      '2012-06-16T00:03:42.000Z',
      '2012-06-24T00:03:42.000Z',
    ]));

  it('is 5 minutes to 5 h 20 min after a failure, and is absent after the ninth failure', () =>
    expect(chain('PLUGIN_FAILURE', at('2012-05-31T10:00:00Z')).map((date) => date.slice(11, 19))).to.eql([
      '10:05:00',
      '10:10:00',
      '10:20:00',
      '10:40:00',
      '11:20:00',
      '12:40:00',
      '15:20:00',
      '20:40:00',
    ]));

  it('depends on separate counts of declines and failures', () => {
    const history = purchases('PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PAYMENT_FAILURE', 'PLUGIN_FAILURE');
    const tenMinutes = { ...config, failureRetry: { startSeconds: 600, multiplier: 2, maxAttempts: 2 } };
    expect(text(retryDate(history, NOW, tenMinutes))).to.equal('2012-05-31T00:13:42.000Z');
    expect(retryDate([...history, ...purchases('PLUGIN_FAILURE')], NOW, tenMinutes)).to.equal(null);
  });

  it('is absent while the latest outcome is open, after a success, and for operations other than purchases', () => {
    expect(retryDate(purchases('PAYMENT_FAILURE', 'UNKNOWN'), NOW, config)).to.equal(null);
    expect(retryDate(purchases('PENDING'), NOW, config)).to.equal(null);
    expect(retryDate(purchases('SUCCESS'), NOW, config)).to.equal(null);
    expect(retryDate([{ transactionType: 'REFUND', status: 'PAYMENT_FAILURE' }], NOW, config)).to.equal(null);
  });

  it('is absent if the list of days is empty', () =>
    expect(retryDate(purchases('PAYMENT_FAILURE'), NOW, { ...config, retryDays: [] })).to.equal(null));
});

describe('janitor check (payments §7.2)', () => {
  const checks = (status: 'UNKNOWN' | 'PENDING') => {
    const dates: string[] = [];
    let from = at('2012-05-01T00:00:00Z');
    for (let check = 0; ; check += 1) {
      const next = janitorCheck({ status, check, from }, config);
      if (next === null) return dates;
      dates.push(formatInstant(next.at).slice(0, 16));
      from = next.at;
    }
  };

  it('follows an unknown outcome after 5 minutes, then an hour later, then daily for five days', () =>
    expect(checks('UNKNOWN')).to.eql([
      '2012-05-01T00:05',
      '2012-05-01T01:05',
      '2012-05-02T01:05',
      '2012-05-03T01:05',
      '2012-05-04T01:05',
      '2012-05-05T01:05',
      '2012-05-06T01:05',
    ]));

  it('follows a pending outcome after an hour, then a day later', () =>
    expect(checks('PENDING')).to.eql(['2012-05-01T01:00', '2012-05-02T01:00']));
});
