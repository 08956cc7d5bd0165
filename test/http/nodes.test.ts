import { expect } from 'chai';
import { anyDatabase } from '../support/databases.ts';
import { type Serving, serve } from '../support/http/serving.ts';
import { migrated } from '../support/storage.ts';

const withoutTenant = { 'x-service-apikey': undefined, 'x-service-apisecret': undefined };

anyDatabase((kind, open) => {
  describe(`nodes over HTTP on ${kind} (platform §11)`, () => {
    let serving: Serving;
    before(async () => {
      serving = await serve(await open(migrated));
    });
    after(() => serving.close());

    it('nodesInfo shows this node and the gateway of test mode, to users without a tenant too', async () => {
      const { status, json } = await serving.call('GET', '/1.0/kb/nodesInfo', { headers: withoutTenant });
      expect(status).to.equal(200);
      const [node, ...others] = json as readonly Record<string, unknown>[];
      expect(others).to.deep.equal([]);
      const { nodeName, bootTime, lastUpdatedDate, kbVersion, pluginsInfo, ...versions } = node ?? {};
      expect(nodeName).to.equal((await serving.billing.nodes.local()).nodeName);
      for (const date of [bootTime, lastUpdatedDate])
        expect(date).to.match(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(kbVersion).to.match(/^\d+\.\d+\.\d+/);
      expect(versions).to.deep.equal({
        apiVersion: kbVersion,
        pluginApiVersion: kbVersion,
        commonVersion: kbVersion,
        platformVersion: kbVersion,
      });
      const name = 'killbill-payment-test';
      expect(pluginsInfo).to.deep.include({
        bundleSymbolicName: name,
        pluginKey: 'payment-test',
        pluginName: name,
        version: '1.0.0',
        state: 'RUNNING',
        isSelectedForStart: true,
        services: [{ serviceTypeName: 'PaymentPluginApi', registrationName: name }],
      });
    });

    it('pluginsInfo shows the plugins of this node, and asks for a tenant', async () => {
      const nodes = (await serving.call('GET', '/1.0/kb/nodesInfo')).json as readonly {
        readonly pluginsInfo: unknown;
      }[];
      expect((await serving.call('GET', '/1.0/kb/pluginsInfo')).json).to.deep.equal(nodes[0]?.pluginsInfo);
      const { status } = await serving.call('GET', '/1.0/kb/pluginsInfo', { headers: withoutTenant });
      expect(status).to.equal(401);
    });
  });
});
