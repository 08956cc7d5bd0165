import { expect } from 'chai';
import { sqlite } from '../../adapters/mikro-orm/sqlite.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { plainHasher } from '../../adapters/testing/index.ts';

const cases: readonly (readonly [title: string, options: object])[] = [
  ['undefined', { logger: undefined, clock: undefined, ids: undefined, gateways: undefined }],
  ['null', { gateways: null, catalogPlugins: null, scopes: null, nodeCommands: null, configuration: null }],
];

describe('engine options', () => {
  for (const [title, options] of cases)
    it(`have the same effect as missing options if they are ${title}`, () => expectToOpen(options));

  for (const options of [undefined, null, 5, 'billing.db'])
    it(`are rejected with an example if they are ${JSON.stringify(options)}`, async () => {
      const open = Billing.open as (options: unknown) => Promise<unknown>;
      const error = await open(options).catch((reason: Error) => reason.message);
      expect(error).to.equal("Billing.open needs a storage, such as { storage: sqlite('billing.db') }");
    });

  async function expectToOpen(options: object): Promise<void> {
    // A host's compiler accepts this without `exactOptionalPropertyTypes`.
    const open = Billing.open as (options: object) => ReturnType<typeof Billing.open>;
    const billing = await open({ storage: sqlite(':memory:'), hasher: plainHasher(), ...options });
    const keys = { apiKey: 'acme', apiSecret: 'secret' };
    const tenant = await billing.tenants.create({ userName: 'setup' }, keys);
    expect(tenant.apiKey).to.equal('acme');
    await billing.close();
  }
});
