import { type FeedEvent, RetryLater } from '../../lib/index.ts';
import { SYSTEM_TENANT } from '../../lib/records/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect } from '../support/index.ts';
import { author } from '../support/storage/stored-records.ts';

const NOW = '2025-03-10T10:00:00Z';

/** Returns the events that a handler received, and a way to wait for them. */
function inbox() {
  const events: FeedEvent[] = [];
  let woken = Promise.withResolvers<void>();
  return {
    events,
    put: (event: FeedEvent): void => {
      events.push(event);
      woken.resolve();
      woken = Promise.withResolvers<void>();
    },
    until: async (count: number): Promise<readonly FeedEvent[]> => {
      while (events.length < count) await woken.promise;
      return events;
    },
  };
}

eachDatabaseByTurns.describe('event subscribers (platform §10.6)', (open) => {
  const engine = engineBeforeEach(open, { now: NOW, longestTimerMs: 5 });
  const createAccount = async () => (await engine.acme.createAccount({ currency: 'USD' })).id;
  const broadcast = () =>
    engine.storage.write(SYSTEM_TENANT, author(), async (session) =>
      session.publish([
        {
          type: 'BROADCAST_SERVICE',
          accountRecordId: null,
          payload: {
            accountId: null,
            objectId: null,
            metaData: { service: 'nodes', commandType: 'RELOAD', eventJson: '{}' },
          },
        },
      ]),
    );

  it('receive later events of the requested types in order, once the events are committed', async () => {
    await createAccount();
    const { put, until } = inbox();
    const failed = inbox();
    const subscription = await engine.billing.events.subscribe({ tenant: engine.tenant, onEvent: put });
    await engine.billing.events.subscribe({
      types: ['ACCOUNT_CHANGE'],
      onEvent: (event) => {
        // The type of this event allows no metaData.
        const nothing: null = event.metaData;
        failed.put({ ...event, metaData: nothing });
      },
    });
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await createAccount());
    await engine.acme.accounts.update(String(ids[0]), { changes: { name: 'Ada' } });
    const events = await until(6);
    expect(events.map(({ objectId }) => objectId)).to.eql([...ids, ids[0]]);
    expect((await failed.until(1)).map(({ eventType }) => eventType)).to.eql(['ACCOUNT_CHANGE']);
    await subscription.close();
    await createAccount();
    expect(events).to.have.length(6);
    const { events: missed } = await engine.acme.events.list({ after: subscription.cursor });
    expect(missed).to.have.length(1);
  });

  it('receive an event again until their handler accepts it, without skipping events or delaying other handlers', async () => {
    const [{ put, until }, other] = [inbox(), inbox()];
    let refusals = 0;
    const errors = [new Error('not now'), new RetryLater(10), new Error('not yet')];
    await engine.billing.events.subscribe({
      onEvent: (event) => {
        const error = errors[refusals];
        refusals += 1;
        if (error !== undefined) throw error;
        put(event);
      },
    });
    await engine.billing.events.subscribe({ onEvent: other.put });
    // A handler that hangs blocks only itself.
    await engine.billing.events.subscribe({ onEvent: () => new Promise(() => undefined) });
    const ids = [await createAccount(), await createAccount()];
    expect((await other.until(2)).map(({ objectId }) => objectId)).to.eql(ids);
    expect((await until(2)).map(({ objectId }) => objectId)).to.eql(ids);
    expect(refusals).to.equal(5);
    const logged = engine.logger.lines.filter(({ message }) =>
      message.startsWith('an event subscriber threw an error'),
    );
    expect(logged).to.have.length(3);
  });

  it('continue from a cursor that the host keeps, without missing the events since then', async () => {
    const first = inbox();
    const subscription = await engine.billing.events.subscribe({ onEvent: first.put });
    await createAccount();
    const [seen] = await first.until(1);
    await subscription.close();
    expect(subscription.cursor).to.equal(seen?.cursor);
    const ids = [await createAccount(), await createAccount()];
    const second = inbox();
    await engine.billing.events.subscribe({ after: seen?.cursor, onEvent: second.put });
    expect((await second.until(2)).map(({ objectId }) => objectId)).to.eql(ids);
    const all = inbox();
    await engine.billing.events.subscribe({ after: 'oldest', types: ['ACCOUNT_CREATION'], onEvent: all.put });
    const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);
    expect(idsOf(await all.until(3)).slice(1)).to.eql(idsOf(second.events));
  });

  it('receive events without a tenant if they subscribe to the system (platform §10.4 rule 4)', async () => {
    const [system, tenant] = [inbox(), inbox()];
    await engine.billing.events.subscribe({ onEvent: system.put });
    await engine.billing.events.subscribe({ tenant: engine.tenant.id, onEvent: tenant.put });
    await broadcast();
    const id = await createAccount();
    const [sent, created] = await system.until(2);
    expect(sent).to.deep.include({
      tenantId: null,
      eventType: 'BROADCAST_SERVICE',
      accountId: null,
      objectType: 'SERVICE_BROADCAST',
      objectId: null,
      metaData: { service: 'nodes', commandType: 'RELOAD', eventJson: '{}' },
    });
    expect(created).to.deep.include({ tenantId: engine.tenant.id, objectId: id });
    expect((await tenant.until(1)).map(({ objectId }) => objectId)).to.eql([id]);
    const { events } = await engine.acme.events.list({});
    expect(events.map(({ eventType }) => eventType)).not.to.include('BROADCAST_SERVICE');
  });
});
