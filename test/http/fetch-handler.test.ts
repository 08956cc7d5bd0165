import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { exchange, handedServer } from '../../adapters/koa/fetch.ts';
import { createFetchHandler, type FetchHandler } from '../../adapters/koa/index.ts';
import { basic, createAccount, documentHeaders, exampleCatalog, expect } from '../support/http/index.ts';
import { expectStatus, freshSqlite, jsonType, plainType, serveOnce } from '../support/http/serving.ts';
import { rejection } from '../support/storage/opened-storage.ts';

const ORIGIN = 'https://shop.example';

type RequestOptions = RequestInit & { readonly headers?: Readonly<Record<string, string>> };

describe('HTTP interface as a fetch handler', () => {
  const serving = serveOnce(freshSqlite);
  let handler: FetchHandler;
  before(async () => {
    const { billing, log: logger } = serving;
    const remoteAddress = () => '10.0.0.7';
    const trustedProxies = ['10.0.0.0/8'];
    handler = createFetchHandler({ billing, logger, basePath: '/billing', remoteAddress, trustedProxies });
  });

  const call = (method: string, path: string, init: RequestOptions = {}) => {
    const headers = { ...documentHeaders, ...init.headers };
    return handler(new Request(`${ORIGIN}/billing${path}`, { method, ...init, headers }));
  };
  const json = (body: unknown, headers: RequestOptions['headers'] = {}): RequestOptions => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(headers as object) },
  });
  const idIn = ({ headers }: Response) => headers.get('location')?.split('/').at(-1) ?? '';

  it('works at the application’s address, from creating the tenant to invoicing a customer', async () => {
    const tenant = { apiKey: 'fetched', apiSecret: 'fetched-secret' };
    expect((await call('POST', '/1.0/kb/tenants', json(tenant))).status).to.equal(201);
    const headers = { 'x-service-apikey': tenant.apiKey, 'x-service-apisecret': tenant.apiSecret };
    const body = await exampleCatalog();
    const xml = { body, headers: { ...headers, 'content-type': 'text/xml' } };
    expect((await call('POST', '/1.0/kb/catalog/xml', xml)).status).to.equal(201);
    const made = await call('POST', '/1.0/kb/accounts', json({ name: 'Ada Ä', currency: 'USD' }, headers));
    const place = made.headers.get('location') ?? '';
    expect(place.startsWith(`${ORIGIN}/billing/1.0/kb/accounts/`), place).to.equal(true);
    const forwarded = { ...headers, 'x-forwarded-host': 'api.example', 'x-forwarded-proto': 'http' };
    const seen = await call('POST', '/1.0/kb/accounts', json({ currency: 'USD' }, forwarded));
    expect(seen.headers.get('location')).to.match(/^http:\/\/api\.example\/billing\//);
    const account = await call('GET', `/1.0/kb/accounts/${idIn(made)}`, { headers });
    expect(account.headers.get('content-type')).to.equal('application/json');
    expect(await account.json()).to.include({ name: 'Ada Ä' });
    const plan = { accountId: idIn(made), planName: 'canopy-monthly' };
    const subscribed = await call('POST', '/1.0/kb/subscriptions?callCompletion=true', json(plan, headers));
    expect(subscribed.status).to.equal(201);
    const invoices = await call('GET', `/1.0/kb/accounts/${idIn(made)}/invoices`, { headers });
    expect(await invoices.json()).to.have.length(1);
  });

  it('sends no body for HEAD and 204, forwards cookies and treats an empty body as missing', async () => {
    const path = `/1.0/kb/accounts/${await createAccount(serving, {})}`;
    const whole = await call('GET', path, { headers: { 'accept-encoding': 'identity' } });
    const length = String((await whole.arrayBuffer()).byteLength);
    const head = await call('HEAD', path);
    expect(head).to.include({ status: 200, body: null });
    expect([whole, head].map(({ headers }) => headers.get('content-length'))).to.eql([length, length]);
    expect(await call('PUT', path, json({ name: 'Ada' }))).to.include({ status: 204, body: null });
    expectStatus(await call('DELETE', `${path}/emails/none`, { body: '', headers: jsonType }), 204);
    expectStatus(await call('DELETE', `${path}/emails/none`, { body: '{}', headers: jsonType }), 204);
    const [cookie = ''] = (await call('GET', '/1.0/kb/security/subject')).headers.getSetCookie();
    const subject = `${ORIGIN}/billing/1.0/kb/security/subject`;
    const again = await handler(new Request(subject, { headers: { cookie: cookie.split(';', 1)[0] ?? '' } }));
    expect(await again.json()).to.include({ principal: 'admin' });
  });

  it('streams a response in chunks and leaves compression to the surrounding server', async () => {
    const id = await createAccount(serving, { name: 'Exported' });
    const exported = await call('GET', `/1.0/kb/export/${id}`, { headers: { 'accept-encoding': 'gzip' } });
    const values = ['content-length', 'content-encoding'].map((name) => exported.headers.get(name));
    expect(values).to.eql([null, null]);
    expect(await exported.text()).to.contain('Exported');
  });

  it('returns the usual status and body for rejected requests', async () => {
    const refusals = [
      [await call('POST', '/1.0/kb/accounts', json({ currency: 7 })), 400],
      [await call('GET', '/1.0/kb/accounts', { headers: { authorization: basic('admin', 'wrong') } }), 401],
      [await call('GET', '/1.0/kb/nothing'), 404],
      [await handler(new Request(`${ORIGIN}/elsewhere`, { headers: documentHeaders })), 404],
      [await call('POST', '/1.0/kb/accounts/pagination'), 405],
      [await call('POST', '/1.0/kb/accounts', { body: 'x', headers: plainType }), 415],
      [await call('POST', '/1.0/kb/accounts', json({ notes: 'x'.repeat(2 ** 20) })), 413],
      [await call('GET', '/1.0/kb/accounts', { headers: { 'x-long': 'x'.repeat(20_000) } }), 413],
    ] as const;
    for (const [answer, status] of refusals) {
      const body = (await answer.json()) as { readonly message: string };
      expect(answer.status, body.message).to.equal(status);
      expect(body.message).to.be.a('string').and.to.not.equal('');
    }
    const large = await call('POST', '/1.0/kb/accounts', json({ notes: 'x'.repeat(2 ** 20 - 100) }));
    expect([201, 400]).to.include(large.status);
  });

  it('rejects a request with an explanation if its body is already consumed or the request was aborted', async () => {
    const request = new Request(`${ORIGIN}/billing/1.0/kb/accounts`, { method: 'POST', body: '{}' });
    await request.text();
    const reading = new Request(request.url, { method: 'POST', body: '{}' });
    reading.body?.getReader();
    for (const each of [request, reading]) {
      const read = await rejection(handler(each));
      expect(read).to.be.instanceOf(TypeError);
      expect(read.message).to.contain('request.clone()');
    }
    const reason = new Error('the caller has gone');
    expect(await rejection(call('GET', '/1.0/kb/accounts', { signal: AbortSignal.abort(reason) }))).to.equal(
      reason,
    );
  });
});

describe('in-process Node server for fetch requests', () => {
  const CHUNK = Buffer.alloc(65_536);

  const answered = (listener: RequestListener, init: RequestInit & { readonly duplex?: 'half' } = {}) =>
    exchange(handedServer(listener), new Request(`${ORIGIN}/`, init), undefined);

  /** Returns a listener that writes as long as the client reads. */
  function endless() {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const listener = (_request: unknown, response: ServerResponse) => void pour(response);
    const stage = { written: 0, closed, listener };
    const pour = async (response: ServerResponse) => {
      response.once('close', resolve);
      while (!response.destroyed) {
        stage.written += CHUNK.length;
        if (!response.write(CHUNK)) await Promise.race([once(response, 'drain'), closed]);
        await setTimeout();
      }
    };
    return stage;
  }

  it('produces no more of a response than its reader reads, and stops when the reader stops', async () => {
    const stage = endless();
    const reader = (await answered(stage.listener)).body?.getReader();
    await reader?.read();
    await setTimeout(100);
    expect(stage.written).to.be.below(1_000_000);
    for (let read = 0; read < 2_000_000; ) read += (await reader?.read())?.value?.length ?? 0;
    expect(stage.written).to.be.above(2_000_000);
    await reader?.cancel();
    await stage.closed;
  });

  it('ends a response on abort, whether before or after the head is sent', async () => {
    const waiting = new AbortController();
    const { promise: begun, resolve: begin } = Promise.withResolvers<ServerResponse>();
    const unanswered = answered((_request, response) => begin(response), { signal: waiting.signal });
    const closed = once(await begun, 'close');
    const reason = new Error('too slow');
    waiting.abort(reason);
    expect(await rejection(unanswered)).to.equal(reason);
    await closed;
    const stage = endless();
    const reading = new AbortController();
    const answer = await answered(stage.listener, { signal: reading.signal });
    reading.abort();
    await rejection(answer.arrayBuffer());
    await stage.closed;
  });

  it('reports a truncated response as an error to its reader', async () => {
    const broken = await answered((_request, response) => {
      response.write('half of it');
      void setTimeout(5).then(() => response.destroy());
    });
    await rejection(broken.text());
    expect((await rejection(answered((_request, response) => response.destroy()))).message).to.contain(
      'hang up',
    );
  });

  it('disconnects a stalled reader at the response timeout', async () => {
    const { promise: found, resolve } = Promise.withResolvers<void>();
    const stage = endless();
    await answered((request, response) => {
      response.setTimeout(20, () => {
        response.destroy();
        resolve();
      });
      stage.listener(request, response);
    });
    await found;
    await stage.closed;
  });

  it('forwards a body as it arrives, no faster than the server reads it', async () => {
    let given = 0;
    const body = new ReadableStream({
      pull: (controller) => {
        given += CHUNK.length;
        controller.enqueue(new Uint8Array(CHUNK));
        if (given >= 4_194_304) controller.close();
      },
    });
    const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
    const answering = answered(
      (request, response) =>
        begin(() => {
          let bytes = 0;
          request.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          request.on('end', () => response.end(String(bytes)));
        }),
      { method: 'POST', body, duplex: 'half' },
    );
    const read = await begun;
    await setTimeout(50);
    expect(given).to.be.below(1_000_000);
    read();
    expect(await (await answering).text()).to.equal('4194304');
  });

  it('can respond before the request body ends, and fails if the request body fails', async () => {
    let isCancelled = false;
    const unending = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(CHUNK)),
      cancel: () => {
        isCancelled = true;
      },
    });
    const early = await answered(
      (_request, response) => {
        response.writeHead(413, { connection: 'close' });
        response.end('enough');
      },
      { method: 'POST', body: unending, duplex: 'half' },
    );
    expect([early.status, await early.text()]).to.eql([413, 'enough']);
    for (let waited = 0; !isCancelled && waited < 1_000; waited += 1) await setTimeout(5);
    expect(isCancelled).to.equal(true);
    const failing = new ReadableStream({
      pull: (controller) => controller.error(new Error('the upload failed')),
    });
    const failed = await rejection(
      answered((request) => void request.resume(), { method: 'POST', body: failing, duplex: 'half' }),
    );
    expect(failed.message).to.contain('the upload failed');
  });

  it('gives each cookie its own header and omits connection headers', async () => {
    const answer = await answered(
      (request, response) => {
        const { host, connection, cookie } = request.headers;
        response.writeHead(200, { 'set-cookie': ['a=1; path=/', 'b=2'], 'keep-alive': 'timeout=5' });
        response.end(JSON.stringify({ host, connection, cookie }));
      },
      { headers: { cookie: 'a=1; b=2', connection: 'upgrade', upgrade: 'websocket' } },
    );
    expect(answer.headers.getSetCookie()).to.eql(['a=1; path=/', 'b=2']);
    expect([...answer.headers.keys()]).to.eql(['set-cookie', 'set-cookie']);
    expect(await answer.json()).to.eql({ host: 'shop.example', connection: 'close', cookie: 'a=1; b=2' });
  });
});
