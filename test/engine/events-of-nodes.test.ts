import { Billing } from '../../adapters/node/billwright.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import type { EventSink, FeedEvent, PublishedEvent } from '../../lib/index.ts';
import { onPostgresql, type TestDatabase } from '../support/databases.ts';
import {
  expect,
  migrated,
  plainHasher,
  pushableSystemClock,
  recordingLogger,
  storageOf,
} from '../support/index.ts';

const NOW = '2025-03-10T10:00:00Z';

onPostgresql.describe('events on several nodes (platform §10.6)', (open) => {
  let nodes: Billing<never>[];
  let database: TestDatabase;
  beforeEach(async () => {
    nodes = [];
    database = await open(migrated);
  });
  afterEach(async () => {
    for (const node of nodes) await node.close();
  });

  const openNode = async (eventSinks: readonly EventSink[]) => {
    const billing = await Billing.open<never>({
      storage: storageOf(database),
      clock: fakeClock(NOW),
      systemClock: pushableSystemClock(),
      logger: recordingLogger(),
      hasher: plainHasher(),
      pushSender: null,
      eventSinks,
    });
    const { tenants } = billing;
    const tenant =
      nodes.length === 0
        ? await tenants.create({ userName: 'test' }, { apiKey: 'acme', apiSecret: 'secret' })
        : await tenants.getByApiKey('acme');
    nodes.push(billing);
    return { billing, acme: billing.as({ tenant, user: 'test' }) };
  };

  it('reach each sink once from two nodes, in order per account, even if a third node does not have the sink (rule 4)', async () => {
    const taken: PublishedEvent[] = [];
    const sink: EventSink = { name: 'books', onEvent: (event) => void taken.push(event) };
    const [one, two, plain] = [await openNode([sink]), await openNode([sink]), await openNode([])];
    for (const { billing } of [one, two, plain]) billing.start();
    const accounts = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const [first, second] = index % 2 === 0 ? [one, two] : [two, one];
        const { id } = await first.acme.createAccount({ currency: 'USD' });
        await second.acme.accounts.update(id, { changes: { name: 'Ada' } });
        await first.acme.accounts.update(id, { changes: { name: 'Bea' } });
        return id;
      }),
    );
    expect(await one.billing.settle()).to.equal(true);
    const { events } = await two.acme.events.list({ limit: 100 });
    expect(events).to.have.length(36);
    expect(taken.map(({ id }) => id).toSorted()).to.eql(events.map(({ id }) => id).toSorted());
    for (const accountId of accounts) {
      const ofAccount = (all: readonly PublishedEvent[]) =>
        all.filter((event) => event.accountId === accountId).map(({ id }) => id);
      expect(ofAccount(taken)).to.eql(ofAccount(events));
    }
  });

  it('reach a subscriber on one node from the other nodes, in the order of the feed (rule 3)', async () => {
    const [one, two] = [await openNode([]), await openNode([])];
    const given: FeedEvent[] = [];
    const all = Promise.withResolvers<void>();
    await two.billing.events.subscribe({
      onEvent: (event) => {
        given.push(event);
        if (given.length === 10) all.resolve();
      },
    });
    for (let index = 0; index < 10; index += 1)
      await (index % 2 === 0 ? one : two).acme.createAccount({ currency: 'USD' });
    await all.promise;
    const { events } = await one.acme.events.list({});
    expect(given).to.eql(events);
  });
});
