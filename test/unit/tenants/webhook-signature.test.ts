import { expect } from 'chai';
import { secretText, webhookSignature } from '../../../lib/tenants/webhook-signature.ts';

const content = {
  id: '7a0e3c52-5d0f-4b8e-8d8b-0f4f1f7f2a10',
  timestampSec: 1_741_598_130,
  body: '{"eventType":"ACCOUNT_CREATION","accountId":"1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11","objectType":"ACCOUNT","objectId":"1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11","metaData":null}',
};
const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const signature = 'v1,hcUBQyrBakh2nbMmA6kbIYWWliOCMCwX+MXRlPKXCTs=';

describe('signature of a push notification (platform §10.3)', () => {
  it('P5 Signature', async () => {
    expect(new TextEncoder().encode(content.body)).to.have.length(172);
    expect(await webhookSignature([secret], content)).to.equal(signature);
  });

  it('the signature of a push notification is one per secret, and other for each part of what is signed', async () => {
    const other = secretText(new Uint8Array(32).fill(7));
    const both = (await webhookSignature([secret, other], content)).split(' ');
    expect(both[0]).to.equal(signature);
    expect(both[1])
      .to.match(/^v1,[A-Za-z0-9+/]{43}=$/)
      .and.not.equal(signature);
    for (const changed of [{ id: 'x' }, { timestampSec: 1 }, { body: '{}' }])
      expect(await webhookSignature([secret], { ...content, ...changed })).to.not.equal(signature);
    expect(await webhookSignature([], content)).to.equal('');
  });

  it('the signature of a push notification takes secrets as they are told', () => {
    expect(secretText(new TextEncoder().encode('0123456789abcdef0123456789abcdef'))).to.equal(secret);
  });
});
