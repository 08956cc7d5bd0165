import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { ErrorCode, type TenantRef, type Uuid } from '../../lib/index.ts';
import { instant } from '../../lib/values/time/index.ts';
import { insertAccountStates } from '../support/account-states.ts';
import { createdId, documentHeaders, exampleCatalog } from '../support/http/index.ts';
import { type Reply, type Serving, serve, serveOnce, xmlType } from '../support/http/serving.ts';
import { codeOf, eachDatabase, expect, expectBelow, migrated } from '../support/index.ts';
import { withLongestTurn } from '../support/longest-turn.ts';

interface Held {
  readonly accountId: Uuid;
  readonly tenant: TenantRef;
}

/**
 * Creates an account with this many subscriptions, each in its own bundle, that was blocked and unblocked this often.
 */
async function accountWith(
  serving: Serving,
  { subscriptions, states }: { readonly subscriptions: number; readonly states: number },
): Promise<Held> {
  const { billing, storage, post } = serving;
  await post('/catalog', await exampleCatalog(), xmlType);
  const accountId = createdId(await post('/accounts', { currency: 'USD' })) as Uuid;
  const tenant = await billing.tenants.authenticate('bob', 'lazar');
  if (tenant === null) throw new Error('The server has no tenant bob');
  const acme = billing.as({ tenant, user: 'test' });
  const bundle = [{ accountId, planName: 'canopy-monthly' }];
  await acme.subscriptions.createBundles(Array.from({ length: subscriptions }, () => bundle));
  const { createdDate: from } = await acme.getAccount(accountId);
  await insertAccountStates(storage, tenant, { accountId, from: instant(from.getTime()), count: states });
  return { accountId, tenant };
}

interface BundleJson {
  readonly bundleId: string;
  readonly subscriptions: readonly { readonly subscriptionId: string; readonly events: readonly unknown[] }[];
  readonly timeline: { readonly events: readonly unknown[] };
}

const bundlesIn = (reply: Reply) => reply.json as readonly BundleJson[];

eachDatabase.describe('reads of an account with many blocking states', (open) => {
  let serving: Serving;
  let held: Held;
  before(async () => {
    const configuration = { 'org.service.server.limits.rows': '300' };
    serving = await serve(await open(migrated), { configuration });
    held = await accountWith(serving, { subscriptions: 4, states: 40 });
  });
  after(() => serving.close());

  const read = (path: string) => serving.get(path);

  it('are rejected with a suggested workaround if they would return too many rows', async () => {
    for (const path of ['bundles', 'timeline']) {
      const { status, json } = await read(`/accounts/${held.accountId}/${path}`);
      expect(status, path).to.equal(422);
      expect(json).to.include({ code: ErrorCode.ANSWER_TOO_LARGE });
      const { message } = json as { readonly message: string };
      expect(message).to.contain('300 rows');
      expect(message).to.contain(`/1.0/kb/accounts/${held.accountId}/bundles/pagination`);
    }
    const acme = serving.billing.as({ tenant: held.tenant, user: 'test' });
    expect(await codeOf(acme.subscriptions.bundlesOfAccount(held.accountId))).to.equal(60_020);
    expect(await codeOf(acme.accounts.timeline(held.accountId))).to.equal(60_020);
  });

  it('return the rows in pages of complete bundles if there are too many rows for one response', async () => {
    const paged = `/accounts/${held.accountId}/bundles/pagination?audit=MINIMAL`;
    const all = bundlesIn(await read(`${paged}&limit=10`));
    expect(all).to.have.length(4);
    for (const [index, bundle] of all.entries()) {
      expect(bundlesIn(await read(`${paged}&offset=${index}&limit=1`))).to.eql([bundle]);
      expect((await read(`/bundles/${bundle.bundleId}?audit=MINIMAL`)).json).to.eql(bundle);
      const [subscription] = bundle.subscriptions;
      const alone = await read(`/subscriptions/${subscription?.subscriptionId}?audit=MINIMAL`);
      expect(alone.json).to.eql({ ...subscription, redemptions: [] });
      expect(bundle.timeline.events).to.eql(subscription?.events);
      expect(bundle.timeline.events).to.have.length(42);
    }
  });

  it('return specified bundles regardless of the size of the account', async () => {
    const [first] = bundlesIn(await read(`/accounts/${held.accountId}/bundles/pagination?limit=1`));
    const named = await read(`/accounts/${held.accountId}/bundles?bundlesFilter=${first?.bundleId}`);
    expect(bundlesIn(named)).to.eql([first]);
  });

  it('count a credit as one row each time an invoice of the timeline repeats it', async () => {
    const created = await serving.post('/accounts', { currency: 'USD' });
    const accountId = createdId(created);
    const addCredits = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left -= 1)
        await serving.post('/credits?autoCommit=true', [{ accountId, amount: 1 }]);
    };
    await addCredits(10);
    const { status, json } = await read(`/accounts/${accountId}/timeline`);
    expect(status).to.equal(200);
    const { invoices } = json as { readonly invoices: readonly { readonly credits: readonly unknown[] }[] };
    expect(invoices.map(({ credits }) => credits.length)).to.eql(Array(10).fill(10));
    // 16 invoices with two items each, and 16 times 16 credits.
    await addCredits(6);
    expect((await read(`/accounts/${accountId}/timeline`)).status).to.equal(422);
  });

  it('are rejected even for a single subscription with too many rows', async () => {
    const narrow = { 'org.service.server.limits.rows': '42' };
    const other = await serve(await open(migrated), { configuration: narrow });
    try {
      const { accountId, tenant } = await accountWith(other, { subscriptions: 1, states: 40 });
      const acme = other.billing.as({ tenant, user: 'test' });
      const paged = await other.get(`/accounts/${accountId}/bundles/pagination`);
      const subscriptionId = bundlesIn(paged)[0]?.subscriptions[0]?.subscriptionId as Uuid;
      expect(await codeOf(acme.getSubscription(subscriptionId))).to.equal(60_020);
      const { status } = await other.get(`/subscriptions/${subscriptionId}`);
      expect(status).to.equal(422);
    } finally {
      await other.close();
    }
  });
});

function printTurn(longestMs: number): void {
  process.stdout.write(`        longest turn: ${longestMs.toFixed(1)} ms of processor time\n`);
}

/** Far shorter than an uninterrupted read, and far longer than one turn on any machine. */
const MAX_TURN_MS = 200;

eachDatabase((kind, open) => {
  describe(`reads of an account with 600 subscriptions and 1,500 blocking states on ${kind}`, function () {
    this.timeout(240_000);
    const serving = serveOnce(open);
    let held: Held;
    before(async () => {
      held = await accountWith(serving, { subscriptions: 600, states: 1_500 });
    });

    const read = (path: string) =>
      serving.get(`/accounts/${held.accountId}/${path}`, { 'accept-encoding': 'identity' });

    for (const path of ['bundles', 'timeline'])
      it(`are rejected without blocking the event loop (${path})`, async () => {
        await read(path);
        const { result, longestMs } = await withLongestTurn(() => read(path));
        expect(result.status).to.equal(422);
        printTurn(longestMs);
        expectBelow(MAX_TURN_MS, longestMs, 'processor milliseconds of the longest turn');
      });

    it('return a page without blocking the event loop or other calls', async () => {
      const reading = { isRunning: true };
      const { result, longestMs } = await withLongestTurn(async () => {
        const page = readToEnd(await begun('bundles/pagination?limit=20')).finally(() => {
          reading.isRunning = false;
        });
        let others = 0;
        while (reading.isRunning) {
          expect((await read('')).status).to.equal(200);
          others += 1;
        }
        return { bytes: await page, others };
      });
      expect(result.bytes).to.be.greaterThan(20_000_000);
      expect(result.others).to.be.greaterThan(2);
      printTurn(longestMs);
      expectBelow(MAX_TURN_MS, longestMs, 'processor milliseconds of the longest turn');
    });

    it('list the states and changes of an account and export the account without blocking the event loop', async () => {
      for (const path of ['block', 'auditLogs', `../../export/${held.accountId}`]) {
        const { result, longestMs } = await withLongestTurn(() => read(path));
        expect(result.status, path).to.be.oneOf([200, 201]);
        expect(result.text.length, path).to.be.greaterThan(500_000);
        printTurn(longestMs);
        expectBelow(MAX_TURN_MS, longestMs, `${path}, processor milliseconds of the longest turn`);
      }
    });

    it('hold no transaction open for a stalled reader and end when the reader disconnects', async () => {
      const answer = await begun('bundles/pagination?limit=100');
      await setTimeout(200);
      // SQLite has one connection: an open transaction would block every other call.
      const created = await serving.post('/accounts', { name: 'Meanwhile' });
      expect(created.status).to.equal(201);
      answer.destroy();
      const { longestMs } = await withLongestTurn(() => setTimeout(200));
      expectBelow(MAX_TURN_MS, longestMs, 'processor milliseconds of the longest turn');
    });

    async function begun(path: string): Promise<IncomingMessage> {
      const url = `${serving.url}/1.0/kb/accounts/${held.accountId}/${path}`;
      const call = request(url, { headers: { ...documentHeaders, 'accept-encoding': 'identity' } });
      call.on('error', () => undefined);
      call.end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(answer.statusCode).to.equal(200);
      return answer;
    }
  });
});

async function readToEnd(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const piece of answer) bytes += (piece as Buffer).length;
  return bytes;
}
