import { expect } from 'chai';
import { sendInvoice } from '../../examples/e-invoice-sender.ts';

describe('e-invoice sender example', () => {
  it('sends an invoice again until the access point accepts it', async () =>
    expect(await sendInvoice()).to.eql([
      'PENDING: The access point answered 503: busy',
      'SENT: accepted as 2',
      'invoice-1.xml for 0208:0123456749',
      'invoice-1.xml for 0208:0123456749',
    ]));
});
