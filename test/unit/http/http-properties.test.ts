import { expect } from 'chai';
import { settings } from '../../../adapters/cli/configuration/server-options.ts';
import { type HttpOptions, httpProperties } from '../../../adapters/koa/dispatch/http-properties.ts';

const required: Pick<HttpOptions, 'billing' | 'logger'> = Object.create(null);

describe('HTTP server properties', () => {
  it('cover every server option except the port', () => {
    const ofPort = ['server.limits.header', 'server.limits.connections'];
    const names = Object.values(settings).map(({ property }) => property);
    expect([...Object.keys(httpProperties(required)), ...ofPort]).to.include.members(names);
  });

  it('have the defaults that the server uses', () => {
    const set = { lockOut: true, rates: { gateways: null }, sessionIdleMs: 5 };
    expect(httpProperties({ ...required, ...set })).to.deep.include({
      'server.basePath': '',
      'server.headers.aliasPrefixes': ['X-Killbill-'],
      'server.limits.page': 10_000,
      'server.limits.requestTime': 60_000,
      'server.limits.rate.tenant': null,
      'server.limits.rate.gateways': null,
      'rbac.globalSessionTimeout': 5,
      'security.lockout': true,
      'security.token.lifetime': 3_600_000,
    });
    expect(httpProperties(required)['server.limits.rate.gateways']).to.equal(20);
  });
});
