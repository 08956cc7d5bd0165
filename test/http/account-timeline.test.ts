import { eachDatabaseByTurns, expect, populateOnce } from '../support/http/index.ts';

interface Timeline {
  readonly account: {
    readonly accountId: string;
    readonly accountBalance: unknown;
    readonly accountCBA: unknown;
  };
  readonly bundles: readonly { readonly bundleId: string; readonly externalKey: string }[];
  readonly invoices: readonly {
    readonly invoiceId: string;
    readonly bundleKeys: string;
    readonly credits: readonly unknown[];
    readonly items: readonly unknown[];
    readonly auditLogs: readonly unknown[];
  }[];
  readonly payments: readonly {
    readonly targetInvoiceId: string;
    readonly transactions: readonly unknown[];
  }[];
}

eachDatabaseByTurns.describe('account timeline', (open) => {
  const world = populateOnce(open);

  const read = async (query = ''): Promise<Timeline> =>
    (await world.serving.get(`/accounts/${world.accountId}/timeline${query}`)).json as Timeline;

  it('contains the account without balances, its bundles, its invoices with items, and its payments', async () => {
    const { account, bundles, invoices, payments } = await read();
    expect(account).to.include({ accountId: world.accountId, accountBalance: null, accountCBA: null });
    expect(bundles.map(({ bundleId }) => bundleId)).to.eql([world.bundleId]);
    expect(invoices.map(({ invoiceId }) => invoiceId)).to.eql([world.invoiceId]);
    const [invoice] = invoices;
    expect(invoice?.items).to.have.length.greaterThan(0);
    expect(invoice).to.deep.include({ bundleKeys: 'bundle', credits: [], auditLogs: [] });
    expect(payments.map(({ targetInvoiceId }) => targetInvoiceId)).to.eql([world.invoiceId]);
    expect(payments[0]?.transactions).to.have.length(1);
  });

  it('matches separate reads of its parts, including audit logs', async () => {
    const timeline = await read('?audit=FULL&parallel=true');
    const part = async (path: string) => (await world.serving.get(`/${path}`)).json;
    const { accountId, invoiceId } = world;
    expect(timeline.account).to.eql(await part(`accounts/${accountId}?audit=FULL`));
    expect(timeline.bundles).to.eql(await part(`accounts/${accountId}/bundles?audit=FULL`));
    expect(timeline.payments).to.eql(await part(`accounts/${accountId}/invoicePayments?audit=FULL`));
    const alone = (await part(`invoices/${invoiceId}?audit=FULL`)) as object;
    expect(timeline.invoices).to.eql([{ ...alone, bundleKeys: 'bundle', credits: [] }]);
    expect(timeline.invoices[0]?.auditLogs).to.have.length.greaterThan(0);
  });
});
