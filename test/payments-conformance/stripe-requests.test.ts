import { expect } from 'chai';
import { openDispute } from '../support/stripe/payment-intents.ts';
import { endpoints } from '../support/stripe/stripe-endpoints.ts';
import { StripeMock } from '../support/stripe/stripe-mock.ts';
import { StripeShop } from '../support/stripe/stripe-shop.ts';

const command = StripeMock.installed();

describe('requests to Stripe', () => {
  const shop = new StripeShop();
  let mock: StripeMock;

  before(async function () {
    if (command === null) {
      process.stderr.write(
        '    NOT LOOKED AT: stripe-mock is not installed, so nobody has checked requests against Stripe’s description of its API (go install github.com/stripe/stripe-mock@latest, or BILLWRIGHT_TEST_STRIPE_MOCK=/path/to/it)\n',
      );
      this.skip();
    }
    mock = await StripeMock.start(command);
    await shop.double.start();
  });
  after(async () => {
    if (command === null) return;
    await mock.stop();
    await shop.double.stop();
  });

  it('match Stripe’s API specification', async () => {
    await callEveryEndpoint(shop);
    const sent = new Map(shop.double.requests.map((each) => [JSON.stringify(each), each]));
    const refused: string[] = [];
    for (const request of sent.values()) {
      const refusal = await mock.refusalOf(request);
      if (refusal !== null) refused.push(`${request.method} ${request.pathname} ${request.text}: ${refusal}`);
    }
    expect(refused).to.eql([]);
    expect(called(shop)).to.have.members(endpoints.map(({ method, path }) => `${method} ${path}`));
  });

  it('fail validation against the specification if they contain an unknown parameter', async () => {
    const request = { method: 'POST', pathname: '/v1/customers', text: 'color=blue' };
    expect(await mock.refusalOf(request)).to.match(/^400 /);
  });
});

/** Calls every endpoint of the double through the gateway. */
async function callEveryEndpoint(shop: StripeShop): Promise<void> {
  const { double, context } = shop;
  await shop.restart({ multicapture: true, returnUrl: 'https://shop.example/back' }).customerWith();
  const { gateway, accountId, paymentMethodId } = shop;
  const method = { accountId, paymentMethodId, properties: [] };
  const properties = { off_session: 'false', description: 'Order 7', return_url: 'https://shop.example/7' };
  const bought = shop.newRequest({ properties });
  for (const _ of [1, 2]) await gateway.purchase(bought, context);
  const refund = shop.newRequest({ paymentId: bought.paymentId, amount: '4' });
  for (const _ of [1, 2]) await gateway.refund(refund, context);
  const checked = shop.newRequest({ amount: '0' });
  for (const _ of [1, 2]) await gateway.authorize(checked, context);
  const held = shop.newRequest();
  await gateway.authorize(held, context);
  await gateway.capture(shop.newRequest({ paymentId: held.paymentId, amount: '4' }), context);
  await shop.restart();
  const other = shop.newRequest();
  await shop.gateway.authorize(other, context);
  await shop.gateway.void(shop.newRequest({ paymentId: other.paymentId }), context);
  await shop.paymentInfo(bought);
  await gateway.getPaymentMethodDetail(method, context);
  await gateway.getPaymentMethods({ accountId, refreshFromGateway: true, properties: [] }, context);
  const pages = {
    success_url: 'https://shop.example/added',
    cancel_url: 'https://shop.example/',
    currency: 'EUR',
  };
  const customFields = Object.entries(pages).map(([key, value]) => ({ key, value, isUpdatable: false }));
  for (const fields of [[], customFields])
    await gateway.buildFormDescriptor({ accountId, customFields: fields, properties: [] }, context);
  openDispute(double.books, double.intentOf(bought.transactionId), { amount: 100 });
  const { rawBody } = double.notification('charge.dispute.created');
  await gateway.processNotification({ body: rawBody, properties: [] }, context);
  await findInSearch(shop);
  await gateway.deletePaymentMethod(method, context);
  await takeAttached(shop);
}

/** Uses a method that Stripe attached, as after a setup intent. */
async function takeAttached(shop: StripeShop): Promise<void> {
  await shop.restart().customerWith();
  const id = [...shop.double.books.methods.keys()].at(-1) ?? '';
  shop.double.books.method(id).metadata = {};
  await shop.addMethod(id);
}

/** Calls the searches for customers with over a hundred payments and for old accounts. */
async function findInSearch(shop: StripeShop): Promise<void> {
  const { double } = shop;
  shop.accountId = shop.idOfHoursAgo(48);
  await shop.restart().addMethod('pm_card_visa');
  const bought = shop.newRequest();
  await shop.gateway.purchase(bought, shop.context);
  const made = double.intentOf(bought.transactionId);
  for (let number = 0; number < 100; number += 1)
    double.books.intents.set(`pi_${number}`, { ...made, id: `pi_${number}`, metadata: {} });
  await shop.paymentInfo(bought);
}

function called({ double }: StripeShop): readonly string[] {
  const names = double.requests.map(({ method, pathname }) => {
    const path = pathname.replace(/\/(cus|pm|pi|seti|re|du|pm_card)_[^/]+/, '/:id');
    return `${method} ${path}`;
  });
  return [...new Set(names)];
}
