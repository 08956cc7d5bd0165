import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import Koa from 'koa';
import { type DispatcherOptions, dispatcher } from '../../adapters/koa/dispatch/dispatcher.ts';
import { billingMiddleware, createKoaApp, type Listening, listen } from '../../adapters/koa/index.ts';
import { consolePages } from '../../adapters/koa/pages/console.ts';
import { homePage } from '../../adapters/koa/pages/home.ts';
import { basic, expect, expectStatus, freshSqlite } from '../support/http/index.ts';
import { serveOnce } from '../support/http/serving.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<base href="/console/">
<meta name="billwright-base" content="">
<title>Billwright</title>
</head>
</html>
`;

const files = {
  'index.html': page,
  'main.js': `console.log('${'long '.repeat(1_000)}');`,
  'main.css': 'body { color: black; }',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'chunks/charts-AB12CD34.js': 'export {};',
  'chunks/charts-currency.js': 'export {};',
  'favicon.ico': 'icon',
  '.env.json': '{"secret":1}',
  'notes.md': 'not served',
};

const asPage = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
const asScript = { accept: '*/*' };

describe('console', () => {
  const serving = serveOnce(freshSqlite);
  const listenings: Listening[] = [];
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billwright-console-'));
    await mkdir(join(folder, 'console/chunks'), { recursive: true });
    for (const [name, content] of Object.entries(files))
      await writeFile(join(folder, 'console', name), content);
    await writeFile(join(folder, 'outside.json'), '{"secret":1}');
  });

  after(async () => {
    for (const listening of listenings) await listening.close();
    await rm(folder, { recursive: true });
  });

  async function listening(app: Koa): Promise<string> {
    const server = await listen(app, { port: 0 });
    listenings.push(server);
    return `http://127.0.0.1:${server.port}`;
  }

  async function urlWith(
    settings: Partial<DispatcherOptions> = {},
    place: URL | null = pathToFileURL(`${folder}/console/`),
  ): Promise<string> {
    const pages = consolePages(place);
    const options = { billing: serving.billing, logger: serving.log, routes: [], ownsEveryPath: true };
    return listening(new Koa().use(dispatcher({ ...options, consolePages: async () => pages, ...settings })));
  }

  /** Sends the path unchanged; `fetch` would normalize it. */
  async function rawStatus(url: string, path: string): Promise<readonly [status: number, body: string]> {
    const { hostname, port } = new URL(url);
    const [answer] = (await once(get({ hostname, port, path, headers: asScript }), 'response')) as [
      IncomingMessage,
    ];
    return [answer.statusCode ?? 0, await text(answer)];
  }

  for (const basePath of ['', '/billing'])
    it(`returns its page, with the base path, for every view below "${basePath}"`, async () => {
      const url = await urlWith({ basePath });
      for (const path of [
        '',
        '/',
        '/index.html',
        '/t/bob/accounts',
        '/t/acme.com',
        '/t/a%2Fb.js',
        '/t/x.js',
      ]) {
        const answer = expectStatus(
          await fetch(`${url}${basePath}/console${path}`, { headers: asPage }),
          200,
        );
        expect(answer.headers.get('content-type'), path).to.equal('text/html; charset=utf-8');
        expect(answer.headers.get('cache-control')).to.equal('no-cache');
        const html = await answer.text();
        expect(html.match(/<base [^>]*>/g)).to.eql([`<base href="${basePath}/console/">`]);
        expect(html.match(/<meta name="billwright-base"[^>]*>/g)).to.eql([
          `<meta name="billwright-base" content="${basePath}">`,
        ]);
        expect(html.indexOf('<base ')).to.be.below(html.indexOf('<title>'));
      }
    });

  it('states on its page that the server has a test clock', async () => {
    const metaOf = async (settings: Partial<DispatcherOptions>) => {
      const answer = await fetch(`${await urlWith(settings)}/console`, { headers: asPage });
      return (await answer.text()).includes('<meta name="billwright-test">');
    };
    const unused = async () => undefined;
    const clock = { now: () => serving.clock.now(), set: unused, move: unused };
    expect(await metaOf({})).to.equal(false);
    expect(await metaOf({ test: { clock } })).to.equal(true);
  });

  it('uses the path prefix of a trusted proxy', async () => {
    const url = await urlWith({ basePath: '/billing', trustedProxies: ['127.0.0.1'] });
    const headers = { ...asPage, 'x-forwarded-prefix': '/eu' };
    const answer = await fetch(`${url}/billing/console`, { headers });
    expect(await answer.text()).to.contain('<base href="/eu/billing/console/">');
  });

  it('escapes the base path in the page', async () => {
    const { file } = consolePages(pathToFileURL(`${folder}/console/`));
    const found = await file({ path: '', basePath: '/"><script>$&', acceptsHtml: true, isTestMode: false });
    const body = 'body' in found ? found.body : '';
    expect(body).to.contain('<base href="/&#34;&#62;&#60;script&#62;$&#38;/console/">');
    expect(body).to.not.contain('<script>');
  });

  it('sets strict security headers on every response and needs no credentials', async () => {
    const url = await urlWith();
    for (const path of ['', '/main.js', '/chunks/charts-AB12CD34.js', '/missing.js', '/icon.svg'])
      for (const headers of [asScript, { ...asScript, authorization: basic('admin', 'wrong') }]) {
        const answer = await fetch(`${url}/console${path}`, { headers });
        expect(answer.status).to.equal(path === '/missing.js' ? 404 : 200);
        expect(answer.headers.get('content-security-policy')).to.equal(
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
            "connect-src 'self'; font-src 'self'; frame-src 'self' blob:; base-uri 'self'; " +
            "form-action 'none'; frame-ancestors 'none'",
        );
        expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
        expect(answer.headers.get('referrer-policy')).to.equal('no-referrer');
        expect(answer.headers.get('cross-origin-opener-policy')).to.equal('same-origin');
        expect(answer.headers.has('www-authenticate')).to.equal(false);
      }
  });

  it('serves files with their content types, and lets browsers cache files with a hash in their name', async () => {
    const url = await urlWith();
    const immutable = 'public, max-age=31536000, immutable';
    for (const [path, type, cached] of [
      ['main.js', 'text/javascript; charset=utf-8', 'no-cache'],
      ['main.css', 'text/css; charset=utf-8', 'no-cache'],
      ['icon.svg', 'image/svg+xml; charset=utf-8', 'no-cache'],
      ['favicon.ico', 'image/x-icon', 'no-cache'],
      ['chunks/charts-AB12CD34.js', 'text/javascript; charset=utf-8', immutable],
      ['chunks/charts-currency.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ] as const) {
      const answer = expectStatus(await fetch(`${url}/console/${path}`), 200);
      expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).to.eql([
        type,
        cached,
      ]);
      expect(await answer.text()).to.equal(files[path]);
      const head = await fetch(`${url}/console/${path}`, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-type'), await head.text()]).to.eql([200, type, '']);
    }
  });

  it('returns 304 for a known version, and sends a changed file again', async () => {
    const url = await urlWith();
    for (const path of ['', '/main.js', '/main.css']) {
      const tag = (await fetch(`${url}/console${path}`)).headers.get('etag') ?? '';
      expect(tag).to.match(/^W\/"[\w-]{27}"$/);
      const again = await fetch(`${url}/console${path}`, { headers: { 'if-none-match': tag } });
      expect([again.status, again.headers.has('content-security-policy')]).to.eql([304, true]);
    }
    const tag = (await fetch(`${url}/console/main.css`)).headers.get('etag') ?? '';
    await writeFile(join(folder, 'console/main.css'), 'body { color: darkblue; }');
    const changed = await fetch(`${url}/console/main.css`, { headers: { 'if-none-match': tag } });
    expect(await changed.text()).to.equal('body { color: darkblue; }');
    await writeFile(join(folder, 'console/main.css'), files['main.css']);
  });

  it('compresses its files', async () => {
    const url = await urlWith();
    const { hostname, port } = new URL(url);
    const headers = { 'accept-encoding': 'br' };
    const [answer] = (await once(get({ hostname, port, path: '/console/main.js', headers }), 'response')) as [
      IncomingMessage,
    ];
    expect(answer.headers).to.include({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    const chunks = await answer.toArray();
    expect(brotliDecompressSync(Buffer.concat(chunks)).toString()).to.equal(files['main.js']);
  });

  it('serves no file outside of its folder, no hidden file and no file of another type', async () => {
    const url = await urlWith();
    for (const path of [
      '/../outside.json',
      '/%2e%2e/outside.json',
      '/..%2foutside.json',
      '/%2e%2e%2foutside.json',
      '/chunks/../../outside.json',
      '/chunks/..%5c..%5coutside.json',
      '//outside.json',
      `/${folder}/outside.json`,
      '/.env.json',
      '/%2eenv.json',
      '/notes.md',
      `/${'x'.repeat(300)}.js`,
      '/main.js/main.js',
      '/chunks',
      '/file:%2f%2f%2fetc%2fhosts.js',
    ]) {
      const [status, body] = await rawStatus(url, `/console${path}`);
      expect(body, path).to.not.contain('secret').and.to.not.contain('not served');
      if (status !== 404) expect([status, body.startsWith('<!doctype html>')], path).to.eql([200, true]);
    }
    expect((await rawStatus(url, '/console/../openapi.json'))[0]).to.not.equal(500);
  });

  it('returns 404 for a missing file, and describes how to build a missing console', async () => {
    const missing = await fetch(`${await urlWith()}/console/chunks/old-AB12CD34.js`, { headers: asScript });
    expect(missing.status).to.equal(404);
    expect(await missing.json()).to.include({ message: 'The console has no such file' });
    for (const place of [pathToFileURL(`${folder}/nowhere/`), null]) {
      const url = await urlWith({}, place);
      for (const path of ['', '/', '/t/bob']) {
        const answer = await fetch(`${url}/console${path}`, { headers: asPage });
        expect(answer.status).to.equal(404);
        expect(await answer.json()).to.include({
          message: 'The console is not built: run npm run build:console',
        });
      }
    }
  });

  it('answers only GET and HEAD, and does not handle similar paths or OPTIONS', async () => {
    const url = await urlWith({ basePath: '/billing' });
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await fetch(`${url}/billing/console`, { method })).status).to.equal(401);
    for (const path of ['/console', '/billing/consoles', '/billing/x/console'])
      expect((await fetch(url + path)).status).to.equal(401);
    const options = await fetch(`${url}/billing/console`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).to.eql([
      200,
      'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    ]);
  });

  it('is part of an application unless the console option is false', async () => {
    const { billing, log: logger } = serving;
    const at = async (app: Koa) =>
      (await fetch(`${await listening(app)}/console/main-of-nothing.js`, { headers: asScript })).status;
    expect(await at(createKoaApp({ billing, logger }))).to.equal(404);
    expect(await at(createKoaApp({ billing, logger, console: false }))).to.equal(401);
    const host = (console: boolean) =>
      new Koa().use(billingMiddleware({ billing, logger, console })).use((ctx) => {
        ctx.status = 418;
      });
    expect(await at(host(true))).to.equal(404);
    expect(await at(host(false))).to.equal(418);
  });

  it('is linked on the home page if it is served', () => {
    expect(homePage('/billing', { docs: false, console: true })).to.contain(
      '<li><a href="/billing/console">Console</a></li>',
    );
    expect(homePage('/billing', { docs: true, console: false })).to.not.contain('/console');
  });
});
