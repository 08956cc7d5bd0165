import { RetryLater } from '../../../lib/ports/index.ts';
import { decideAfterError } from '../../../lib/runtime/queue/handler.ts';
import { BillingError, ErrorCode, expect } from '../../support/unit.ts';

describe('decision after a handler error', () => {
  it('schedules retries after 1 s, 5 s and 30 s, then gives up', () => {
    const decisions = [0, 1, 2, 3].map((errorCount) => decideAfterError(errorCount, new Error('no'), 3));
    expect(decisions).to.eql([
      { kind: 'retry', delayMs: 1_000, reason: 'Error: no' },
      { kind: 'retry', delayMs: 5_000, reason: 'Error: no' },
      { kind: 'retry', delayMs: 30_000, reason: 'Error: no' },
      { kind: 'fail', reason: 'Error: no' },
    ]);
  });

  it('delays the entry without counting a failure when a plugin requests it', () =>
    expect(decideAfterError(3, new RetryLater(70), 3)).to.include({ kind: 'later', delayMs: 70 }));

  it('delays the entry without limit while the database is full or unreachable', () => {
    for (const code of [ErrorCode.NO_ROOM, ErrorCode.BUSY]) {
      const error = new BillingError({ code, message: 'not now' });
      expect(decideAfterError(3, error, 3)).to.include({ kind: 'later', delayMs: 5_000 });
    }
  });
});
