import { expect, isLongRun, rowsOf } from '../support/index.ts';
import { openReceiver, type Receiver } from '../support/push/receiver.ts';
import { Deployment, eventually } from './deployment.ts';

const ACCOUNTS = isLongRun ? 500 : 30;
const KILLS = isLongRun ? 8 : 2;
/** Pushes answered before each kill. */
const ANSWERED = isLongRun ? 150 : 25;
/** Concurrent pushes per tenant, which are unanswered when the node dies and are sent again. */
const CONNECTIONS = 10;
const WITHIN_MS = 240_000;

describe('nodes killed while sending pushes', function () {
  this.timeout(2 * WITHIN_MS);
  let nodes: Deployment;
  let receiver: Receiver;
  /** How many more pushes to answer, and how many wait. */
  let toAnswer: number;
  let held: number;
  /** Pushes without an answer, from killed nodes or after a timeout. */
  let unanswered: number;
  /** Event cursor at which the callback was registered. */
  let registeredAt: string;

  beforeEach(async () => {
    receiver = await openReceiver();
    receiver.answer((response) => {
      if (toAnswer > 0) response.end();
      else {
        held += 1;
        unanswered += 1;
      }
      toAnswer -= 1;
    });
    unanswered = 0;
    nodes = await Deployment.begin(ACCOUNTS);
    registeredAt = (await nodes.acme.events.list({ after: 'latest' })).next;
    await nodes.acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
  });

  afterEach(async () => {
    await nodes.end();
    await receiver.close();
  });

  it(`lose no event in ${KILLS} deaths, and repeat pushes only with the same id (platform §10.2)`, async () => {
    await nodes.fallDue();
    for (let killed = 0; killed < KILLS; killed += 1) {
      [toAnswer, held] = [ANSWERED, 0];
      const [sender] = await nodes.start([{ name: '' }]);
      if (sender === undefined) throw new Error('no node was started');
      await eventually(Date.now() + WITHIN_MS, () => held >= CONNECTIONS);
      await nodes.kill(sender);
    }
    expect(await waiting(), 'pushes that the dead have left').to.be.greaterThan(0);
    toAnswer = Number.POSITIVE_INFINITY;
    const [last] = await nodes.start([{ name: '' }]);
    if (last === undefined) throw new Error('no node was started');
    await nodes.allPaid(WITHIN_MS);
    await eventually(Date.now() + WITHIN_MS, async () => (await waiting()) === 0);
    await nodes.stop(last);

    const stored = await rowsOf(nodes.database, 'select id, body from bw_push_deliveries order by record_id');
    const sent = Map.groupBy(receiver.arrived, ({ id }) => id);
    expect([...sent.keys()].toSorted()).to.eql(stored.map(({ id }) => String(id)).toSorted());
    expect([...sent.keys()].toSorted()).to.eql((await happened()).toSorted());
    const again = receiver.arrived.length - sent.size;
    expect(unanswered).to.be.at.least(KILLS * CONNECTIONS);
    expect(again).to.equal(unanswered);
    for (const { id, body } of stored) {
      expect([...new Set((sent.get(String(id)) ?? []).map(({ text }) => text))]).to.eql([body]);
    }
    expect(firstOfEachAccount()).to.eql(byAccount(stored.map(({ id, body }) => push(id, body))));
    if (isLongRun) process.stdout.write(`      ${sent.size} events, ${again} of them twice\n`);
  });

  const push = (id: unknown, body: unknown) => ({
    id: String(id),
    accountId: JSON.parse(String(body)).accountId as string | null,
  });

  function firstOfEachAccount() {
    const seen = new Set<string>();
    const first = receiver.arrived.filter(({ id }) => !seen.has(id) && seen.add(id));
    return byAccount(first.map(({ id, text }) => push(id, text)));
  }

  async function happened(): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let after = registeredAt; ; ) {
      const { events, next } = await nodes.acme.events.list({ after, limit: 1_000 });
      if (events.length === 0) return ids;
      ids.push(...events.map(({ id }) => id));
      after = next;
    }
  }

  async function waiting(): Promise<number> {
    const [row] = await rowsOf(
      nodes.database,
      `select count(*) as waiting from bw_push_deliveries where state = 'AVAILABLE'`,
    );
    return Number(row?.waiting);
  }
});

function byAccount(pushes: readonly { readonly id: string; readonly accountId: string | null }[]) {
  const ofAccount = Map.groupBy(pushes, ({ accountId }) => accountId ?? '');
  return Object.fromEntries([...ofAccount].map(([account, all]) => [account, all.map(({ id }) => id)]));
}
