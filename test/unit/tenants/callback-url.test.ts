import type { AddressScope } from '../../../lib/tenants/callback-url.ts';
import { addressScope, readCallbackUrl, resolveCallback } from '../../../lib/tenants/callback-url.ts';
import { BillingError, codeThrownBy, ErrorCode, errorOf, expect } from '../../support/unit.ts';

const anywhere = { allowPrivateNetworks: true, allowLoopback: false };
const publicOnly = { allowPrivateNetworks: false, allowLoopback: false };
const testMode = { allowPrivateNetworks: false, allowLoopback: true };

/** Address and scope: PUBLIC, PRIVATE and LOOPBACK (allowed by the operator) or FORBIDDEN (never allowed). */
const addresses: readonly (readonly [string, AddressScope])[] = [
  ['93.184.216.34', 'PUBLIC'],
  ['172.15.255.255', 'PUBLIC'],
  ['172.32.0.0', 'PUBLIC'],
  ['192.167.255.255', 'PUBLIC'],
  ['2606:2800:220:1:248:1893:25c8:1946', 'PUBLIC'],
  ['127.0.0.1', 'LOOPBACK'],
  ['127.255.255.255', 'LOOPBACK'],
  ['10.0.0.1', 'PRIVATE'],
  ['172.16.0.1', 'PRIVATE'],
  ['172.31.255.255', 'PRIVATE'],
  ['192.168.1.1', 'PRIVATE'],
  ['100.64.0.1', 'PRIVATE'],
  ['100.127.255.255', 'PRIVATE'],
  ['::1', 'LOOPBACK'],
  ['fc00::1', 'PRIVATE'],
  ['fdff::1', 'PRIVATE'],
  ['0.0.0.0', 'FORBIDDEN'],
  ['0.1.2.3', 'FORBIDDEN'],
  ['169.254.169.254', 'FORBIDDEN'],
  ['169.254.0.1', 'FORBIDDEN'],
  ['100.100.100.200', 'FORBIDDEN'],
  ['168.63.129.16', 'FORBIDDEN'],
  ['192.0.0.192', 'FORBIDDEN'],
  ['224.0.0.1', 'FORBIDDEN'],
  ['255.255.255.255', 'FORBIDDEN'],
  ['::', 'FORBIDDEN'],
  ['fe80::1', 'FORBIDDEN'],
  ['fe80::1%eth0', 'FORBIDDEN'],
  ['febf::1', 'FORBIDDEN'],
  ['fd00:ec2::254', 'FORBIDDEN'],
  ['ff02::1', 'FORBIDDEN'],
  // IPv4 inside IPv6: mapped, NAT64, 6to4
  ['::ffff:169.254.169.254', 'FORBIDDEN'],
  ['::ffff:a9fe:a9fe', 'FORBIDDEN'],
  ['::ffff:127.0.0.1', 'LOOPBACK'],
  ['::ffff:8.8.8.8', 'PUBLIC'],
  ['64:ff9b::a9fe:a9fe', 'FORBIDDEN'],
  ['64:ff9b::7f00:1', 'LOOPBACK'],
  ['2002:a9fe:a9fe::', 'FORBIDDEN'],
  ['2002:0a00:0001::', 'PRIVATE'],
  ['::169.254.169.254', 'FORBIDDEN'],
  // no addresses
  ['', 'FORBIDDEN'],
  ['example.com', 'FORBIDDEN'],
  ['1.2.3', 'FORBIDDEN'],
  ['256.1.1.1', 'FORBIDDEN'],
  ['01.2.3.4', 'FORBIDDEN'],
  ['1:2:3', 'FORBIDDEN'],
  ['1::2::3', 'FORBIDDEN'],
  ['12345::', 'FORBIDDEN'],
];

/** URLs that are accepted in all deployments, and URLs that are rejected in all of them. */
const accepted = [
  'https://example.com/events',
  'http://example.com:8080/a?b=c#d',
  'HTTPS://EXAMPLE.com',
  'https://93.184.216.34/',
  'https://93.184.216.34:8443',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/',
];
const refusedAlways = [
  '',
  'example.com/events',
  '/events',
  '//example.com',
  'ftp://example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http:/example.com',
  'http:example.com',
  'http://',
  'http://?x',
  'http://user@example.com',
  'http://user:pass@example.com',
  'http://:@example.com',
  'http://@example.com',
  'http://a b.example/',
  'http://exa\tmple.com/',
  'http://example.com/\n',
  'http:\\\\example.com',
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/',
  'http://0.0.0.0/',
  'http://metadata.google.internal/',
  'http://METADATA.google.internal./',
  // disguises of 169.254.169.254, 127.0.0.1 and 8.8.8.8
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://①②⑦.0.0.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://134744072/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[64:ff9b::808:808]/',
  `https://example.com/${'x'.repeat(2_000)}`,
];
const refusedWithoutPrivateNetworks = [
  'http://localhost:3000/events',
  'http://LOCALHOST./',
  'http://events.localhost/',
  'http://127.0.0.1:3000/events',
  'http://10.1.2.3/',
  'http://192.168.0.1/',
  'http://[::1]:3000/',
  'http://[fd12:3456::1]/',
];

describe('callback URLs (platform §10.1)', () => {
  for (const [address, scope] of addresses)
    it(`have the scope ${scope} for the address ${address || 'of an empty text'}`, () =>
      expect(addressScope(address)).to.equal(scope));

  for (const url of accepted)
    it(`can be ${url}`, () =>
      expect(codeThrownBy(() => readCallbackUrl(url, publicOnly))).to.equal('no error'));

  for (const url of refusedAlways)
    it(`cannot be ${JSON.stringify(url.slice(0, 60))}`, () =>
      expect(codeThrownBy(() => readCallbackUrl(url, anywhere))).to.equal(ErrorCode.INVALID_PARAMETER));

  for (const url of refusedWithoutPrivateNetworks)
    it(`can be ${url} unless private networks are forbidden`, () => {
      expect(codeThrownBy(() => readCallbackUrl(url, anywhere))).to.equal('no error');
      expect(codeThrownBy(() => readCallbackUrl(url, publicOnly))).to.equal(ErrorCode.INVALID_PARAMETER);
    });

  it('may be loopback addresses in test mode, but not private networks (R43)', () => {
    const outcomes = refusedWithoutPrivateNetworks.map((url) =>
      codeThrownBy(() => readCallbackUrl(url, testMode)),
    );
    const { INVALID_PARAMETER } = ErrorCode;
    const [ok, no] = ['no error', INVALID_PARAMETER];
    expect(outcomes).to.eql([ok, ok, ok, ok, no, no, ok, no]);
  });

  it('are shown without user info in the error message', () => {
    const { message } = errorOf(() => readCallbackUrl('http://user:hunter2@example.com/', anywhere));
    expect(message).to.contain('user info').and.not.to.contain('hunter2');
  });
});

describe('callback targets at delivery (platform §10.1)', () => {
  const resolving = (...found: readonly string[]) => {
    const hosts: string[] = [];
    return {
      hosts,
      resolve: async (host: string) => {
        hosts.push(host);
        return found;
      },
    };
  };
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no error',
      (error: unknown) => (error instanceof BillingError ? error.code : error),
    );

  it('resolve to all allowed addresses of the host name', async () => {
    const resolver = resolving('93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946');
    const { url, addresses: found } = await resolveCallback(
      'https://example.com:444/x',
      publicOnly,
      resolver,
    );
    expect([url.href, found]).to.eql([
      'https://example.com:444/x',
      ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'],
    ]);
    expect(resolver.hosts).to.eql(['example.com']);
  });

  it('need no lookup for a literal address', async () => {
    const resolver = resolving();
    expect((await resolveCallback('http://[2606::1]/', publicOnly, resolver)).addresses).to.eql(['2606::1']);
    expect(resolver.hosts).to.eql([]);
  });

  for (const address of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254', 'nonsense'])
    it(`are rejected if the name resolves to ${address}, even beside a valid address`, async () => {
      const work = resolveCallback('https://example.com', anywhere, resolving('93.184.216.34', address));
      expect(await failure(work)).to.equal(ErrorCode.INVALID_PARAMETER);
    });

  it('are rejected if the name resolves to a forbidden private network', async () => {
    const url = 'https://example.com';
    expect(await failure(resolveCallback(url, publicOnly, resolving('10.0.0.1')))).to.equal(
      ErrorCode.INVALID_PARAMETER,
    );
    expect(await failure(resolveCallback(url, anywhere, resolving('10.0.0.1')))).to.equal('no error');
  });

  it('are rejected with the lookup error if the name has no address', async () => {
    expect(await failure(resolveCallback('https://example.com', anywhere, resolving()))).to.equal(
      ErrorCode.INVALID_PARAMETER,
    );
    const gone = new Error('ENOTFOUND');
    const resolver = { resolve: () => Promise.reject(gone) };
    expect(await failure(resolveCallback('https://example.com', anywhere, resolver))).to.equal(gone);
  });
});
