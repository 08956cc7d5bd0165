import { expect } from 'chai';
import { parseConnectionUrl } from '../../../adapters/mikro-orm/postgresql/connection-url.ts';

function hostsOf(url: string): readonly string[] | undefined {
  return parseConnectionUrl(url)?.ofHosts.map(String);
}

describe('connection URL', () => {
  it('lists its hosts in order, each with its own port', () => {
    expect(hostsOf('postgresql://ada:s%40t@one:5433,two,[::1]:7/shop?sslmode=disable')).to.eql([
      'postgresql://ada:s%40t@one:5433/shop?sslmode=disable',
      'postgresql://ada:s%40t@two/shop?sslmode=disable',
      'postgresql://ada:s%40t@[::1]:7/shop?sslmode=disable',
    ]);
  });

  it('can list the hosts in its query, with one shared port or one port per host', () => {
    expect(hostsOf('postgresql:///shop?host=one,two&port=7')).to.eql([
      'postgresql:///shop?host=one&port=7',
      'postgresql:///shop?host=two&port=7',
    ]);
    expect(hostsOf('postgresql:///shop?host=/run/a,two&port=7,8')).to.eql([
      'postgresql:///shop?host=%2Frun%2Fa&port=7',
      'postgresql:///shop?host=two&port=8',
    ]);
    expect(hostsOf('postgresql:///shop?host=/run/a')).to.eql(['postgresql:///shop?host=/run/a']);
  });

  it('is malformed with an empty host in a list, an invalid port or a wrong number of ports', () => {
    for (const url of [
      'postgresql://ada@one,/shop',
      'postgresql://one:x/shop',
      'postgresql://one,two:x/shop',
      'postgresql:///shop?host=one,two,three&port=7,8',
    ])
      expect(parseConnectionUrl(url), url).to.equal(null);
  });

  it('specifies the required session type, with "any" as the default', () => {
    const requiredBy = (query: string) => parseConnectionUrl(`postgresql://one/shop${query}`)?.requires;
    expect(requiredBy('')).to.equal('any');
    for (const session of ['any', 'read-write', 'primary'])
      expect(requiredBy(`?target_session_attrs=${session}`)).to.equal(session);
    expect(requiredBy('?target_session_attrs=standby')).to.equal(null);
  });
});
