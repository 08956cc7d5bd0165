import { type AttemptOutcome, afterAttempt } from '../../../lib/push/delivery-after-attempt.ts';
import type { PushDelivery } from '../../../lib/records/index.ts';
import { expect, formatInstant, instant } from '../../support/unit.ts';

const MINUTE_MS = 60_000;
const startedAt = instant(Date.UTC(2025, 2, 10, 10));
const endedAt = instant(startedAt + 5_000);
const schedule = [15, 30, 120, 720, 1_440].map((minutes) => minutes * MINUTE_MS);
const failing: AttemptOutcome = { kind: 'FAILED', status: 500, error: 'The receiver answered 500' };

const fresh = {
  recordId: 7,
  state: 'AVAILABLE',
  dueOrder: 0,
  attempts: 0,
  failures: 0,
  attemptedDate: null,
  lastStatus: null,
  lastError: null,
  endedDate: null,
} as PushDelivery;

describe('push delivery after an attempt (platform §10.2)', () => {
  it('schedules the next attempt from the start of the failed attempt, and gives up after the last attempt', () => {
    let delivery = fresh;
    let at = startedAt;
    const dates: string[] = [];
    while (delivery.state === 'AVAILABLE') {
      const after = afterAttempt(delivery, { startedAt: at, endedAt: at, outcome: failing }, schedule);
      delivery = { ...delivery, ...after };
      if (delivery.state === 'AVAILABLE') {
        at = instant(delivery.dueOrder);
        dates.push(formatInstant(at).slice(5, 16));
      }
    }
    expect(dates).to.eql(['03-10T10:15', '03-10T10:45', '03-10T12:45', '03-11T00:45', '03-12T00:45']);
    expect(delivery).to.deep.include({
      state: 'FAILED',
      attempts: 6,
      failures: 6,
      endedDate: at,
      lastStatus: 500,
    });
  });

  it('counts the delay from the start of the attempt, not from its end', () =>
    expect(afterAttempt(fresh, { startedAt, endedAt, outcome: failing }, schedule)).to.deep.include({
      dueOrder: startedAt + 15 * MINUTE_MS,
      attemptedDate: startedAt,
    }));

  it('ends when the receiver accepts the push', () => {
    const failed = { ...fresh, attempts: 2, failures: 2, lastError: 'no' };
    const outcome: AttemptOutcome = { kind: 'DELIVERED', status: 204 };
    expect(afterAttempt(failed, { startedAt, endedAt, outcome }, schedule)).to.deep.include({
      state: 'PROCESSED',
      attempts: 3,
      lastStatus: 204,
      lastError: null,
      attemptedDate: startedAt,
      endedDate: endedAt,
    });
  });

  it('records no attempt for a withdrawn push', () => {
    const outcome: AttemptOutcome = { kind: 'WITHDRAWN', error: 'The callback is no longer registered' };
    expect(afterAttempt(fresh, { startedAt, endedAt, outcome }, schedule)).to.deep.include({
      state: 'REMOVED',
      attempts: 0,
      attemptedDate: null,
      endedDate: endedAt,
    });
  });

  it('gives up if the schedule is empty, and truncates a long reason', () => {
    const outcome: AttemptOutcome = { kind: 'FAILED', status: null, error: 'x'.repeat(9_999) };
    const after = afterAttempt(fresh, { startedAt, endedAt, outcome }, []);
    expect(after.state).to.equal('FAILED');
    expect(after.lastError).to.have.length(500);
  });
});
