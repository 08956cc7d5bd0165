import { basicCredentials } from '../../../adapters/koa/auth/credentials.ts';
import { Dialect, headerFamilies } from '../../../adapters/koa/dialect.ts';
import { authorshipOf, requestIdOf, requireAuthor } from '../../../adapters/koa/request/headers.ts';
import { BillingError, expect, parseUuid } from '../../support/unit.ts';

const families = headerFamilies();
const { header, dialectOf } = families;
const fresh = parseUuid('01a1fcfe-e8ec-717e-8cdb-6282f0f9f546');

describe('request headers', () => {
  it('are accepted in either spelling, with priority for X-Service-', () => {
    expect(header({ 'x-service-apikey': 'a', 'x-killbill-apikey': 'b' }, 'ApiKey')).to.equal('a');
    expect(header({ 'x-killbill-apikey': 'b' }, 'ApiKey')).to.equal('b');
    expect(header({}, 'ApiKey')).to.equal(undefined);
  });

  it('are decoded as UTF-8, or kept unchanged if invalid', () => {
    const latin1OfUtf8 = Buffer.from('Zoë', 'utf8').toString('latin1');
    expect(header({ 'x-service-createdby': latin1OfUtf8 }, 'CreatedBy')).to.equal('Zoë');
    expect(header({ 'x-service-createdby': 'Zo\xeb' }, 'CreatedBy')).to.equal('Zo\xeb');
  });

  it('determine the dialect of a call', () => {
    expect(dialectOf({ 'x-killbill-apikey': 'b' }, Dialect.D)).to.equal('K');
    expect(dialectOf({ 'x-killbill-apikey': 'b', 'x-service-reason': 'a' }, Dialect.D)).to.equal('D');
    expect(dialectOf({ accept: '*/*' }, Dialect.D)).to.equal('D');
    expect(dialectOf({ accept: '*/*' }, Dialect.K)).to.equal('K');
  });
});

describe('header families with custom aliases', () => {
  const other = headerFamilies(['X-Acme-', 'x-service-', 'X-Other-']);

  it('are read only under X-Service- and the listed aliases, in that order', () => {
    const all = {
      'x-other-reason': 'o',
      'x-acme-reason': 'a',
      'x-service-reason': 's',
      'x-killbill-reason': 'k',
    };
    expect(other.header(all, 'Reason')).to.equal('s');
    const { 'x-service-reason': _service, ...aliases } = all;
    expect(other.header(aliases, 'Reason')).to.equal('a');
    expect(other.header({ 'x-killbill-reason': 'k' }, 'Reason')).to.equal(undefined);
    expect(other.prefixes).to.eql(['X-Service-', 'X-Acme-', 'X-Other-']);
  });

  it('do not determine the dialect under a custom alias', () => {
    expect(other.dialectOf({ 'x-acme-reason': 'a' }, Dialect.K)).to.equal('K');
    expect(other.dialectOf({ 'x-acme-reason': 'a' }, Dialect.D)).to.equal('D');
    expect(other.dialectOf({ 'x-killbill-reason': 'k' }, Dialect.D)).to.equal('D');
    expect(
      headerFamilies(['X-Acme-', 'x-killbill-']).dialectOf({ 'x-killbill-reason': 'k' }, Dialect.D),
    ).to.equal('K');
  });
});

describe('author headers of a call', () => {
  const encoded = (text: string) => Buffer.from(text, 'utf8').toString('base64');

  it('supply the author, the reason and the comment', () => {
    const headers = { 'x-service-createdby': 'ann', 'x-service-reason': 'why', 'x-service-comment': 'so' };
    expect(authorshipOf(headers, families, 'D')).to.eql({ createdBy: 'ann', reason: 'why', comment: 'so' });
  });

  it('may be in Base64, and stay unchanged if they are not valid Base64', () => {
    const headers = {
      'x-killbill-encoding': 'base64',
      'x-killbill-createdby': encoded('Jürgen'),
      'x-killbill-comment': 'no base64!',
    };
    expect(authorshipOf(headers, families, 'K')).to.eql({
      createdBy: 'Jürgen',
      reason: null,
      comment: 'no base64!',
    });
  });

  it('may have at most 255 characters', () => {
    const headers = { 'x-service-createdby': 'x'.repeat(255), 'x-service-reason': 'x'.repeat(256) };
    expect(() => authorshipOf(headers, families, 'D'))
      .to.throw(BillingError, 'Header X-Service-Reason is 256 characters long')
      .with.property('code', 60002);
  });

  it('are required for writes, under the header name of the dialect (http-api 15.4 "Author")', () => {
    const nobody = authorshipOf({ 'x-service-createdby': ' ' }, families, 'D');
    expect(() => requireAuthor(nobody, 'D'))
      .to.throw(BillingError, /^Header X-Service-CreatedBy needs to be set$/)
      .with.property('code', 60003);
    expect(() => requireAuthor(nobody, 'K')).to.throw(/^Header X-Killbill-CreatedBy needs to be set$/);
  });
});

describe('request id headers', () => {
  it('supply the request id, which is also the token if it is a UUID', () => {
    const id = '3C9D7B4E-8F0A-4E0B-9A55-5D6B1B0F8E01';
    expect(requestIdOf({ 'x-request-id': id }, families, () => fresh)).to.eql({
      echo: id,
      userToken: id.toLowerCase(),
    });
    expect(requestIdOf({ 'x-killbill-request-id-req': 'abc' }, families, () => fresh)).to.eql({
      echo: 'abc',
      userToken: fresh,
    });
  });

  it('are replaced by a generated id when they are missing or cannot be echoed', () => {
    expect(requestIdOf({}, families, () => fresh)).to.eql({ echo: fresh, userToken: fresh });
    expect(requestIdOf({ 'x-request-id': 'x'.repeat(256) }, families, () => fresh).echo).to.equal(fresh);
  });
});

describe('basic credentials', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text, 'utf8').toString('base64')}`;

  it('may contain a secret with colons and non-ASCII characters, or an empty name and secret', () => {
    expect(basicCredentials(basic('ann:se:crét'))).to.eql({ name: 'ann', secret: 'se:crét' });
    expect(basicCredentials(basic(':'))).to.eql({ name: '', secret: '' });
    expect(basicCredentials(basic('a:b').replace('Basic', 'bAsIc'))).to.eql({ name: 'a', secret: 'b' });
  });

  for (const header of [
    basic('\u0000a:b'),
    basic('a:b\u0000'),
    undefined,
    '',
    'Basic',
    'Basic ',
    'Basic !!!',
    basic('nocolon'),
    'Bearer abc',
  ])
    it(`cannot be read from ${JSON.stringify(header)}`, () =>
      expect(basicCredentials(header)).to.equal(null));
});
