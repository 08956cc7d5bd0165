import { expect } from 'chai';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeNodes(journey: JourneyOf): void {
  describe('nodes and administration', () => {
    it('list the nodes and plugins, which commands stop and start', async () => {
      const { nodesInfo, pluginInfo } = journey().client;
      const { data: nodes } = await nodesInfo.getNodesInfo();
      expect(nodes.map(({ nodeName }) => typeof nodeName)).to.eql(['string']);
      const stateOf = async () =>
        (await pluginInfo.getPluginsInfo()).data.find(({ pluginKey }) => pluginKey === 'payment-test')?.state;
      expect(await stateOf()).to.equal('RUNNING');
      for (const [nodeCommandType, state] of [
        ['STOP_PLUGIN', 'STOPPED'],
        ['START_PLUGIN', 'RUNNING'],
      ] as const) {
        const nodeCommandProperties = [{ key: 'pluginKey', value: Object('payment-test') }];
        const command = { isSystemCommandType: true, nodeCommandType, nodeCommandProperties };
        expect((await nodesInfo.triggerNodeCommand(command, BY)).status).to.equal(202);
        expect(await stateOf()).to.equal(state);
      }
    });

    it('take the node out of rotation and back, clear caches and list the queues', async () => {
      const { admin, account } = journey().client;
      expect((await admin.putOutOfRotation()).status).to.equal(204);
      const refused = await failureOf(account.createAccount({ currency: 'USD' }, BY));
      expect((await admin.putInRotation()).status).to.equal(204);
      expect(refused).to.nested.include({ status: 503, 'body.code': 60018 });
      for (const { status } of [await admin.invalidatesCache(), await admin.invalidatesCacheByTenant()])
        expect(status).to.equal(204);
      expect((await failureOf(admin.invalidatesCache('none'))).status).to.equal(400);
      const nobody = journey().serving.nextId();
      expect((await failureOf(admin.invalidatesCacheByAccount(nobody))).status).to.equal(404);
      const { data } = await admin.getQueueEntries();
      expect(data as unknown).to.have.all.keys('busEvents', 'notifications');
    });
  });
}
