import { RetryLater } from '../../../lib/ports/index.ts';
import { decideAfterError } from '../../../lib/runtime/queue/handler.ts';
import { BillingError, ErrorCode, expect } from '../../support/unit.ts';

describe('what follows the error of a handler', () => {
  it('is another try after 1 s, 5 s and 30 s, and then none', () => {
    const decisions = [0, 1, 2, 3].map((errorCount) => decideAfterError(errorCount, new Error('no'), 3));
    expect(decisions).to.deep.equal([
      { kind: 'retry', delayMs: 1_000, reason: 'Error: no' },
      { kind: 'retry', delayMs: 5_000, reason: 'Error: no' },
      { kind: 'retry', delayMs: 30_000, reason: 'Error: no' },
      { kind: 'fail', reason: 'Error: no' },
    ]);
  });

  it('is a wait that counts as no failure where a plugin asks for it', () =>
    expect(decideAfterError(3, new RetryLater(70), 3)).to.include({ kind: 'later', delayMs: 70 }));

  it('is the same where the database has no room or is out of reach, however often', () => {
    for (const code of [ErrorCode.NO_ROOM, ErrorCode.BUSY]) {
      const error = new BillingError({ code, message: 'not now' });
      expect(decideAfterError(3, error, 3)).to.include({ kind: 'later', delayMs: 5_000 });
    }
  });
});
