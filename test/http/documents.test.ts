import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { createKoaApp, type Listening, listen, openApi } from '../../adapters/koa/index.ts';
import { exampleIds } from '../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../adapters/koa/openapi/examples/request-examples.ts';
import { basic, createRunningSubscription, expect, freshSqlite, serveOnce } from '../support/http/index.ts';

const document = await openApi();

/** What the document shows of a body. */
function shownBody(path: string, type: string): string {
  type Operation = {
    readonly requestBody: { readonly content: Record<string, { readonly example: string }> };
  };
  const paths = document.paths as Readonly<Record<string, { readonly post: Operation }>>;
  return paths[path]?.post.requestBody.content[type]?.example ?? '';
}

describe('API documentation', () => {
  const serving = serveOnce(freshSqlite);
  const listenings: Listening[] = [];

  after(async () => {
    for (const listening of listenings) await listening.close();
  });

  async function urlWith(settings: { readonly docs?: boolean; readonly basePath?: string }): Promise<string> {
    const app = createKoaApp({ billing: serving.billing, logger: serving.log, ...settings });
    const listening = await listen(app, { port: 0 });
    listenings.push(listening);
    return `http://127.0.0.1:${listening.port}`;
  }

  for (const basePath of ['', '/billing'])
    it(`loads all parts of its page from this server below "${basePath}"`, async () => {
      const url = await urlWith({ basePath });
      const page = await fetch(`${url}${basePath}/docs`);
      const html = await page.text();
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      const policy = page.headers.get('content-security-policy');
      expect(policy).to.match(/^default-src 'none'; script-src 'self';/);
      const parts = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1] ?? '');
      // Without an icon of its own, a browser asks the server for one.
      const [icon, ...files] = parts;
      expect(icon).to.equal('data:,');
      expect(policy).to.contain("img-src 'self' data:");
      expect(files).to.have.length(3);
      for (const part of files) {
        const answer = await fetch(url + part);
        expect([part, answer.status]).to.eql([part, 200]);
        expect(answer.headers.get('content-type')).to.match(/^text\/(css|javascript); charset=utf-8$/);
        await answer.body?.cancel();
      }
      const document = await (await fetch(`${url}${basePath}/openapi.json`)).json();
      expect(document).to.have.deep.property('servers', [{ url: basePath || '/' }]);
      expect(html.replace(/<script src="[^"]*"><\/script>/g, '')).to.not.contain('<script');
    });

  it('returns the same page if the Host header is not a valid URL', async () => {
    const url = await urlWith({ basePath: '/billing' });
    const headers = { host: '999999999999999' };
    const [answer] = (await once(get(`${url}/billing/docs`, { headers }), 'response')) as [IncomingMessage];
    expect(answer.statusCode).to.equal(200);
    expect(await text(answer)).to.contain('"/billing/docs/start.js"');
  });

  it('receives browsers that open the server root, unless they have logged in', async () => {
    const plain = await urlWith({ basePath: '/billing' });
    const ask = (headers: Record<string, string>, url = `${plain}/billing/`) =>
      fetch(url, { headers, redirect: 'manual' });
    const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
    for (const url of [`${plain}/billing/`, `${plain}/billing`]) {
      const answer = await ask({ accept: html }, url);
      expect([answer.status, answer.headers.get('location')]).to.eql([302, '/billing/docs']);
    }
    const statuses = [
      await ask({ accept: 'application/json' }),
      await ask({ accept: html, authorization: basic('admin', 'wrong') }),
      await ask({ accept: html, authorization: basic('admin', 'password') }),
      await ask({ accept: html }, `${plain}/`),
      await ask({ accept: html }, `${plain}/billing/nowhere`),
      await ask({ accept: html }, `${await urlWith({ docs: false })}/`),
    ].map(({ status }) => status);
    expect(statuses).to.eql([401, 401, 404, 401, 401, 401]);
  });

  it('shows a catalog that can be uploaded', async () => {
    const { call } = serving;
    const body = requestExamples.uploadCatalogXml;
    const headers = { 'content-type': 'text/xml', 'x-service-apikey': 'eve', 'x-service-apisecret': 'other' };
    const checked = await call('POST', '/1.0/kb/catalog/xml/validate', { body, headers });
    expect(checked.json).to.eql({ catalogValidationErrors: [], catalogValidationWarnings: [] });
    expect((await call('POST', '/1.0/kb/catalog/xml', { body, headers })).status).to.equal(201);
  });

  it('shows newline-delimited usage, and XML for configurations that may be XML', async () => {
    const subscriptionId = await createRunningSubscription(serving);
    const answers = await Promise.all(
      [
        ['/1.0/kb/usages/bulk', 'application/x-ndjson'],
        ['/1.0/kb/overdue', 'text/xml'],
        ['/1.0/kb/overdue', 'application/xml'],
      ].map(([path = '', type = '']) => {
        const body = shownBody(path, type).replaceAll(exampleIds.subscriptionId, subscriptionId);
        return serving.call('POST', path, { body, headers: { 'content-type': type } });
      }),
    );
    expect(answers.map(({ status }) => status)).to.eql([200, 201, 201]);
    expect(answers[0]?.json).to.include({ accepted: 1 });
  });

  it('is also available in YAML block style', async () => {
    const answer = await fetch(`${serving.url}/openapi.yaml`);
    expect(answer.headers.get('content-type')).to.match(/^application\/yaml\b/);
    const yaml = await answer.text();
    expect(yaml).to.match(/^openapi: 3\.1\.\d\ninfo:\n {2}title: /);
    expect(load(yaml)).to.eql(await (await fetch(`${serving.url}/openapi.json`)).json());
  });

  it('is absent if the operator turns it off', async () => {
    const url = await urlWith({ docs: false });
    for (const path of [
      '/openapi.json',
      '/openapi.yaml',
      '/swagger.json',
      '/1.0/kb/swagger.json',
      '/docs',
      '/docs/start.js',
    ]) {
      const answer = await fetch(url + path);
      expect([path, answer.status]).to.eql([path, 404]);
      expect(await answer.json()).to.include({ code: 60008 });
    }
  });
});
