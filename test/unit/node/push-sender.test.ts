import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { httpPushSender } from '../../../adapters/node/index.ts';
import type { PushRequest } from '../../../lib/ports/index.ts';
import { secretText } from '../../../lib/tenants/signing-secret-service.ts';
import { openReceiver, type Receiver } from '../../support/push/receiver.ts';

const body =
  '{"eventType":"ACCOUNT_CREATION","accountId":"1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11","objectType":"ACCOUNT","objectId":"1c5b4f6e-0b5e-4c39-9f0a-6a4d6f2f8a11","metaData":null}';
const id = '7a0e3c52-5d0f-4b8e-8d8b-0f4f1f7f2a10';
const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';

describe('push sender (platform §10.2)', () => {
  const sender = httpPushSender();
  let receiver: Receiver;
  const closing: (() => Promise<void> | void)[] = [];
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await receiver.close();
  });
  after(() => sender.close?.());
  const push = (changes: Partial<PushRequest> = {}): PushRequest => ({
    url: new URL(receiver.url),
    addresses: ['127.0.0.1'],
    body,
    id,
    timestampSec: 1_741_598_130,
    secrets: [],
    timeoutMs: 2_000,
    ...changes,
  });
  const failure = async (request: PushRequest): Promise<string> =>
    sender.send(request).then(
      ({ status }) => `answered ${status}`,
      (error: Error) => error.message,
    );
  const listening = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  it('sends the specified signature for a given secret, id and body (platform §18 P5 "Signature")', async () => {
    expect(Buffer.byteLength(body)).to.equal(172);
    await sender.send(push({ secrets: [secret] }));
    const [arrived] = receiver.arrived;
    expect(arrived?.text).to.equal(body);
    expect(arrived?.headers).to.include({
      'webhook-id': id,
      'webhook-timestamp': '1741598130',
      'webhook-signature': 'v1,hcUBQyrBakh2nbMmA6kbIYWWliOCMCwX+MXRlPKXCTs=',
      'content-length': '172',
    });
  });

  it('signs with each secret, as verified by the standardwebhooks package', async () => {
    const other = secretText(new Uint8Array(32).fill(7));
    const timestampSec = Math.floor(Date.now() / 1_000);
    await sender.send(push({ secrets: [secret, other], timestampSec }));
    const [arrived] = receiver.arrived;
    const headers = (arrived?.headers ?? {}) as Record<string, string>;
    for (const each of [secret, other])
      expect(new Webhook(each).verify(arrived?.text ?? '', headers)).to.deep.include({
        eventType: 'ACCOUNT_CREATION',
      });
    expect(() => new Webhook(secretText(new Uint8Array(32))).verify(arrived?.text ?? '', headers)).to.throw();
  });

  it('connects only to the given addresses, without resolving the host name', async () => {
    const url = new URL(`http://somewhere.invalid:${receiver.port}/path?query=1`);
    expect(await sender.send(push({ url }))).to.eql({ status: 200 });
    expect(receiver.arrived[0]?.path).to.equal('/path?query=1');
    expect(receiver.arrived[0]?.headers.host).to.equal(`somewhere.invalid:${receiver.port}`);
    // This address has no server, although a connection to the earlier address is still open.
    expect(await failure(push({ url, addresses: ['127.0.0.2'] }))).to.match(/ECONNREFUSED/);
    expect(receiver.arrived).to.have.length(1);
  });

  it('does not follow redirects', async () => {
    const inner = await openReceiver();
    closing.push(() => inner.close());
    receiver.answer((response) => response.writeHead(307, { location: inner.url }).end());
    expect(await sender.send(push())).to.eql({ status: 307 });
    expect(inner.arrived).to.have.length(0);
  });

  it('ignores proxy environment variables', async () => {
    const proxy = await openReceiver();
    closing.push(() => proxy.close());
    const names = ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      expect(await sender.send(push())).to.eql({ status: 200 });
    } finally {
      for (const name of names) delete process.env[name];
    }
    expect(proxy.arrived).to.have.length(0);
  });

  it('stops reading an endless response', async () => {
    let bytes = 0;
    let isOver = false;
    receiver.answer((response) => {
      response.writeHead(200);
      response.once('close', () => {
        isOver = true;
      });
      const chunk = Buffer.alloc(64 * 1_024);
      const more = (): void => {
        while (!isOver && response.write(chunk)) bytes += chunk.length;
        if (!isOver) response.once('drain', more);
      };
      more();
    });
    expect(await sender.send(push())).to.eql({ status: 200 });
    while (!isOver) await setTimeout(5);
    expect(bytes).to.be.below(64 * 1_024 * 1_024);
  });

  /** Starts a server that never closes connections. `settled` returns the number of open ones. */
  async function held(answer: (response: ServerResponse) => void) {
    const open = new Set<Socket>();
    const server = createServer((request, response) => {
      request.resume();
      answer(response);
    }).on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    server.keepAliveTimeout = 0;
    const port = await listening(server);
    const settled = async (most: number): Promise<number> => {
      for (let waits = 0; open.size > most && waits < 100; waits += 1) await setTimeout(20);
      return open.size;
    };
    return { port, settled };
  }

  const answers: Readonly<Record<string, readonly [number, (response: ServerResponse) => void]>> = {
    'drips its body': [
      200,
      (response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write('x'), 20);
        response.once('close', () => clearInterval(drip));
      },
    ],
    'never ends its answer': [200, (response) => response.writeHead(200).write('x')],
    'announces a body but does not send it': [
      500,
      (response) => response.writeHead(500, { 'content-length': 9 }).flushHeaders(),
    ],
  };
  for (const [what, [status, answer]] of Object.entries(answers))
    it(`returns the status of a receiver that ${what}, and closes the connection (rule 7)`, async () => {
      const { port, settled } = await held(answer);
      const url = new URL(`http://127.0.0.1:${port}/`);
      const sent = await Promise.all([1, 2, 3].map(() => sender.send(push({ url, timeoutMs: 60_000 }))));
      expect(sent).to.eql([{ status }, { status }, { status }]);
      expect(await settled(0)).to.equal(0);
    });

  it('keeps at most 100 idle connections, regardless of the number of callbacks (rule 7)', async () => {
    const { port, settled } = await held((response) => response.end());
    const names = Array.from({ length: 120 }, (_, index) => `receiver-${index}.invalid`);
    for (const name of names) await sender.send(push({ url: new URL(`http://${name}:${port}/`) }));
    expect(await settled(100)).to.equal(100);
  });

  const nobody = 'No response within 0.15 s';
  const stubborn: readonly (readonly [string, string, RegExp | string])[] = [
    ['hangs', '', nobody],
    ['sends its headers byte by byte', 'HTTP/1.1 200 OK\r\nX: ', nobody],
    ['keeps sending status 100', 'HTTP/1.1 100 Continue\r\n\r\n', nobody],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', /Parse Error/],
    [
      'switches to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      /protocol upgrade/,
    ],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`, /Header/],
  ];
  for (const [what, answer, expected] of stubborn)
    it(`gives up on a receiver that ${what}`, async () => {
      const port = await listening(
        createTcpServer((socket) => {
          closing.push(() => {
            socket.destroy();
          });
          socket.on('error', () => undefined);
          socket.write(answer);
        }),
      );
      // Expected responses get enough time for a busy machine.
      const timeoutMs = expected === nobody ? 150 : 30_000;
      const outcome = await failure(push({ url: new URL(`http://127.0.0.1:${port}/`), timeoutMs }));
      expect(outcome).not.to.match(/^answered 2/);
      if (typeof expected === 'string') expect(outcome).to.equal(expected);
      else expect(outcome).to.match(expected);
    });

  it('reuses an open connection', async () => {
    const sockets = new Set<unknown>();
    const server = createServer((request, response) => {
      sockets.add(request.socket);
      request.resume();
      response.end('thanks');
    });
    const url = new URL(`http://127.0.0.1:${await listening(server)}/`);
    for (let index = 0; index < 5; index += 1) {
      await sender.send(push({ url }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sockets.size).to.be.below(5);
  });
});
