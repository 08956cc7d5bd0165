import { anyDatabase, basic, createdId, expect, list, serveOnce } from '../support/http/index.ts';

const PASSWORD = 'long enough a password';

anyDatabase.describe('permission to pay all invoices (http-api §5)', (open) => {
  const serving = serveOnce(open);
  before(async () => {
    for (const [name, permissions] of [
      ['cashier', ['payment:trigger']],
      ['creditor', ['payment:trigger', 'account:credit']],
    ] as const) {
      await serving.put('/security/roles', { role: name, permissions });
      const body = { username: name, password: PASSWORD, roles: [name] };
      await serving.post('/security/users', body);
    }
  });

  const member = (value: unknown, key: string) => (value as Readonly<Record<string, unknown>>)[key];

  it('allows an external overpayment only together with the permission to grant credit', async () => {
    const account = await serving.post('/accounts', { currency: 'USD' });
    const accountId = createdId(account);
    const charge = `/1.0/kb/invoices/charges/${accountId}?autoCommit=true`;
    await serving.call('POST', charge, { body: [{ accountId, amount: 10, currency: 'USD' }] });
    const paid = (name: string, amount: number) =>
      serving.call(
        'POST',
        `/1.0/kb/accounts/${accountId}/invoicePayments?externalPayment=true&paymentAmount=${amount}`,
        { headers: { authorization: basic(name, PASSWORD) } },
      );
    const refused = await paid('cashier', 12);
    expect([refused.status, member(refused.json, 'code')]).to.eql([403, 40000]);
    expect(await list(serving, `/1.0/kb/accounts/${accountId}/payments`)).to.eql([]);
    expect((await paid('cashier', 4)).status).to.equal(201);
    expect((await paid('creditor', 8)).status).to.equal(201);
    const query = 'accountWithBalanceAndCBA=true';
    const { json } = await serving.get(`/accounts/${accountId}?${query}`);
    expect(member(json, 'accountCBA')).to.equal(2);
    expect((await paid('cashier', 1)).status).to.equal(403);
  });
});
