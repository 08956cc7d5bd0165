import { once } from 'node:events';
import { globSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { load } from 'js-yaml';
import { createKoaApp, type Listening, listen, openApi } from '../../adapters/koa/index.ts';
import { exampleIds } from '../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../adapters/koa/openapi/examples/request-examples.ts';
import { swaggerDocument } from '../../adapters/koa/openapi/killbill/swagger-document.ts';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import { basic, createRunningSubscription, expect, freshSqlite, serveOnce } from '../support/http/index.ts';

const document = await openApi();
const root = join(import.meta.dirname, '../..');

/** Returns the documented schema of a body. */
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
    const options = { billing: serving.billing, logger: serving.log, console: false };
    const app = createKoaApp({ ...options, ...settings });
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
      // Without its own icon, a browser requests one from the server.
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

  for (const basePath of ['', '/billing'])
    it(`shows every caller a home page with working links at the root of "${basePath}"`, async () => {
      const url = await urlWith({ basePath });
      const callers = [
        { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
        { accept: 'application/json' },
        { authorization: basic('admin', 'wrong') },
        { authorization: basic('admin', 'password') },
      ];
      const pages = await Promise.all(
        callers.flatMap((headers) =>
          [`${url}${basePath}/`, url + basePath].map((at) => fetch(at, { headers })),
        ),
      );
      expect(pages.map(({ status }) => status)).to.eql(pages.map(() => 200));
      const [page] = pages;
      expect(page?.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      expect(page?.headers.get('content-security-policy')).to.match(/^default-src 'none'; img-src data:;/);
      expect(page?.headers.has('www-authenticate')).to.equal(false);
      const html = (await page?.text()) ?? '';
      expect(html).to.not.match(/<(script|style|img|form)/);
      const links = [...html.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1] ?? '');
      expect(links).to.eql(
        ['/docs', '/openapi.json', '/guide/examples-saas-README.md', '/guide/README.md', '/llms.txt'].map(
          (path) => basePath + path,
        ),
      );
      const linked = await Promise.all(links.map((link) => fetch(url + link)));
      expect(linked.map(({ status }) => status)).to.eql(links.map(() => 200));
      const head = await fetch(`${url}${basePath}/`, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.eql([200, '']);
    });

  it('is not linked from the home page if it is turned off', async () => {
    const answer = await fetch(`${await urlWith({ docs: false })}/`);
    expect(answer.status).to.equal(200);
    expect(await answer.text())
      .to.include('<h1>Billwright</h1>')
      .and.not.include('href="/');
  });

  it('requires credentials for other paths and for other methods on the root path', async () => {
    const url = await urlWith({ basePath: '/billing' });
    const answers = [
      await fetch(`${url}/`),
      await fetch(`${url}/billing/nowhere`),
      await fetch(`${url}/billing/`, { method: 'POST' }),
    ];
    expect(answers.map(({ status }) => status)).to.eql([401, 401, 401]);
  });

  it('serves all pages of the documentation as Markdown', async () => {
    const url = await urlWith({ basePath: '/billing' });
    const index = await fetch(`${url}/billing/llms.txt`);
    expect(index.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const links = [...(await index.text()).matchAll(/^- \[.+\]\((.+)\): .+[.]$/gm)].map(
      ([, link = '']) => link,
    );
    const pages = globSync('{README.md,{adapters,examples,lib}/**/*.md}', { cwd: root });
    const generated = ['SECTIONS', 'ENDPOINTS', 'MODELS', 'ERRORS', 'PROPERTIES'].map(
      (name) => `reference/${name}.md`,
    );
    expect(links).to.have.members(
      [...pages, ...generated].map((path) => `/billing/guide/${path.replaceAll('/', '-')}`),
    );
    const full = await (await fetch(`${url}/billing/llms-full.txt`)).text();
    for (const link of links) {
      const page = await fetch(url + link);
      expect(page.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      expect(full).to.include((await page.text()).trimEnd());
    }
    const unknown = await fetch(`${url}/billing/guide/package.json`);
    expect(unknown.status).to.equal(404);
    expect(await unknown.json()).to.include({ code: 60007 });
  });

  it('contains a catalog that can be uploaded', async () => {
    const { call } = serving;
    const body = requestExamples.uploadCatalogXml;
    const headers = { 'content-type': 'text/xml', 'x-service-apikey': 'eve', 'x-service-apisecret': 'other' };
    const checked = await call('POST', '/1.0/kb/catalog/xml/validate', { body, headers });
    expect(checked.json).to.eql({ catalogValidationErrors: [], catalogValidationWarnings: [] });
    expect((await call('POST', '/1.0/kb/catalog/xml', { body, headers })).status).to.equal(201);
  });

  it('contains usable examples of newline-delimited usage and XML configurations', async () => {
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

  it('marks the account of a dry run as required only in dialect K', () => {
    type Parameter = { readonly name: string; readonly required: boolean };
    type Paths = Readonly<Record<string, { readonly post: { readonly parameters: readonly Parameter[] } }>>;
    const required = [document, swaggerDocument(routeTable({ testMode: false }))].map(({ paths }) =>
      (paths as Paths)['/1.0/kb/invoices/dryRun']?.post.parameters.find(({ name }) => name === 'accountId'),
    );
    expect(required.map((parameter) => parameter?.required)).to.eql([false, true]);
  });

  it('is available in YAML block style', async () => {
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
      '/llms.txt',
      '/llms-full.txt',
      '/guide/README.md',
    ]) {
      const answer = await fetch(url + path);
      expect([path, answer.status]).to.eql([path, 404]);
      expect(await answer.json()).to.include({ code: 60008 });
    }
  });
});
