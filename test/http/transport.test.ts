import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { billingMiddleware, createKoaApp, type Listening, listen } from '../../adapters/koa/index.ts';
import { addUser, aliasHeaders, basic, createAccount, createdId, jsonType } from '../support/http/index.ts';
import {
  documentHeaders,
  expectRefusal,
  expectStatus,
  freshSqlite,
  plainType,
  serveOnce,
  withServer,
} from '../support/http/serving.ts';
import { expect } from '../support/index.ts';
import { listenOnOwnPort } from '../support/own-port.ts';

describe('HTTP transport', () => {
  const serving = serveOnce(freshSqlite);
  const { call, put, post } = serving;

  it('ignores one trailing slash in a path, and treats paths as case-sensitive', async () => {
    expect((await call('GET', '/1.0/kb/accounts/pagination/')).status).to.equal(200);
    expect((await call('GET', '/1.0/kb/Accounts/pagination')).status).to.equal(404);
    expect((await call('GET', '/1.0/kb/accounts/pagination//')).status).to.equal(404);
  });

  it('decodes each segment of the path once', async () => {
    expect((await call('GET', '/1.0/kb/%61ccounts/pagin%61tion')).status).to.equal(200);
    expect((await call('GET', '/%31.0/kb/accounts/pagination')).status).to.equal(200);
    expect((await call('GET', '/1.0/kb/%2561ccounts/pagination')).status).to.equal(404);
    expect((await call('GET', '/1.0/kb/accounts%2Fpagination')).status).to.equal(404);
    expect((await call('GET', '/1.0/kb/accounts/%zz')).status).to.equal(404);
  });

  it('logs an unsupported operation without a stack trace', async () => {
    const path = '/1.0/kb/tenants/userKeyValue/USAGE_METERS';
    expect((await call('POST', path, { body: 'x', headers: plainType })).status).to.equal(501);
    const line = serving.log.lines.at(-2);
    expect(line).to.include({ level: 'info' });
    expect(line?.fields)
      .to.include({ operation: 'insertUserKeyValue', code: 1 })
      .and.to.not.have.property('err');
  });

  it('never treats a literal segment as an id', async () => {
    const reply = await put('/accounts/pagination', {});
    expectRefusal(reply, 405, 60009);
    expect(reply.headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
  });

  it('reports an unknown path or a wrong method only after authentication', async () => {
    for (const [method, path, status, code] of [
      ['GET', '/1.0/kb/nothing', 404, 60008],
      ['GET', '/elsewhere', 404, 60008],
      ['DELETE', '/1.0/kb/accounts', 405, 60009],
      ['PATCH', '/1.0/kb/accounts', 405, 60009],
      ['PROPFIND', '/1.0/kb/accounts', 405, 60009],
      ['PROPFIND', '/1.0/kb/nothing', 404, 60008],
    ] as const) {
      const known = await call(method, path);
      expect([known.status, known.json]).to.deep.include(status);
      expect(known.json).to.include({ code });
      expect((await call(method, path, { headers: { authorization: undefined } })).status).to.equal(401);
    }
  });

  it('answers OPTIONS without credentials', async () => {
    const reply = await call('OPTIONS', '/1.0/kb/accounts', { headers: { authorization: undefined } });
    expect(reply.status).to.equal(200);
    expect(reply.headers.get('allow')).to.equal('POST, GET, HEAD, OPTIONS');
    expect(reply.headers.get('content-type')).to.equal('application/json');
    expectStatus(await call('OPTIONS', '/1.0/kb/nothing', { headers: { authorization: undefined } }), 200);
  });

  it('accepts a JSON body without a media type or with a charset', async () => {
    for (const type of [undefined, 'application/json; charset=UTF-8']) {
      const body = new TextEncoder().encode('{"name":"Zoë"}');
      const reply = await post('/accounts', body, { 'content-type': type });
      expect(reply.status, reply.text).to.equal(201);
      const { json } = await call('GET', `/1.0/kb/accounts/${createdId(reply)}`);
      expect(json).to.include({ name: 'Zoë' });
    }
    const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
    const latin = await post('/accounts', '{}', headers);
    expect(latin.status).to.equal(415);
    const message = 'The body must be uncompressed application/json in UTF-8; the request declares ';
    expect(latin.json).to.include({ message: `${message}application/json; charset=iso-8859-1` });
  });

  it('accepts a chunked body unless the body grows too large', async () => {
    expect(await sendChunks(serving.url, ['{"na', 'me":"in pieces"}'])).to.equal(201);
    const piece = ' '.repeat(300_000);
    expect(await sendChunks(serving.url, [piece, piece, piece, piece])).to.equal(413);
  });

  it('reports an oversized body after the client has sent it, or immediately if the announced length is far too large', async () => {
    for (const bytes of [1_100_000, 12_000_000]) {
      const reply = await post('/accounts', ' '.repeat(bytes), jsonType);
      expect([reply.status, reply.headers.get('connection')]).to.eql([413, 'close']);
      expect(reply.json).to.include({ code: 60012 });
    }
    // The announced length is so large that the server does not wait for the body.
    const headers = { ...documentHeaders, 'content-type': 'application/json', 'content-length': 2 ** 40 };
    const request = httpRequest(`${serving.url}/1.0/kb/accounts`, { method: 'POST', headers });
    request.on('error', () => undefined);
    request.write('{');
    const [response] = await once(request, 'response');
    response.resume();
    expect(response.statusCode).to.equal(413);
    request.destroy();
  });

  it('answers the next request if the unneeded body of an upgrade request arrives late', async () => {
    const socket = connect(Number(new URL(serving.url).port), '127.0.0.1');
    const headers = Object.entries({ ...documentHeaders, host: 'x', connection: 'Upgrade', upgrade: 'h2c' });
    const head = (request: string, length: number) =>
      `${[request, ...headers.map((each) => each.join(': '))].join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`;
    const next = head('GET /1.0/ping HTTP/1.1', 0);
    try {
      for (const [request, status] of [
        ['DELETE /1.0/kb/tenants/userKeyValue/none HTTP/1.1', 204],
        ['PUT /1.0/kb/nothing HTTP/1.1', 404],
      ] as const) {
        socket.write(head(request, 2));
        const answered = once(socket, 'data');
        const isEarly = (await Promise.race([answered, setTimeout(100)])) !== undefined;
        // A client that has its response continues at once.
        socket.write(isEarly ? `{}${next}` : '{}');
        expect(String((await answered)[0])).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
        if (!isEarly) socket.write(next);
        const [pong] = await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
        expect(String(pong)).to.match(/^HTTP\/1\.1 200 /);
      }
    } finally {
      socket.destroy();
    }
  });

  it('disconnects a client that sends an upgrade request with an oversized body', async () => {
    const headers = { ...documentHeaders, connection: 'Upgrade', upgrade: 'h2c', 'content-length': 2 ** 40 };
    const request = httpRequest(`${serving.url}/1.0/kb/nothing`, { method: 'PUT', headers });
    request.on('error', () => undefined);
    request.write('{');
    const [response] = await once(request, 'response');
    response.resume();
    expect([response.statusCode, response.headers.connection]).to.eql([404, 'close']);
    request.destroy();
  });

  it('returns plain text from a text route even to a client that accepts only JSON', async () => {
    const reply = await call('GET', '/1.0/ping', { headers: { accept: 'application/json' } });
    expect([reply.status, reply.text]).to.eql([200, 'pong']);
    expect(reply.headers.get('content-type')).to.match(/^text\/plain/);
  });

  it('accepts lists of up to 1000 elements', async () => {
    const id = await createAccount({ call }, {});
    const fields = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: `n${n}`, value: 'v' }));
    const path = `/1.0/kb/accounts/${id}/customFields`;
    expectRefusal(await call('POST', path, { body: fields(1_001) }), 400, 60003);
    expect((await call('POST', path, { body: fields(1_000) })).status).to.equal(201);
  });

  it('accepts an empty body of any type if the body is optional', async () => {
    const id = await createAccount({ call });
    const reply = await post(`/invoices/dryRun?accountId=${id}`, '', jsonType);
    expect(reply.status).to.equal(204);
  });

  it('accepts a catalog in UTF-16', async () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><catalog/>';
    const body = Buffer.from(`\ufeff${text}`, 'utf16le');
    const headers = { 'content-type': 'application/xml' };
    const reply = await post('/catalog/xml', body, headers);
    expect(reply.status).to.equal(400);
    // The document was read, so the error is about its content.
    expect(reply.json).to.include({ code: 2080 });
    expect((reply.json as { message: string }).message).to.match(/effectiveDate|catalogName/);
  });

  it('rejects a URL that is too long', async () => {
    expectRefusal(await call('GET', `/1.0/kb/accounts/pagination?x=${'y'.repeat(8_200)}`), 414, 60012);
  });

  it('returns the usual error body for malformed HTTP and for too many headers', async () => {
    const { port } = new URL(serving.url);
    const both = 'Content-Length: 2\r\nTransfer-Encoding: chunked';
    for (const [sent, status, code, message] of [
      ['nonsense\r\n\r\n', 400, 60002, /^The request is not HTTP\/1\.1: /],
      ['GET /1.0/ping HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 60002, /header Host$/],
      ['GET /1.0/kb/accounts/search/Zoë HTTP/1.1\r\nHost: x\r\n\r\n', 400, 60002, /percent-encoded/],
      [`POST /1.0/ping HTTP/1.1\r\nHost: x\r\n${both}\r\n\r\n`, 400, 60002, /: .*Content-Length/],
      [`GET /1.0/ping HTTP/1.1\r\nHost: x\r\nX-Large: ${'y'.repeat(17_000)}\r\n\r\n`, 413, 60012, /16384/],
      [
        'GET /1.0/kb/accounts HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
        401,
        60004,
        /password/,
      ],
    ] as const) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(sent);
      const answer = await text(socket);
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
      expect(body).to.include({ code, className: 'RequestError' });
      expect(body.message).to.match(message);
    }
  });

  it('verifies a pair of credentials once for simultaneous calls', async () => {
    await serving.billing.tenants.create({ userName: 'test' }, { apiKey: 'busy', apiSecret: 'hive' });
    const before = serving.hashChecks.length;
    const headers = { 'x-service-apikey': 'busy', 'x-service-apisecret': 'hive' };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => call('GET', '/1.0/kb/accounts/pagination', { headers })),
    );
    expect(replies.map((reply) => reply.status)).to.eql(replies.map(() => 200));
    expect(serving.hashChecks.slice(before).filter((stored) => stored === 'plain:hive')).to.have.lengthOf(1);
  });

  it('does the same amount of work for unknown and known user names', async () => {
    const before = serving.hashChecks.length;
    await call('GET', '/1.0/kb/accounts/pagination', { headers: { authorization: basic('nobody', 'x') } });
    await call('GET', '/1.0/kb/accounts/pagination', { headers: { 'x-service-apikey': 'nobody' } });
    expect(serving.hashChecks.slice(before)).to.eql([null, null]);
  });

  it('hides a tenant from a user without a grant', async () => {
    await addUser(serving, 'outsider', { permissions: ['*'], allTenants: false });
    const headers = { authorization: basic('outsider', 'password') };
    expectRefusal(await call('GET', '/1.0/kb/tenants?apiKey=bob', { headers }), 404, 20003);
  });

  it('returns the request id and stores it with the changes of the call', async () => {
    const id = 'c0ffee00-0000-4000-8000-000000000002';
    const created = await post('/accounts', {}, { 'x-request-id': id });
    expect(created.headers.get('x-request-id')).to.equal(id);
    const { json } = await call('GET', `/1.0/kb/accounts/${createdId(created)}?audit=FULL`);
    expect((json as { auditLogs: { userToken: string }[] }).auditLogs[0]?.userToken).to.equal(id);
    const headers = { 'x-request-id': 'trace-7' };
    const other = await call('GET', '/1.0/kb/accounts/pagination', { headers });
    expect(other.headers.get('x-request-id')).to.equal('trace-7');
  });

  it('accepts author, reason and comment in plain text and in base64', async () => {
    const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64');
    const headers = {
      ...aliasHeaders,
      'x-killbill-encoding': 'base64',
      'x-killbill-createdby': encode('Zoë'),
      'x-killbill-reason': encode('why'),
      'x-killbill-comment': 'not base64!',
    };
    const created = await post('/accounts', {}, headers);
    const { json } = await call('GET', `/1.0/kb/accounts/${createdId(created)}?audit=FULL`);
    expect((json as { auditLogs: object[] }).auditLogs[0]).to.include({
      changedBy: 'Zoë',
      reasonCode: 'why',
      comments: 'not base64!',
    });
  });

  it('hides an unexpected error and logs it with the request id', async () => {
    const { billing } = serving;
    const broken = {
      ...billing,
      accounts: { ...billing.accounts, page: () => Promise.reject(new Error('secret')) },
    };
    await withServer(serving, { billing: broken }, async (url) => {
      const headers = { ...documentHeaders, 'x-request-id': 'find-me' };
      const answer = await fetch(`${url}/1.0/kb/accounts/pagination?withStackTrace=true`, { headers });
      expect(answer.status).to.equal(500);
      const text = await answer.text();
      expect(JSON.parse(text)).to.deep.include({ code: 60000, stackTrace: [] });
      expect(text).to.not.include('secret');
      const line = serving.log.lines.find(
        (each) => 'requestId' in each.fields && each.fields.requestId === 'find-me' && each.level === 'error',
      );
      expect(line?.fields).to.include({ operation: 'getAccounts', code: 60000 });
    });
  });

  it('returns stack traces on request in test mode', async () => {
    const path = '/1.0/kb/accounts/11111111-1111-4111-8111-111111111111';
    const [plain, traced] = [await call('GET', path), await call('GET', `${path}?withStackTrace=true`)];
    expect((plain.json as { stackTrace: unknown[] }).stackTrace).to.eql([]);
    expect((traced.json as { stackTrace: unknown[] }).stackTrace.length).to.be.greaterThan(0);
  });

  it('has no test endpoints outside test mode', () =>
    withServer(serving, {}, async (url) => {
      const answer = await fetch(`${url}/1.0/kb/test/clock`, { headers: documentHeaders });
      expect(answer.status).to.equal(404);
      expect(await answer.json()).to.include({ code: 60008 });
    }));

  it('runs inside a host application', async () => {
    const app = new Koa();
    app.use(billingMiddleware({ billing: serving.billing, logger: serving.log, basePath: '/billing' }));
    app.use((ctx) => {
      ctx.body = `the host at ${ctx.path}`;
    });
    const listening = await listen(app, { port: 0 });
    const url = `http://127.0.0.1:${listening.port}`;
    try {
      expect(await (await fetch(`${url}/elsewhere`)).text()).to.equal('the host at /elsewhere');
      expect(await (await fetch(`${url}/1.0/kb/accounts/pagination`)).text()).to.match(/^the host/);
      expect((await fetch(`${url}/billing/1.0/kb/nothing`)).status).to.equal(401);
      const created = await fetch(`${url}/billing/1.0/kb/accounts`, {
        method: 'POST',
        headers: { ...documentHeaders, 'content-type': 'application/json' },
        body: '{"name":"guest"}',
      });
      expect(created.status).to.equal(201);
      expect(created.headers.get('location')).to.match(new RegExp(`^${url}/billing/1\\.0/kb/accounts/`));
      const read = await fetch(created.headers.get('location') ?? '', { headers: documentHeaders });
      expect(await read.json()).to.include({ name: 'guest' });
      const headers = documentHeaders;
      const page = await fetch(`${url}/billing/1.0/kb/accounts/pagination?limit=1`, { headers });
      expect(page.headers.get('x-service-pagination-nextpageuri')).to.match(
        /^\/billing\/1\.0\/kb\/accounts\/pagination\?/,
      );
    } finally {
      await listening.close();
    }
  });

  it('stops after its last call has ended', async () => {
    const { billing, log: logger } = serving;
    const listening = await listen(createKoaApp({ billing, logger }), { port: 0 });
    const url = `http://127.0.0.1:${listening.port}/1.0/ping`;
    expect(await fetch(url).then((answer) => answer.text())).to.equal('pong');
    await listening.close();
    expect(await fetch(url).catch((error: unknown) => error)).to.be.instanceOf(Error);
  });

  it('delays calls until startup ends, and fails the delayed calls if startup fails', async () => {
    const app = new Koa().use((ctx) => {
      ctx.body = 'done';
    });
    for (const [failure, status] of [
      [undefined, 200],
      [new Error('no administrator'), 503],
    ] as const) {
      const [come, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const free = createServer();
      const port = await listenOnOwnPort(free);
      await new Promise((resolve) => free.close(resolve));
      const prepare = () => {
        come.resolve();
        return go.promise;
      };
      const started = listen(app, { port, prepare }).catch((error: unknown) => error);
      await come.promise;
      const early = fetch(`http://127.0.0.1:${port}/`);
      expect(await Promise.race([early, setTimeout(50, 'waits')])).to.equal('waits');
      if (failure === undefined) go.resolve();
      else go.reject(failure);
      expect((await early).status).to.equal(status);
      const outcome = await started;
      if (failure === undefined) await (outcome as Listening).close();
      else expect(outcome).to.equal(failure);
    }
  });

  it('finishes a running call while it stops, and returns 503 for the next call on the connection', async () => {
    const [come, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const app = new Koa().use(async (ctx) => {
      come.resolve();
      await go.promise;
      ctx.body = 'done';
    });
    const listening = await listen(app, { port: 0 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = (method: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest({ port: listening.port, agent, method }, resolve).on('error', reject).end();
      });
    const first = get('GET');
    await come.promise;
    const closed = listening.close();
    go.resolve();
    expect(await text(await first)).to.equal('done');
    const second = await get('GET');
    expect(second.statusCode).to.equal(503);
    expect(second.headers).to.include({ 'retry-after': '1', connection: 'close' });
    expect(JSON.parse(await text(second))).to.include({ code: 60018 });
    await closed;
    agent.destroy();
  });

  it('reports that it is healthy', async () => {
    const reply = expectStatus(await call('GET', '/1.0/healthcheck'), 200);
    expect(reply.json).to.eql({
      database: { healthy: true, message: null },
      queues: { healthy: true, message: 'This node does not process the queues' },
      clock: { healthy: true, message: null },
      rotation: { healthy: true, message: null },
      serverKey: { healthy: true, message: null },
    });
  });

  it('returns 503 if a health check fails', async () => {
    const passed = { healthy: true, message: null };
    const late = { healthy: false, message: 'More than 1000 queue entries are late' };
    const report = { database: passed, queues: late, clock: passed, rotation: passed, serverKey: passed };
    const down = { ...serving.billing, health: () => Promise.resolve(report) };
    await withServer(serving, { billing: down }, async (url) => {
      const answer = await fetch(`${url}/1.0/healthcheck?pretty=true`);
      expect(answer.status).to.equal(503);
      expect(await answer.text()).to.equal(JSON.stringify(report, null, 2));
    });
  });
});

async function sendChunks(url: string, chunks: readonly string[]): Promise<number> {
  const headers = { ...documentHeaders, 'content-type': 'application/json' };
  const request = httpRequest(`${url}/1.0/kb/accounts`, { method: 'POST', headers });
  // The server may answer and close the connection before it has read everything.
  request.on('error', () => undefined);
  const answered = once(request, 'response');
  for (const chunk of chunks) request.write(chunk);
  request.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}
