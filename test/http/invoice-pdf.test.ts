import { eachDatabaseByTurns, expect } from '../support/http/index.ts';
import { aliasHeaders, createdId, documentHeaders, eve, serveEach } from '../support/http/serving.ts';
import { readPdf } from '../support/pdf/pdf-text.ts';

eachDatabaseByTurns.describe('invoice PDF over HTTP (invoicing §14 rule 6)', (open) => {
  const serving = serveEach(open);
  const { call } = serving;

  it('opens in a browser and has a file name, in both dialects and with any Accept header', async () => {
    const account = await call('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } });
    const made = await call('POST', `/1.0/kb/invoices/migration/${createdId(account)}`, {
      body: [{ itemType: 'EXTERNAL_CHARGE', amount: 12.5, description: 'Work' }],
    });
    const id = createdId(made);
    for (const more of [{}, { accept: 'application/pdf' }, { accept: 'application/json' }, aliasHeaders]) {
      const headers = Object.entries({ ...documentHeaders, 'accept-encoding': 'gzip', ...more }).flatMap(
        ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
      );
      const answer = await fetch(`${serving.url}/1.0/kb/invoices/${id}/pdf`, { headers });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('application/pdf');
      expect(answer.headers.get('content-encoding')).to.equal(null);
      expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
      expect(answer.headers.get('content-disposition')).to.equal(`inline; filename="invoice-${id}.pdf"`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      expect(Number(answer.headers.get('content-length'))).to.equal(bytes.length);
      expect((await readPdf(bytes)).pages.flat()).to.include('Work $12.50');
    }
    const refused = await call('GET', `/1.0/kb/invoices/${id}/pdf`, { headers: eve });
    expect([refused.status, refused.json]).to.deep.include.members([404]);
    const html = await call('GET', `/1.0/kb/invoices/${id}/pdf`, { headers: { accept: 'text/html' } });
    expect(html.status).to.equal(406);
  });
});
