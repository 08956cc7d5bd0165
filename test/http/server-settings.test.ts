import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createKoaApp, Dialect, type KoaOptions, type Listening, listen } from '../../adapters/koa/index.ts';
import { freshDatabase } from '../support/databases.ts';
import { migrated } from '../support/storage.ts';
import { documentHeaders, type Serving, serve } from './serving.ts';

interface Heard {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

describe('the settings of the server', () => {
  let serving: Serving;
  const listenings: Listening[] = [];

  before(async () => {
    serving = await serve(await freshDatabase('sqlite', migrated));
  });
  after(async () => {
    for (const listening of listenings) await listening.close();
    await serving.close();
  });

  async function listenWith(settings: Partial<KoaOptions>, maxHeaderBytes?: number): Promise<number> {
    const app = createKoaApp({ billing: serving.billing, logger: serving.log, ...settings });
    const listening = await listen(app, { port: 0, maxHeaderBytes });
    listenings.push(listening);
    return listening.port;
  }

  /** Unlike `fetch` it lets the caller name the host. */
  async function send(
    port: number,
    input: { path?: string; method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Heard> {
    const { path = '/1.0/kb/accounts', method = 'POST', body = '{}' } = input;
    const headers = {
      ...documentHeaders,
      'content-type': 'application/json',
      connection: 'close',
      ...input.headers,
    };
    const call = httpRequest({ port, path, method, headers });
    call.end(method === 'GET' ? undefined : body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  const forwarded = {
    host: '10.0.0.5:8080',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'billing.example.com',
  };

  it('http-api 15.2 Behind a proxy', async () => {
    const trusting = await send(await listenWith({ trustedProxies: ['127.0.0.0/8'] }), {
      headers: forwarded,
    });
    expect(trusting.status).to.equal(201);
    expect(trusting.headers.location).to.match(
      /^https:\/\/billing\.example\.com\/1\.0\/kb\/accounts\/[0-9a-f-]{36}$/,
    );
    const pathOnly = { trustedProxies: ['127.0.0.0/8'], locationFullUrl: false };
    const short = await send(await listenWith(pathOnly), { headers: forwarded });
    expect(short.headers.location).to.match(/^\/1\.0\/kb\/accounts\/[0-9a-f-]{36}$/);
    const stranger = await send(await listenWith({ trustedProxies: ['10.0.0.0/8'] }), { headers: forwarded });
    expect(stranger.headers.location).to.match(/^http:\/\/10\.0\.0\.5:8080\/1\.0\/kb\/accounts\//);
  });

  it('a base path stands before every path, and in Location', async () => {
    const port = await listenWith({ basePath: '/billing/', locationHost: 'api.example.com' });
    const made = await send(port, { path: '/billing/1.0/kb/accounts' });
    expect(made.status).to.equal(201);
    expect(made.headers.location).to.match(/^http:\/\/api\.example\.com\/billing\/1\.0\/kb\/accounts\//);
    expect((await send(port, {})).status).to.equal(404);
  });

  it('the dialect of calls with headers of neither family', async () => {
    const { authorization } = documentHeaders;
    const messages: string[] = [];
    for (const defaultDialect of [Dialect.D, Dialect.K]) {
      const port = await listenWith({ defaultDialect });
      const call = httpRequest({ port, path: '/1.0/kb/accounts/pagination', headers: { authorization } });
      call.end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      messages.push((JSON.parse(await text(answer)) as { message: string }).message);
    }
    expect(messages[0]).to.match(/X-Service-ApiKey/);
    expect(messages[1]).to.match(/X-Killbill-ApiKey/);
  });

  it('the sizes of bodies, URL and headers', async () => {
    const port = await listenWith({ limits: { json: 20, text: 10, url: 100 } }, 1_000);
    expect((await send(port, { body: '{"name":"short"}' })).status).to.equal(201);
    expect((await send(port, { body: '{"name":"rather too long"}' })).status).to.equal(413);
    const xml = { path: '/1.0/kb/catalog', headers: { 'content-type': 'text/xml' } };
    expect((await send(port, { ...xml, body: '<catalog/>' })).status).to.equal(400);
    expect((await send(port, { ...xml, body: '<catalog />' })).status).to.equal(413);
    const path = `/1.0/kb/accounts?externalKey=${'k'.repeat(80)}`;
    expect((await send(port, { path, method: 'GET' })).status).to.equal(414);
    const large = await send(port, { headers: { 'x-large': 'y'.repeat(1_000) } });
    expect(large.status).to.equal(413);
    expect(large.text).to.match(/1000 bytes/);
  });
});
