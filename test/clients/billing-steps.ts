import { expect } from 'chai';
import {
  InvoiceDryRunBillingPolicyEnum,
  InvoiceDryRunDryRunActionEnum,
  InvoiceDryRunDryRunTypeEnum,
  type Subscription,
} from 'killbill';
import { describeCatalogOfSubscription } from './catalog-steps.ts';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeBilling(journey: JourneyOf): void {
  describe('subscriptions, invoices and payments', () => {
    it('use a new payment method', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const body = {
        pluginName: 'killbill-payment-test',
        externalKey: 'card',
        pluginInfo: { properties: [{ key: 'token', value: '4111' }] },
      };
      const made = await client.account.createPaymentMethod(body, accountId, BY, false, false, undefined, [
        'a=b',
        'c=d=e',
      ]);
      expect(made.status).to.equal(201);
      expect(made.data).to.include({ accountId, externalKey: 'card', pluginName: 'killbill-payment-test' });
      const methodId = ids.note('paymentMethodId', made.data.paymentMethodId);
      await client.account.setDefaultPaymentMethod(accountId, methodId, BY);
      const { data } = await client.paymentMethod.getPaymentMethod(methodId, false, true, ['a=b'], 'FULL');
      expect(data).to.include({ isDefault: true });
      const all = await client.account.getPaymentMethodsForAccount(accountId, true, false, [], 'FULL');
      expect(all.data).to.eql([data]);
    });

    it('include subscriptions created by plan and by product, with a key, dates and a wait', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      // The package's type requires each of these fields, although the interface requires only one of them.
      const byPlan = {
        accountId,
        externalKey: 'sub',
        bundleExternalKey: 'bundle',
        planName: 'canopy-monthly',
      };
      const made = await client.subscription.createSubscription(byPlan as Subscription, BY);
      expect(made.status).to.equal(201);
      expect(made.data).to.deep.include({
        ...byPlan,
        state: 'ACTIVE',
        startDate: '2024-02-10T08:15:30.000Z',
        billingPeriod: 'MONTHLY',
      });
      ids.note('subscriptionId', made.data.subscriptionId);
      ids.note('bundleId', made.data.bundleId);
      ids.note('eventId', made.data.events?.find(({ eventType }) => eventType === 'START_BILLING')?.eventId);
      await journey().serving.billing.settle();

      const bySpecifier = {
        accountId,
        productName: 'Sprout',
        productCategory: 'BASE',
        billingPeriod: 'MONTHLY',
        priceList: 'DEFAULT',
      };
      const second = await client.subscription.createSubscription(
        bySpecifier as Subscription,
        BY,
        '2024-02-10',
        '2024-02-10',
        true,
        false,
      );
      expect(second.data).to.include({ planName: 'sprout-monthly', phaseType: 'TRIAL' });
      await journey().serving.billing.settle();
    });

    it('include subscriptions created with add-ons', async () => {
      const { client } = journey();
      const other = await client.account.createAccount({ externalKey: 'joan', currency: 'USD' }, BY);
      const of = (planName: string) => ({ accountId: other.data.accountId, planName }) as Subscription;
      const { createSubscriptionWithAddOns, createSubscriptionsWithAddOns } = client.subscription;
      const bundle = { baseEntitlementAndAddOns: [of('archive-monthly'), of('bloom-monthly')] };
      const { data } = await createSubscriptionsWithAddOns([bundle, bundle], BY);
      expect(data.map(({ subscriptions }) => subscriptions?.map(({ planName }) => planName))).to.eql([
        ['bloom-monthly', 'archive-monthly'],
        ['bloom-monthly', 'archive-monthly'],
      ]);
      const { data: one } = await createSubscriptionWithAddOns(bundle.baseEntitlementAndAddOns, BY);
      expect(one.subscriptions).to.have.length(2);
      const alone = await failureOf(createSubscriptionWithAddOns([of('archive-monthly')], BY));
      expect(alone.body).to.include({ code: 1013 });
      await journey().serving.billing.settle();
    });

    it('include the subscriptions and bundles of the account', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const byId = await client.subscription.getSubscription(ids.get('subscriptionId'), 'FULL');
      expect(byId.data).to.include({ externalKey: 'sub', chargedThroughDate: '2024-03-10' });
      expect((await client.subscription.getSubscriptionByKey('sub', 'FULL')).data).to.eql(byId.data);
      const bundles = await client.account.getAccountBundles(accountId, 'bundle', undefined, 'FULL');
      expect(bundles.data.map(({ bundleId }) => bundleId)).to.eql([ids.get('bundleId')]);
      const filtered = await client.account.getAccountBundles(accountId, undefined, ids.get('bundleId'));
      expect(filtered.data).to.have.length(1);
      const page = await client.account.getAccountBundlesPaginated(accountId, 0, 1);
      expect(page.headers).to.include({ 'x-killbill-pagination-totalnbrecords': '2' });
    });

    describeCatalogOfSubscription(journey);

    it('include the invoice, its items and its payment', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const { data } = await client.account.getInvoicesForAccount(
        accountId,
        '2024-01-01',
        undefined,
        false,
        false,
        false,
        true,
        undefined,
        'FULL',
      );
      const [invoice] = data;
      const invoiceId = ids.note('invoiceId', invoice?.invoiceId);
      expect(invoice).to.include({ status: 'COMMITTED', currency: 'USD', invoiceNumber: '1', balance: 0 });
      ids.note('invoiceItemId', invoice?.items?.[0]?.invoiceItemId);
      const alone = await client.invoice.getInvoice(invoiceId, true, 'FULL');
      expect(alone.data.items).to.eql(invoice?.items);
      expect((await client.invoice.getInvoices(0, 10, 'NONE')).data[0]?.invoiceId).to.equal(invoiceId);
      const byNumber = await client.invoice.getInvoiceByNumber(Number(invoice?.invoiceNumber), true, 'FULL');
      expect(byNumber.data).to.eql(alone.data);
      const byItem = await client.invoice.getInvoiceByItemId(ids.get('invoiceItemId'), true, 'FULL');
      expect(byItem.data).to.eql(alone.data);
      for (const key of ['1', 'USD', accountId, '_q=1&balance[eq]=0', '_q=1&status=COMMITTED']) {
        const found = await client.invoice.searchInvoices(key, 0, 10, 'NONE');
        expect(found.data[0]?.invoiceId, key).to.equal(invoiceId);
      }
      const page = await client.account.getInvoicesForAccountPaginated(accountId, 0, 10, 'NONE');
      expect(page.data.map((one) => one.invoiceId)).to.include(invoiceId);

      const [payment] = (await client.invoice.getPaymentsForInvoice(invoiceId, true, true, 'FULL')).data;
      expect(payment).to.include({ targetInvoiceId: invoiceId, purchasedAmount: invoice?.amount });
      const paymentId = ids.note('paymentId', payment?.paymentId);
      ids.note('transactionId', payment?.transactions?.[0]?.transactionId);
      const ofAccount = await client.account.getInvoicePayments(accountId, true, true, ['a=b'], 'FULL');
      expect(ofAccount.data.map((one) => one.paymentId)).to.include(paymentId);
      const payments = await client.account.getPaymentsForAccount(accountId, true, true, ['a=b'], 'FULL');
      expect(payments.data[0]?.transactions?.[0]).to.include({
        transactionType: 'PURCHASE',
        status: 'SUCCESS',
      });
    });

    it('include dry runs and runs on request', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const dryRun = await client.invoice.generateDryRunInvoice(
        { dryRunType: InvoiceDryRunDryRunTypeEnum.TargetDate },
        accountId,
        BY,
        '2024-03-10',
      );
      expect(dryRun.status).to.equal(200);
      expect(dryRun.data).to.include({ accountId, targetDate: '2024-03-10' });
      const { generateDryRunInvoice } = client.invoice;
      const { data: next } = await generateDryRunInvoice(
        { dryRunType: InvoiceDryRunDryRunTypeEnum.UpcomingInvoice },
        accountId,
        BY,
      );
      expect(next).to.include({ accountId, targetDate: '2024-02-24', invoiceNumber: null });
      const running = { subscriptionId: ids.get('subscriptionId'), bundleId: ids.get('bundleId') };
      const { data: changed } = await generateDryRunInvoice(
        {
          dryRunType: InvoiceDryRunDryRunTypeEnum.SubscriptionAction,
          dryRunAction: InvoiceDryRunDryRunActionEnum.Change,
          ...running,
          planName: 'bloom-monthly',
          billingPolicy: InvoiceDryRunBillingPolicyEnum.Immediate,
        },
        accountId,
        BY,
        '2024-03-10',
      );
      expect(changed.items?.map((item) => item.planName)).to.include('bloom-monthly');
      const made = await client.invoice.createFutureInvoice(accountId, BY, '2024-03-10');
      expect(made.status).to.equal(201);
      expect(made.data.items?.map((item) => item.planName)).to.include('canopy-monthly');
      const nothing = await failureOf(client.invoice.createFutureInvoice(accountId, BY, '2024-03-10'));
      expect(nothing.status).to.equal(404);
      expect(nothing.body).to.include({ code: 4007 });
      await journey().serving.billing.settle();
    });

    it('include a cancellation at the end of the term, which is undone', async () => {
      const { client, ids } = journey();
      const id = ids.get('subscriptionId');
      const cancelled = await client.subscription.cancelSubscriptionPlan(
        id,
        BY,
        undefined,
        false,
        undefined,
        'END_OF_TERM',
        'END_OF_TERM',
      );
      expect(cancelled.status).to.equal(204);
      const { data } = await client.subscription.getSubscription(id);
      expect(data.cancelledDate).to.match(/^2024-04-1\d/);
      expect((await client.subscription.uncancelSubscriptionPlan(id, BY)).status).to.equal(204);
      expect((await client.subscription.getSubscription(id)).data.cancelledDate).to.equal(null);
    });

    it('include a plan change at the end of the term, which is undone', async () => {
      const { client, ids } = journey();
      const id = ids.get('subscriptionId');
      const body = { planName: 'bloom-monthly' } as Subscription;
      const { changeSubscriptionPlan } = client.subscription;
      const changed = await changeSubscriptionPlan(body, id, BY, undefined, false, undefined, 'END_OF_TERM');
      expect(changed.status).to.equal(204);
      const { data } = await client.subscription.getSubscription(id);
      const events = data.events?.filter((event) => event.eventType === 'CHANGE');
      expect(events?.map((event) => event.plan)).to.eql(['bloom-monthly']);
      expect((await client.subscription.undoChangeSubscriptionPlan(id, BY)).status).to.equal(204);
      const undone = await client.subscription.getSubscription(id);
      expect(undone.data.events?.map((event) => event.plan)).not.to.include('bloom-monthly');
    });

    it('use a changed quantity and bill cycle day', async () => {
      const { client, ids } = journey();
      const id = ids.get('subscriptionId');
      const { updateSubscriptionBCD, updateSubscriptionQuantity } = client.subscription;
      const day = await updateSubscriptionBCD(
        { billCycleDayLocal: 20 } as Subscription,
        id,
        BY,
        '2024-02-20',
      );
      expect(day.status).to.equal(204);
      const body = { quantity: 2 } as Subscription;
      expect((await updateSubscriptionQuantity(body, id, BY, '2024-02-15', false)).status).to.equal(204);
      const { data } = await client.subscription.getSubscription(id);
      expect(data).to.include({ quantity: 1, billCycleDayLocal: 10 });
    });

    it('appear in the timeline', async () => {
      const { client, ids } = journey();
      const { data } = await client.account.getAccountTimeline(ids.get('accountId'), true, 'FULL');
      expect(data.account).to.include({ externalKey: 'ada' });
      expect(data.bundles).to.have.length(2);
      expect(data.invoices?.map((invoice) => invoice.invoiceId)).to.include(ids.get('invoiceId'));
      expect(data.payments?.map((payment) => payment.paymentId)).to.include(ids.get('paymentId'));
    });
  });
}
