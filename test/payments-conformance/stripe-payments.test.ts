import { expect } from 'chai';
import { type GatewayResult, PluginStatus } from '../../lib/index.ts';
import { newMethod } from '../support/stripe/payment-intents.ts';
import { StripeShop } from '../support/stripe/stripe-shop.ts';

type Answer = GatewayResult;

/** Status, amount and code, such as `PROCESSED 10` or `ERROR 10 card_declined`. */
const line = (answer: Answer | null): string =>
  [answer?.status, answer?.amount, answer?.gatewayErrorCode].filter((each) => each !== undefined).join(' ');
const given = (answer: Answer | null): Answer => {
  if (answer === null) throw new Error('the gateway gave no answer');
  return answer;
};

describe('payment through Stripe', () => {
  const shop = new StripeShop();
  before(() => shop.double.start());
  beforeEach(async () => {
    Object.assign(shop.double, { bank: 'BY_METHOD', fault: 'NONE', onCancel: null });
    await shop.restart().customerWith();
  });
  after(() => shop.double.stop());

  const { double } = shop;
  const purchase = async (of: Parameters<StripeShop['newRequest']>[0] = {}) => {
    const request = shop.newRequest(of);
    return { request, answer: given(await shop.gateway.purchase(request, shop.context)) };
  };
  const held = async (of: Parameters<StripeShop['newRequest']>[0] = {}) => {
    const request = shop.newRequest(of);
    const answer = given(await shop.gateway.authorize(request, shop.context));
    return { request, answer, paymentId: request.paymentId };
  };
  /** An account older than Stripe's idempotency keys. */
  const oldAccount = async () => {
    shop.accountId = shop.idOfHoursAgo(48);
    await shop.addMethod('pm_card_visa');
  };
  const customersOfAccount = () =>
    [...double.books.customers.values()].filter(
      ({ metadata }) => metadata.billwright_account === shop.accountId,
    );

  describe('with a response of the bank', () => {
    const declines = [
      ['pm_card_chargeCustomerFail', 'generic_decline', 'DECLINE'],
      ['pm_card_visa_chargeDeclinedInsufficientFunds', 'insufficient_funds', 'INSUFFICIENT_FUNDS'],
      ['pm_card_authenticationRequired', 'authentication_required', 'OTHER'],
    ] as const;
    for (const [token, code, response] of declines)
      it(`is declined with the code ${code}, in the response and in recovery`, async () => {
        await shop.customerWith(token);
        const { request, answer } = await purchase();
        expect(answer).to.include({ status: 'ERROR', gatewayErrorCode: code, paymentResponse: response });
        expect(answer.firstPaymentReferenceId).to.match(/^pi_/);
        expect((await shop.paymentInfo(request)).map(line)).to.eql([`ERROR 10 ${code}`]);
      });

    it('remains pending until a customer who is online consents', async () => {
      await shop
        .restart({ returnUrl: 'https://shop.example/back' })
        .customerWith('pm_card_authenticationRequired');
      const { request, answer } = await purchase({ properties: { off_session: 'false' } });
      expect(line(answer)).to.equal('PENDING 10');
      const shown = Object.fromEntries(answer.properties.map(({ key, value }) => [key, value]));
      expect(shown).to.include({ stripe_status: 'requires_action', next_action: 'redirect_to_url' });
      expect(shown.redirect_url).to.match(/^https:\/\/hooks\.stripe\.com\//);
      expect(shown.client_secret).to.be.a('string');
      double.settle(request.transactionId);
      expect(line(await shop.gateway.purchase(request, shop.context))).to.equal('PROCESSED 10');
      expect(double.effectsOf(request.transactionId)).to.equal(1);
    });

    it('remains pending until the bank rejects the debit', async () => {
      await shop.customerWith('pm_sepaDebit');
      const { request, answer } = await purchase({ currency: 'EUR' });
      expect(line(answer)).to.equal('PENDING 10');
      double.settle(request.transactionId, 'FAILS');
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['ERROR 10 insufficient_funds']);
      expect(line(await shop.gateway.purchase(request, shop.context))).to.equal(
        'ERROR 10 insufficient_funds',
      );
    });
  });

  describe('when a payment method is registered', () => {
    /** A method saved by a confirmed setup intent. */
    const saved = () => {
      const [customer] = customersOfAccount();
      const method = newMethod(double.books, 'succeeds', customer?.id ?? null);
      double.books.methods.set(method.id, method);
      return method;
    };
    const refusal = (token: string) =>
      shop.addMethod(token).then(
        () => null,
        (error: unknown) => error,
      );

    it('can use a payment method that Stripe has already attached to the customer', async () => {
      const { id } = saved();
      await shop.addMethod(id);
      const { request, answer } = await purchase();
      expect(line(answer)).to.equal('PROCESSED 10');
      expect(double.intentOf(request.transactionId).payment_method).to.equal(id);
    });

    it('rejects a payment method that the account already has, and leaves that method unchanged', async () => {
      const { id, metadata } = saved();
      await shop.addMethod(id);
      const { paymentMethodId } = shop;
      expect(await refusal(id))
        .to.be.an('error')
        .with.property('message')
        .that.contains(`as the payment method ${paymentMethodId} of the account`);
      expect(metadata.billwright_payment_method).to.equal(paymentMethodId);
    });

    it('cannot use a payment method of another customer, and fails with Stripe’s message', async () => {
      const { id } = saved();
      await shop.customerWith();
      expect(await refusal(id))
        .to.be.an('error')
        .with.property('message', 'The payment method you provided has already been attached to a customer.');
    });
  });

  describe('as a transaction', () => {
    it('uses its transaction id as the idempotency key for requests that move money', async () => {
      double.requests.length = 0;
      const { request: bought } = await purchase();
      const { gateway, context } = shop;
      const first = await held();
      const second = await held();
      const captured = shop.newRequest({ paymentId: first.paymentId });
      const voided = shop.newRequest({ paymentId: second.paymentId });
      const refunded = shop.newRequest({ paymentId: bought.paymentId });
      await gateway.capture(captured, context);
      await gateway.void(voided, context);
      await gateway.refund(refunded, context);
      const moving = /^\/v1\/(payment_intents|refunds|payment_intents\/\w+\/(capture|cancel))$/;
      const sent = double.requests.filter(
        ({ method, pathname }) => method === 'POST' && moving.test(pathname),
      );
      expect(sent.map(({ idempotencyKey }) => idempotencyKey)).to.eql(
        [bought, first.request, second.request, captured, voided, refunded].map(
          ({ transactionId }) => transactionId,
        ),
      );
    });

    it('is found and not charged again after Stripe has forgotten its key', async () => {
      await oldAccount();
      const request = shop.newRequest({ transactionId: shop.idOfHoursAgo(30) });
      expect(line(await shop.gateway.purchase(request, shop.context))).to.equal('PROCESSED 10');
      double.books.later(25 * 3_600_000);
      expect(line(await shop.restart().gateway.purchase(request, shop.context))).to.equal('PROCESSED 10');
      expect(double.effectsOf(request.transactionId)).to.equal(1);
    });

    it('is found instead of being refunded again after Stripe has forgotten its key', async () => {
      await oldAccount();
      const { request } = await purchase();
      const refund = shop.newRequest({
        paymentId: request.paymentId,
        amount: '4',
        transactionId: shop.idOfHoursAgo(30),
      });
      for (const _ of [1, 2]) {
        expect(line(await shop.restart().gateway.refund(refund, shop.context))).to.equal('PROCESSED 4');
        double.books.later(25 * 3_600_000);
      }
      expect(double.effectsOf(refund.transactionId)).to.equal(1);
    });

    it('keeps its amount even if it is completed with another amount', async () => {
      const { request } = await purchase();
      const other = { ...request, amount: shop.newRequest({ amount: '7' }).amount };
      expect(line(await shop.gateway.purchase(other, shop.context))).to.equal('PROCESSED 10');
      expect(double.effectsOf(request.transactionId)).to.equal(1);
    });

    it('is processed if it is requested again after a decline that turned into a success', async () => {
      double.bank = 'DECLINES';
      const { request } = await purchase();
      double.settle(request.transactionId);
      expect(line(await shop.gateway.purchase(request, shop.context))).to.equal('PROCESSED 10');
      expect(double.effectsOf(request.transactionId)).to.equal(1);
    });

    it('is processed if it succeeds while recovery tries to cancel it', async () => {
      await shop.customerWith('pm_card_authenticationRequired');
      const { request } = await purchase({ properties: { off_session: 'false' } });
      double.settle(request.transactionId, 'FAILS');
      double.onCancel = () => double.settle(request.transactionId);
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['PROCESSED 10']);
    });

    it('cannot succeed after its failure was reported', async () => {
      await shop.customerWith('pm_card_authenticationRequired');
      const { request } = await purchase({ properties: { off_session: 'false' } });
      double.settle(request.transactionId, 'FAILS');
      for (const _ of [1, 2])
        expect((await shop.paymentInfo(request)).map(line)).to.eql(['ERROR 10 insufficient_funds']);
      expect(double.intentOf(request.transactionId).status).to.equal('canceled');
    });

    it('is found by search even if the customer has over a hundred payments', async () => {
      const { request } = await purchase();
      const template = double.intentOf(request.transactionId);
      for (let number = 0; number < 100; number += 1) {
        const copy = { ...structuredClone(template), id: `pi_other_${number}`, metadata: {} };
        double.books.intents.set(copy.id, copy);
      }
      double.books.later(61_000);
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['PROCESSED 10']);
      const refund = shop.newRequest({ paymentId: request.paymentId, amount: '3' });
      expect(line(await shop.gateway.refund(refund, shop.context))).to.equal('PROCESSED 3');
    });

    it('is found by search even if the customer was deleted at Stripe', async () => {
      await oldAccount();
      const { request } = await purchase();
      for (const { id } of customersOfAccount()) double.books.customers.delete(id);
      double.books.later(25 * 3_600_000);
      shop.restart();
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['PROCESSED 10']);
      const refund = shop.newRequest({ paymentId: request.paymentId, amount: '3' });
      expect(line(await shop.gateway.refund(refund, shop.context))).to.equal('PROCESSED 3');
      expect(await shop.paymentInfo(shop.newRequest())).to.eql([]);
    });

    it('is found with all of its refunds, even if there are over a hundred', async () => {
      const { request } = await purchase({ amount: '200' });
      const refunds = Array.from({ length: 101 }, () =>
        shop.newRequest({ paymentId: request.paymentId, amount: '1' }),
      );
      for (const refund of refunds) await shop.gateway.refund(refund, shop.context);
      const ids = (await shop.paymentInfo(request)).map(({ kbTransactionPaymentId: id }) => id);
      expect(ids).to.have.members([request, ...refunds].map(({ transactionId }) => transactionId));
    });

    it('creates only one customer for a new account, even if Stripe’s search lags', async () => {
      await purchase();
      shop.restart();
      expect(line((await purchase()).answer)).to.equal('PROCESSED 10');
      expect(customersOfAccount()).to.have.length(1);
    });

    it('uses the existing customer of an old account instead of creating another', async () => {
      await oldAccount();
      double.books.later(25 * 3_600_000);
      shop.restart();
      expect(line((await purchase()).answer)).to.equal('PROCESSED 10');
      expect(customersOfAccount()).to.have.length(1);
    });
  });

  describe('with a failed request', () => {
    it('is found by recovery and charged once if Stripe’s response is lost', async () => {
      double.fault = 'ANSWER_LOST';
      const request = shop.newRequest();
      const failed = await shop.gateway.purchase(request, shop.context).catch((error: unknown) => error);
      expect(failed).to.be.an('error');
      double.fault = 'NONE';
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['PROCESSED 10']);
      expect(double.effectsOf(request.transactionId)).to.equal(1);
    });

    it('is not submitted if Stripe is unreachable, and remains pending if it was already pending', async () => {
      double.bank = 'IS_SLOW';
      const { request } = await purchase();
      await double.stop();
      try {
        const again = shop.gateway.purchase({ ...request, isCompletion: true }, shop.context);
        expect(await again.catch((error: unknown) => error)).to.be.an('error');
        expect((await shop.gateway.purchase(shop.newRequest(), shop.context))?.status).to.equal('CANCELED');
      } finally {
        await double.start();
      }
    });

    it('has an unknown outcome after a server error', async () => {
      double.fault = 'SERVER_ERROR';
      const failed = await shop.gateway
        .purchase(shop.newRequest(), shop.context)
        .catch((error: unknown) => error);
      expect(failed).to.be.an('error');
    });

    it('has an unknown outcome if the connection is refused after a lost response', async () => {
      const request = shop.newRequest();
      double.fault = 'ANSWER_LOST';
      const paying = shop.gateway.purchase(request, shop.context).catch((error: unknown) => error);
      while (double.effectsOf(request.transactionId) === 0)
        await new Promise((resolve) => setImmediate(resolve));
      await double.stop();
      try {
        expect(await paying)
          .to.be.an('error')
          .with.property('name', 'UnansweredRequest');
      } finally {
        await double.start();
      }
    });

    it('is treated as not submitted if its request was rate limited', async () => {
      double.fault = 'RATE_LIMITED';
      const { answer } = await purchase();
      expect(answer).to.include({ status: PluginStatus.CANCELED, gatewayErrorCode: 'rate_limit' });
    });

    it('is treated as not submitted if the API key is unknown', async () => {
      shop.restart({ credentials: { apiKey: 'sk_test_revoked' } });
      expect((await purchase()).answer.status).to.equal(PluginStatus.CANCELED);
    });

    it('cannot start with a publishable key, because no gateway can be created with that key', () =>
      expect(() => shop.restart({ credentials: { apiKey: 'pk_test_browser' } })).to.throw(
        'The Stripe API key must be a secret (sk_…) or restricted (rk_…) one',
      ));

    it('is treated as a decline if the payment method is missing at Stripe', async () => {
      const { answer } = await purchase({ paymentMethodId: shop.newId() });
      expect(answer).to.include({ status: 'ERROR', gatewayErrorCode: 'payment_method_missing' });
    });
  });

  describe('with an authorization', () => {
    it('releases the remaining amount after the first capture', async () => {
      const { paymentId } = await held();
      const first = shop.newRequest({ paymentId, amount: '4' });
      expect(line(await shop.gateway.capture(first, shop.context))).to.equal('PROCESSED 4');
      const second = await shop.gateway.capture(shop.newRequest({ paymentId, amount: '1' }), shop.context);
      expect(second).to.include({ status: 'ERROR', gatewayErrorCode: 'payment_intent_unexpected_state' });
    });

    it('allows several captures with multicapture, but each capture only once', async () => {
      await shop.restart({ multicapture: true });
      const { request, paymentId } = await held();
      for (const amount of ['4', '5', '1']) {
        const capture = shop.newRequest({ paymentId, amount });
        for (const _ of [1, 2])
          expect(line(await shop.gateway.capture(capture, shop.context))).to.equal(`PROCESSED ${amount}`);
      }
      expect(double.intentOf(request.transactionId)).to.include({
        amount_received: 1_000,
        status: 'succeeded',
      });
      expect((await shop.paymentInfo(request)).map(line)).to.have.members([
        'PROCESSED 10',
        'PROCESSED 4',
        'PROCESSED 5',
        'PROCESSED 1',
      ]);
    });

    it('cannot be captured for more than the authorized amount', async () => {
      const { paymentId } = await held();
      const answer = given(
        await shop.gateway.capture(shop.newRequest({ paymentId, amount: '11' }), shop.context),
      );
      expect(answer).to.include({ status: 'ERROR', gatewayErrorCode: 'amount_too_large' });
    });

    it('can be voided after its authorization expires, and remains processed', async () => {
      const { request, paymentId } = await held();
      const intent = double.intentOf(request.transactionId);
      Object.assign(intent, { status: 'canceled', amount_capturable: 0, cancellation_reason: 'automatic' });
      const voided = await shop.gateway.void(shop.newRequest({ paymentId }), shop.context);
      expect(voided?.status).to.equal('PROCESSED');
      expect((await shop.paymentInfo(request)).map(line)).to.eql(['PROCESSED 10']);
    });

    it('verifies the payment method if the amount is 0', async () => {
      const { request, answer } = await held({ amount: '0' });
      expect(line(answer)).to.equal('PROCESSED 0');
      expect(answer.firstPaymentReferenceId).to.match(/^seti_/);
      expect((await shop.paymentInfo(request)).map(({ status }) => status)).to.eql(['PROCESSED']);
      await shop.customerWith('pm_card_chargeCustomerFail');
      expect((await held({ amount: '0' })).answer).to.include({
        status: 'ERROR',
        gatewayErrorCode: 'generic_decline',
      });
    });
  });

  describe('that verifies a payment method', () => {
    it('is pending and includes the customer’s next action while the bank requires consent', async () => {
      await shop.customerWith('pm_card_authenticationRequired');
      const { request, answer } = await held({ amount: '0' });
      expect(line(answer)).to.equal('PENDING 0');
      const [paymentInfo] = await shop.paymentInfo(request);
      for (const { properties } of [answer, given(paymentInfo ?? null)])
        expect(properties.map(({ key, value }) => `${key}=${value}`)).to.have.members([
          'stripe_status=requires_action',
          'next_action=use_stripe_sdk',
          'client_secret=seti_secret',
        ]);
    });
  });

  describe('that is refunded', () => {
    it('has a pending refund while the bank processes the refund', async () => {
      const { request } = await purchase();
      double.bank = 'IS_SLOW';
      const refund = shop.newRequest({ paymentId: request.paymentId, amount: '4' });
      expect(line(await shop.gateway.refund(refund, shop.context))).to.equal('PENDING 4');
      const [stored] = [...double.books.refunds.values()].filter(
        ({ metadata }) => metadata.billwright_transaction === refund.transactionId,
      );
      Object.assign(stored ?? {}, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
      const paymentInfo = (await shop.paymentInfo(request)).find(
        ({ transactionType }) => transactionType === 'REFUND',
      );
      expect(paymentInfo && line(paymentInfo)).to.equal('ERROR 4 expired_or_canceled_card');
    });

    const refused = [
      ['beyond the charged amount', '11', 'amount_too_large'],
      ['if the charge is already refunded', '1', 'charge_already_refunded'],
    ] as const;
    for (const [what, amount, code] of refused)
      it(`cannot be refunded ${what}`, async () => {
        const { request } = await purchase();
        const { paymentId } = request;
        if (amount === '1') await shop.gateway.refund(shop.newRequest({ paymentId }), shop.context);
        const answer = await shop.gateway.refund(shop.newRequest({ paymentId, amount }), shop.context);
        expect(answer).to.include({ status: 'ERROR', gatewayErrorCode: code });
      });
  });

  describe('in amount conversion', () => {
    const sent = [
      ['USD', '10.99', 1_099],
      ['JPY', '500', 500],
      ['KWD', '5.12', 5_120],
      ['ISK', '600', 60_000],
      ['UGX', '5000', 500_000],
      ['MGA', '5000', 5_000],
    ] as const;
    for (const [currency, amount, units] of sent)
      it(`converts ${amount} ${currency} to ${units} units at Stripe and back`, async () => {
        const { request, answer } = await purchase({ currency, amount });
        expect(Number(answer.amount)).to.equal(Number(amount));
        expect(double.intentOf(request.transactionId)).to.include({
          amount: units,
          currency: currency.toLowerCase(),
        });
      });

    const refused = [
      ['USD', '10.999'],
      ['KWD', '5.124'],
      ['ISK', '600.5'],
      ['MGA', '5000.5'],
    ] as const;
    for (const [currency, amount] of refused)
      it(`is rejected for ${amount} ${currency} instead of being rounded`, async () => {
        const { request, answer } = await purchase({ currency, amount });
        expect(answer).to.include({ status: 'ERROR', gatewayErrorCode: 'invalid_amount' });
        expect(double.effectsOf(request.transactionId)).to.equal(0);
      });

    it('is rejected by Stripe if the amount is below the minimum charge', async () => {
      const { answer } = await purchase({ amount: '0.49' });
      expect(answer).to.include({ gatewayErrorCode: 'amount_too_small', paymentResponse: 'INVALID_AMOUNT' });
    });
  });
});
