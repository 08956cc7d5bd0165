import { Decimal as ForeignDecimal } from 'decimal.js';
import type { CallOutcome, ClaimedResult } from '../../../lib/payments/claims/gateway-claims.ts';
import { readOutcome } from '../../../lib/payments/state/transaction-outcome.ts';
import { nextId, PAYMENT_ID, transaction } from '../../support/payments/payment-records.ts';
import { decimal, expect } from '../../support/unit.ts';

const requested = transaction({ status: 'UNKNOWN', amount: decimal('249.95') });

function answered(members: Partial<ClaimedResult>): CallOutcome {
  return {
    kind: 'RESULT',
    result: {
      kbPaymentId: PAYMENT_ID,
      kbTransactionPaymentId: requested.id,
      transactionType: 'PURCHASE',
      properties: [],
      ...members,
    },
  };
}

describe('transaction outcome (payments §2.2)', () => {
  const rows = [
    ['PROCESSED', 'SUCCESS', '249.95'],
    ['PENDING', 'PENDING', '249.95'],
    ['ERROR', 'PAYMENT_FAILURE', '0'],
    ['CANCELED', 'PLUGIN_FAILURE', '0'],
    ['UNDEFINED', 'UNKNOWN', '0'],
  ] as const;
  for (const [status, expected, processed] of rows)
    it(`is ${expected} with a processed amount of ${processed} for the gateway status ${status}`, () => {
      const outcome = readOutcome(requested, answered({ status }));
      expect(outcome.status).to.equal(expected);
      expect(outcome.processedAmount?.toFixed()).to.equal(processed);
      expect(outcome.processedCurrency).to.equal('USD');
    });

  it('uses the processed amount from the gateway instead of the requested amount', () => {
    const outcome = readOutcome(
      requested,
      answered({ status: 'PROCESSED', amount: decimal('225.44'), currency: 'EUR' }),
    );
    expect(outcome.processedAmount?.toFixed()).to.equal('225.44');
    expect(outcome.processedCurrency).to.equal('EUR');
  });

  it('can be computed from amounts of any decimal type', () => {
    const outcome = readOutcome(
      requested,
      answered({ status: 'PROCESSED', amount: new ForeignDecimal('10') }),
    );
    expect(outcome.processedAmount?.equals(decimal('10'))).to.equal(true);
  });

  for (const [stated, processed] of [
    ['9.995', '10'],
    ['9.994', '9.99'],
    [0.1 + 0.2, '0.3'],
    // An earlier release stored this requested amount, and it may be processed exactly.
    ['249.955', '249.955'],
  ] as const)
    it(`rounds ${stated} USD processed of 249.955 to ${processed}`, () => {
      const outcome = readOutcome(
        { ...requested, amount: decimal('249.955') },
        answered({ status: 'PROCESSED', amount: stated as never }),
      );
      expect(outcome.processedAmount?.toFixed()).to.equal(processed);
    });

  it('keeps the gateway’s full error code', () => {
    const code = 'a code that is a good deal longer than thirty-two characters';
    const outcome = readOutcome(
      requested,
      answered({ status: 'ERROR', gatewayErrorCode: code, gatewayError: 'no' }),
    );
    expect(outcome.gatewayErrorCode).to.equal(code);
    expect(outcome.gatewayErrorMsg).to.equal('no');
  });

  for (const [text, kept] of [
    ['EXPIRED_CARD', 'EXPIRED_CARD'],
    ['expired_card', 'OTHER'],
    ['toString', 'OTHER'],
    ['', 'OTHER'],
    [7 as never, 'OTHER'],
    [null as never, null],
    [undefined, null],
  ] as const)
    it(`stores the gateway response ${JSON.stringify(text)} as ${kept}`, () => {
      const claim = text === undefined ? {} : { paymentResponse: text };
      expect(readOutcome(requested, answered({ status: 'ERROR', ...claim })).paymentResponse).to.equal(kept);
    });

  const unknown: Readonly<Record<string, CallOutcome>> = {
    'an absent status': answered({}),
    'no result': { kind: 'NO_RESULT' },
    'a timeout': { kind: 'TIMEOUT', timeoutMs: 30_000 },
    'a declared error': { kind: 'GATEWAY_ERROR', message: 'x' },
    'any other thrown error': { kind: 'FAULT', message: 'x' },
    'a result for another transaction': answered({ status: 'PROCESSED', kbTransactionPaymentId: nextId() }),
    'a status that does not exist': answered({ status: 'DONE' as 'PROCESSED' }),
    'a negative amount': answered({ status: 'PROCESSED', amount: decimal('-1') }),
    'an amount that is not a number': answered({
      status: 'PROCESSED',
      amount: new ForeignDecimal(Number.NaN),
    }),
    'a currency that does not exist': answered({ status: 'PROCESSED', currency: 'XXQ' as 'USD' }),
  };
  for (const [name, call] of Object.entries(unknown))
    it(`stays unknown after ${name}`, () => {
      const outcome = readOutcome(requested, call);
      expect(outcome.status).to.equal('UNKNOWN');
      expect(outcome.processedAmount?.isZero()).to.equal(true);
    });

  it('is PLUGIN_FAILURE if the gateway never received the request', () => {
    const outcome = readOutcome(requested, { kind: 'NEVER_RECEIVED', message: 'nothing happened' });
    expect(outcome).to.deep.include({ status: 'PLUGIN_FAILURE', gatewayErrorMsg: 'nothing happened' });
  });
});
