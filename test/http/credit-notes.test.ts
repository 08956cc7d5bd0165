import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { aliasHeaders, configure, createAccount, eve, serveEach } from '../support/http/serving.ts';

const invoices = '/1.0/kb/invoices';

eachDatabaseByTurns.describe('credit notes over HTTP (invoicing §21)', (open) => {
  const serving = serveEach(open);

  it('are listed by invoice and account, shown as a page and a PDF, and hidden from other tenants', async () => {
    const { call, get } = serving;
    const setting = { 'org.service.invoice.creditNotes': 'true' };
    await configure({ call }, setting);
    const accountId = await createAccount({ call });
    const made = await call('POST', `${invoices}/charges/${accountId}?autoCommit=true`, {
      body: [{ amount: 10, description: 'Work' }],
    });
    const [item] = made.json as readonly { readonly invoiceId: string; readonly invoiceItemId: string }[];
    const { invoiceId, invoiceItemId } = item ?? { invoiceId: '', invoiceItemId: '' };
    const listed = () => call('GET', `${invoices}/${invoiceId}/creditNotes`);
    expect((await listed()).json).to.eql([]);
    const adjusted = await call('POST', `${invoices}/${invoiceId}`, {
      body: { accountId, invoiceItemId, amount: 4, currency: 'USD' },
    });
    expect(adjusted.status, adjusted.text).to.equal(201);
    const [note] = (await listed()).json as readonly { readonly creditNoteId: string }[];
    expect(note).to.deep.include({
      creditNoteNumber: 1,
      accountId,
      invoiceId,
      reason: 'ADJUSTMENT',
      creditNoteDate: '2024-02-10',
      amount: 4,
      currency: 'USD',
    });
    const ofAccount = (query: string) => get(`/accounts/${accountId}/creditNotes?${query}`);
    expect((await ofAccount('limit=1')).json).to.eql([note]);
    expect((await ofAccount('offset=1')).json).to.eql([]);
    const path = `/1.0/kb/creditNotes/${note?.creditNoteId}`;
    for (const headers of [{}, aliasHeaders]) {
      expect((await call('GET', path, { headers })).json).to.eql(note);
      const page = await call('GET', `${path}/html`, { headers });
      expect(page.text).to.contain('Credit note').and.contain('$4.00');
      expect(page.headers.get('content-security-policy')).to.match(/^sandbox/);
      const file = await call('GET', `${path}/pdf`, { headers });
      expect(file.headers.get('content-type')).to.equal('application/pdf');
      expect(file.headers.get('content-disposition')).to.equal(
        `inline; filename="credit-note-${note?.creditNoteId}.pdf"`,
      );
    }
    await configure({ call }, { ...setting, 'org.service.invoice.creditNoteNumberPattern': 'CN-{n:3}' });
    const patterned = { ...note, formattedNumber: 'CN-001' };
    expect((await call('GET', path)).json).to.eql(patterned);
    expect((await listed()).json).to.eql([patterned]);
    for (const below of ['', '/html', '/pdf']) {
      const refused = await call('GET', `${path}${below}`, { headers: eve });
      expect([refused.status, refused.json]).to.deep.include.members([404]);
    }
  });
});
