import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { type BaseUrlOptions, baseUrls } from '../../../adapters/koa/request/addresses.ts';

function requestFrom(address: string, headers: Record<string, string>): IncomingMessage {
  const socket = new Socket();
  Object.defineProperties(socket, {
    remoteAddress: { value: address },
    localAddress: { value: '127.0.0.1' },
    localPort: { value: 8080 },
  });
  const request = new IncomingMessage(socket);
  Object.assign(request.headers, headers);
  return request;
}

function urlFor(options: BaseUrlOptions, headers: Record<string, string>, address = '10.0.0.9'): string {
  const { origin, path } = baseUrls(options)({ req: requestFrom(address, headers) });
  return origin + path;
}

const host = '10.0.0.5:8080';
const forwarded = { host, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'billing.example.com' };

describe('base URL', () => {
  it('uses the scheme and host that a trusted proxy forwards (http-api 15.2 "Behind a proxy")', () => {
    const trustedProxies = ['10.0.0.0/8'];
    expect(urlFor({ trustedProxies }, forwarded)).to.equal('https://billing.example.com');
    expect(urlFor({ trustedProxies, locationFullUrl: false }, forwarded)).to.equal('');
  });

  it('uses forwarding headers only from trusted proxies', () => {
    expect(urlFor({}, forwarded)).to.equal('http://10.0.0.5:8080');
    expect(urlFor({ trustedProxies: ['10.0.0.8'] }, forwarded)).to.equal('http://10.0.0.5:8080');
    expect(urlFor({ trustedProxies: ['10.0.0.9'] }, forwarded, '::ffff:10.0.0.9')).to.equal(
      'https://billing.example.com',
    );
    expect(urlFor({ trustedProxies: ['fd00::/8'] }, forwarded, 'fd00::1')).to.equal(
      'https://billing.example.com',
    );
  });

  it('uses the forwarded port and prefix, and the standard Forwarded header', () => {
    const trustedProxies = ['10.0.0.9'];
    expect(
      urlFor(
        { trustedProxies },
        { ...forwarded, 'x-forwarded-port': '8443', 'x-forwarded-prefix': '/billing/' },
      ),
    ).to.equal('https://billing.example.com:8443/billing');
    expect(urlFor({ trustedProxies }, { ...forwarded, 'x-forwarded-port': '443' })).to.equal(
      'https://billing.example.com',
    );
    const standard = { host, forwarded: 'for=1.2.3.4;proto=https;host="pay.example.com"' };
    expect(urlFor({ trustedProxies }, standard)).to.equal('https://pay.example.com');
  });

  it('uses the configured host and path prefix instead of the headers', () => {
    expect(urlFor({ locationHost: 'public.example.com', basePath: '/api/' }, { host })).to.equal(
      'http://public.example.com/api',
    );
    expect(urlFor({ basePath: '/api', locationFullUrl: false }, { host })).to.equal('/api');
  });

  it('ignores an invalid host', () => {
    expect(urlFor({}, { host: 'evil.example.com/x?' })).to.equal('http://127.0.0.1:8080');
    expect(urlFor({}, {})).to.equal('http://127.0.0.1:8080');
    const trustedProxies = ['10.0.0.9'];
    const strange = {
      host,
      'x-forwarded-host': 'a b',
      'x-forwarded-proto': 'javascript',
      'x-forwarded-prefix': '//x',
    };
    expect(urlFor({ trustedProxies }, strange)).to.equal('http://10.0.0.5:8080');
  });
});
