import { expect } from 'chai';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { plainHasher } from '../../adapters/testing/index.ts';

describe('undefined engine options', () => {
  it('have the same effect as absent ones', async () => {
    const options = { logger: undefined, clock: undefined, ids: undefined, gateways: undefined };
    // What a host's compiler lets pass without `exactOptionalPropertyTypes`.
    const open = Billing.open as (options: object) => ReturnType<typeof Billing.open>;
    const billing = await open({ storage: sqlite(':memory:'), hasher: plainHasher(), ...options });
    const keys = { apiKey: 'acme', apiSecret: 'secret' };
    const tenant = await billing.tenants.create({ userName: 'setup' }, keys);
    expect(tenant.apiKey).to.equal('acme');
    await billing.close();
  });
});
