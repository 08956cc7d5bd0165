import { Billing } from '../../adapters/node/billwright.ts';
import { httpPushSender } from '../../adapters/node/index.ts';
import type { PushRequest, PushSender } from '../../lib/ports/index.ts';
import { anyDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { openReceiver, type Receiver } from '../support/push/receiver.ts';

const CALLBACK = 'PUSH_NOTIFICATION_CB';
const UNREACHABLE = 'The host of the callback does not resolve to an address that may be called';

/** Addresses that a name may resolve to after its registration, and that must not be reached. */
const forbidden: readonly (readonly string[])[] = [
  ['127.0.0.1'],
  ['127.1.2.3'],
  ['::1'],
  ['0:0:0:0:0:0:0:1'],
  ['::ffff:127.0.0.1'],
  ['::ffff:7f00:1'],
  ['::127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::'],
  ['0.0.0.0'],
  ['::'],
  ['10.0.0.1'],
  ['172.16.0.1'],
  ['172.31.255.255'],
  ['192.168.1.1'],
  ['100.64.0.1'],
  ['169.254.169.254'],
  ['::ffff:169.254.169.254'],
  ['fd00:ec2::254'],
  ['fe80::1'],
  ['fe80::1%eth0'],
  ['fc00::1'],
  ['224.0.0.1'],
  ['255.255.255.255'],
  ['0177.0.0.1'],
  ['2130706433'],
  ['0x7f.1'],
  ['93.184.216.34', '127.0.0.1'],
  [],
];

anyDatabase.describe('push target checks at delivery (platform §10.1)', (open) => {
  let receiver: Receiver;
  let engine: TestEngine | undefined;
  let lookups: string[];
  let sent: PushRequest[];
  let answers: readonly string[] | Error;
  const real = httpPushSender();
  const pushSender: PushSender = {
    resolve: async (host) => {
      lookups.push(host);
      if (answers instanceof Error) throw answers;
      return answers;
    },
    send: (push) => {
      sent.push(push);
      return real.send(push);
    },
  };
  beforeEach(async () => {
    receiver = await openReceiver();
    [lookups, sent, answers] = [[], [], []];
  });
  afterEach(() => receiver.close());
  after(() => real.close?.());
  const opened = async (options: { readonly testMode?: boolean } = {}) => {
    engine = await openEngine(open, { now: '2025-03-10T10:00:00Z', catalog: null, pushSender, ...options });
    return engine;
  };
  const lastOf = async ({ storage, tenant }: TestEngine) => {
    const { rows } = await storage.read(tenant, (session) =>
      session.deliveries.list({}, { offset: 0, limit: -1 }),
    );
    return rows[0];
  };

  it('reject a host name that now resolves to a local or private address', async () => {
    const { acme, settle } = await opened();
    await acme.keyValues.add(CALLBACK, `http://receiver.example:${receiver.port}/cb`);
    for (const addresses of forbidden) {
      answers = addresses;
      await acme.createAccount({ currency: 'USD' });
      await settle();
      expect((await lastOf(engine as TestEngine))?.lastError, addresses.join()).to.equal(UNREACHABLE);
    }
    // An unknown name has the same error.
    answers = new Error('ENOTFOUND');
    await acme.createAccount({ currency: 'USD' });
    await settle();
    expect((await lastOf(engine as TestEngine))?.lastError).to.equal(UNREACHABLE);
    expect(sent).to.eql([]);
    expect(receiver.arrived).to.eql([]);
  });

  it('connect to the checked address, even if the host name now resolves to another address', async () => {
    const { acme, settle } = await opened({ testMode: true });
    answers = ['127.0.0.1'];
    await acme.keyValues.add(CALLBACK, `http://receiver.example:${receiver.port}/cb`);
    await settle();
    expect([lookups, sent.map(({ addresses }) => addresses)]).to.eql([['receiver.example'], [['127.0.0.1']]]);
    expect(receiver.arrived[0]?.headers.host).to.equal(`receiver.example:${receiver.port}`);
    answers = ['10.0.0.1'];
    await acme.createAccount({ currency: 'USD' });
    await settle();
    expect(receiver.arrived).to.have.length(1);
  });

  it('reject a registered target that is no longer allowed', async () => {
    const { acme, settle, storage, clock } = await opened({ testMode: true });
    await acme.keyValues.add(CALLBACK, receiver.url);
    await settle();
    expect(receiver.arrived).to.have.length(1);
    await acme.createAccount({ currency: 'USD' });
    await (await Billing.open<never>({ storage, clock, pushSender })).settle();
    expect((await lastOf(engine as TestEngine))?.lastError).to.equal(UNREACHABLE);
    expect(receiver.arrived).to.have.length(1);
  });
});
