import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createKoaApp, type Listening, type ListenOptions, listen } from '../../adapters/koa/index.ts';
import { MAX_BULK_USAGE_CALLS } from '../../lib/usage/operations/bulk-service.ts';
import { documentHeaders, eve, expect, freshSqlite, serveOnce } from '../support/http/index.ts';

const lineHeaders = Object.entries({ ...documentHeaders, 'content-type': 'application/x-ndjson' });
const bulkHead = `POST /1.0/kb/usages/bulk HTTP/1.1\r\nHost: x\r\n${lineHeaders
  .map(([header, value]) => `${header}: ${value}\r\n`)
  .join('')}Content-Length: 100000\r\n\r\n`;
const ping = 'GET /1.0/ping HTTP/1.1\r\nHost: x\r\n\r\n';

describe('slow clients (platform §16)', () => {
  const serving = serveOnce(freshSqlite);
  const listenings: Listening[] = [];
  const sockets: Socket[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const listening of listenings.splice(0)) await listening.close();
  });

  async function listenWith(settings: Partial<ListenOptions>): Promise<Listening> {
    const app = createKoaApp({ billing: serving.billing, logger: serving.log, ...settings });
    const listening = await listen(app, { port: 0, ...settings });
    listenings.push(listening);
    return listening;
  }

  async function connected({ port }: Listening): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  /** Sends single bytes until the server answers. Returns its response once the server closes the connection. */
  async function dripping(socket: Socket, head: string): Promise<string> {
    const drip = setInterval(() => socket.write('x'), 100);
    const hungUp = Promise.withResolvers<void>();
    let answer = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      clearInterval(drip);
      answer += piece;
    });
    socket.on('error', () => hungUp.resolve()).on('close', () => hungUp.resolve());
    socket.write(head);
    await hungUp.promise;
    clearInterval(drip);
    return answer;
  }

  for (const [name, length] of [
    ['of fixed length', 'Content-Length: 100000\r\n'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n'],
  ] as const)
    it(`get 408 and are disconnected if a body ${name} does not arrive within the request timeout`, async () => {
      const socket = await connected(await listenWith({ requestTimeMs: 300 }));
      const headers = { ...documentHeaders, 'content-type': 'application/json' };
      const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
      const head = `POST /1.0/kb/accounts HTTP/1.1\r\nHost: x\r\n${lines.join('')}${length}\r\n`;
      const startedMs = Date.now();
      const answer = await dripping(socket, length.startsWith('T') ? `${head}FFFF\r\n{` : `${head}{`);
      expect(Date.now() - startedMs).to.be.at.least(290);
      expect(answer).to.match(/^HTTP\/1\.1 408 /);
      expect(answer).to.match(/connection: close/i);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).to.include({
        code: 60001,
        message: 'The body did not arrive within 0.3 s; the request was not processed',
      });
    });

  it('are disconnected if usage lines do not all arrive within the request timeout', async () => {
    const socket = await connected(await listenWith({ requestTimeMs: 300, maxHeadersMs: 100 }));
    const answer = await dripping(socket, bulkHead);
    expect(answer).to.match(/^HTTP\/1\.1 503 /);
    expect(answer.slice(0, answer.indexOf('\r\n\r\n'))).to.match(/connection: close/i);
  });

  it('free their recording slot if their usage lines do not all arrive', async () => {
    const listening = await listenWith({ requestTimeMs: 200 });
    const slow = Array.from({ length: MAX_BULK_USAGE_CALLS }, async () => {
      const socket = await connected(listening);
      socket.write(bulkHead);
      expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 503 /);
      socket.destroy();
    });
    await Promise.all(slow);
    const lines = { body: '{}\n', headers: { 'content-type': 'application/x-ndjson' } };
    const { status, json } = await serving.call('POST', '/1.0/kb/usages/bulk', lines);
    expect(status).to.equal(200);
    expect(json).to.include({ received: 1, rejected: 1 });
  });

  it('do not block other tenants when they stop sending usage lines, and get 408 after 5 s', async () => {
    const listening = await listenWith({});
    const stopped = await Promise.all(
      Array.from({ length: MAX_BULK_USAGE_CALLS }, async () => {
        const socket = await connected(listening);
        socket.setEncoding('utf8').write(`${bulkHead}{"a":`);
        return { socket, answered: once(socket, 'data'), hungUp: once(socket, 'close') };
      }),
    );
    const url = `http://127.0.0.1:${listening.port}/1.0/kb/usages/bulk`;
    const send = (headers: Readonly<Record<string, string>>) =>
      fetch(url, {
        method: 'POST',
        headers: { ...documentHeaders, 'content-type': 'application/x-ndjson', ...headers },
        body: '{}\n',
      });
    for (;;) {
      if ((await send({})).status === 429) break;
      await setTimeout(20);
    }
    expect((await send(eve)).status).to.equal(200);
    for (const { socket, answered, hungUp } of stopped) {
      const [answer] = await answered;
      expect(answer).to.match(/^HTTP\/1\.1 408 /);
      expect(answer).to.contain('The body arrived at less than 1024 bytes per second');
      socket.resume();
      await hungUp;
    }
    expect((await send({})).status).to.equal(200);
  });

  it('are disconnected after the response if an unread body does not end', async () => {
    const socket = await connected(await listenWith({ requestTimeMs: 100, maxHeadersMs: 100 }));
    const head = 'POST /1.0/kb/accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{';
    expect(await dripping(socket, head)).to.match(/^HTTP\/1\.1 401 /);
  });

  it('get 408 if the headers do not arrive within the time limit, 10 s by default', async () => {
    const { server } = await listenWith({});
    expect(server.headersTimeout).to.equal(10_000);
    const socket = await connected(await listenWith({ maxHeadersMs: 200 }));
    const startedMs = Date.now();
    const answer = await dripping(socket, 'GET /1.0/ping HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(Date.now() - startedMs).to.be.at.least(190);
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).to.include({ code: 60002 });
  });

  it('do not block other clients, because idle connections are closed first and connections beyond the limit are rejected', async () => {
    const { server } = await listenWith({});
    expect(server.maxConnections).to.equal(2_000);
    const few = await listenWith({ maxConnections: 2 });
    const [idle, busy] = [await connected(few), await connected(few)];
    idle.write(ping);
    expect(String((await once(idle, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
    busy.write('GET /1.0/ping HTTP/1.1\r\n');
    await setTimeout(300);
    const idleEnded = once(idle, 'close');
    const refused = await connected(few);
    refused.on('error', () => undefined);
    idle.resume();
    await Promise.all([once(refused, 'close'), idleEnded]);
    const next = await connected(few);
    next.write(ping);
    expect(String((await once(next, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
    busy.write('Host: x\r\n\r\n');
    expect(String((await once(busy, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
  });

  it('can reuse a connection that was idle longer than Node’s default', async () => {
    const listening = await listenWith({});
    expect(listening.server.keepAliveTimeout).to.equal(120_000);
    const idle = await Promise.all(Array.from({ length: 20 }, () => connected(listening)));
    for (const socket of idle) {
      socket.write(ping);
      await once(socket, 'data');
    }
    // Around the time when Node would close the connection: 5 s by default, and a one-second margin.
    await setTimeout(5_900);
    const answers = await Promise.all(
      idle.map(async (socket, index) => {
        await setTimeout(index * 10);
        socket.write(ping);
        return String((await once(socket, 'data'))[0]).slice(0, 12);
      }),
    );
    expect(new Set(answers)).to.eql(new Set(['HTTP/1.1 200']));
  });
});
