import { createdId, eachDatabaseByTurns, expect, list, populateOnce } from '../support/http/index.ts';

eachDatabaseByTurns.describe('optional details in payment reads', (open) => {
  const world = populateOnce(open);

  const member = (value: unknown, key: string): unknown =>
    (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

  it('include payment method details with withPluginInfo', async () => {
    const { serving, accountId } = world;
    const created = await serving.post(`/accounts/${accountId}/paymentMethods`, {
      pluginName: 'killbill-payment-test',
      pluginInfo: {
        externalPaymentMethodId: 'tok_http',
        properties: [{ key: 'last4', value: '4242', isUpdatable: true }],
      },
    });
    const path = `/1.0/kb/paymentMethods/${createdId(created)}`;
    expect(member((await serving.call('GET', path)).json, 'pluginInfo')).to.equal(null);
    const expected = {
      externalPaymentMethodId: 'tok_http',
      isDefaultPaymentMethod: false,
      properties: [{ key: 'last4', value: '4242', isUpdatable: true }],
    };
    const single = await serving.call('GET', `${path}?withPluginInfo=true`);
    expect(member(single.json, 'pluginInfo')).to.eql(expected);
    const listed = await list(serving, `/1.0/kb/accounts/${accountId}/paymentMethods?withPluginInfo=true`);
    expect(listed.map((each) => member(each, 'pluginInfo'))).to.deep.include(expected);
  });

  it('include transaction references with withPluginInfo', async () => {
    const { serving, accountId, invoiceId } = world;
    for (const path of [
      `/1.0/kb/accounts/${accountId}/payments`,
      `/1.0/kb/accounts/${accountId}/invoicePayments`,
      `/1.0/kb/invoices/${invoiceId}/payments`,
    ]) {
      const transactionOf = (payments: readonly unknown[]) => first(member(payments[0], 'transactions'));
      const plain = transactionOf(await list(serving, path));
      expect(plain).to.include({ firstPaymentReferenceId: null, properties: null });
      const withInfo = transactionOf(await list(serving, `${path}?withPluginInfo=true`));
      expect(withInfo).to.deep.include({
        firstPaymentReferenceId: member(plain, 'transactionId'),
        secondPaymentReferenceId: null,
        properties: [],
      });
    }
  });

  it('include the scheduled attempt with withAttempts, but without audit rows', async () => {
    const { serving } = world;
    const account = await serving.post('/accounts', { currency: 'USD' });
    const accountId = createdId(account);
    await serving.post(`/accounts/${accountId}/paymentMethods?isDefault=true`, {
      pluginName: 'killbill-payment-test',
    });
    serving.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
    await serving.post('/subscriptions', { accountId, planName: 'canopy-monthly' });
    await serving.billing.settle();
    const path = `/1.0/kb/accounts/${accountId}/payments`;
    const [plain] = await list(serving, path);
    expect(member(plain, 'paymentAttempts')).to.equal(null);
    const [payment] = await list(serving, `${path}?withAttempts=true&audit=FULL`);
    const attempts = member(payment, 'paymentAttempts') as readonly Readonly<Record<string, unknown>>[];
    expect(attempts.map(({ stateName }) => stateName)).to.eql(['RETRIED', 'SCHEDULED']);
    const [made, scheduled] = attempts;
    expect(made?.auditLogs).to.not.deep.equal([]);
    expect(scheduled).to.eql({
      ...made,
      stateName: 'SCHEDULED',
      transactionId: null,
      effectiveDate: '2024-02-18T08:15:30.000Z',
      auditLogs: [],
    });
  });
});
