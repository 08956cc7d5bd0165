import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { billingMiddleware, createRequestListener } from '../../adapters/koa/index.ts';
import { Billing } from '../../adapters/node/billwright.ts';
import { documentHeaders, exampleCatalog, expect } from '../support/http/index.ts';
import { expectStatus, freshSqlite, type Serving, serveOnce } from '../support/http/serving.ts';
import { freshDatabase, migrated, plainHasher, recordingLogger, storageOf } from '../support/index.ts';

interface Mounted {
  readonly prefix: string;
  start(serving: Serving): Promise<Server>;
}

const listenerOf = ({ billing, log }: Serving, basePath = '') =>
  createRequestListener({ billing, logger: log, basePath });

const listening = async (server: Server): Promise<Server> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** Returns an Express application with its own page. */
function expressWith(prepare: (app: express.Express) => void): Promise<Server> {
  const app = express();
  prepare(app);
  app.get('/own', (_request, response) => void response.send('own page'));
  return listening(createServer(app));
}

async function fastifyWith(prepare: (app: fastify.FastifyInstance) => void): Promise<Server> {
  const app = fastify();
  prepare(app);
  app.get('/own', async () => 'own page');
  await app.listen({ port: 0 });
  return app.server;
}

const hosts: Readonly<Record<string, Mounted>> = {
  'in node:http at a path': {
    prefix: '/billing',
    start: (serving) => {
      const listener = listenerOf(serving, '/billing');
      return listening(
        createServer((request, response) => {
          if (request.url === '/own') response.end('own page');
          else listener(request, response);
        }),
      );
    },
  },
  'in Express at a path that Express strips': {
    prefix: '/billing',
    start: (serving) => expressWith((app) => app.use('/billing', listenerOf(serving))),
  },
  'in Express after its body parsers': {
    prefix: '/api/billing',
    start: (serving) =>
      expressWith((app) => {
        app.use(express.json(), express.urlencoded(), express.text({ type: ['text/*', '*/x-ndjson'] }));
        const inner = express.Router();
        inner.use('/billing', listenerOf(serving));
        app.use('/api', inner);
      }),
  },
  'in Express with the raw body kept beside the parsed body': {
    prefix: '/billing',
    start: (serving) =>
      expressWith((app) => {
        const verify = (request: object, _response: unknown, bytes: Buffer) =>
          void Object.assign(request, { rawBody: bytes });
        app.use(express.json({ verify }), express.urlencoded({ verify }));
        app.use(express.text({ type: ['text/*', '*/x-ndjson'], verify }));
        app.use((request, _response, next) => {
          if ('rawBody' in request) request.body = 'for the host alone';
          next();
        });
        app.use('/billing', listenerOf(serving));
      }),
  },
  'in Express among its own paths': {
    prefix: '',
    start: (serving) => expressWith((app) => app.use(listenerOf(serving))),
  },
  'in Koa after koa-body': {
    prefix: '/billing',
    start: ({ billing, log: logger }) => {
      const app = new Koa();
      app.use(koaBody({ textTypes: ['text/xml', 'application/x-ndjson'] }));
      app.use(billingMiddleware({ billing, logger, basePath: '/billing' }));
      app.use((ctx) => {
        ctx.body = 'own page';
      });
      return listening(createServer(app.callback()));
    },
  },
  'in Koa at a path that koa-mount strips': {
    prefix: '/billing',
    start: ({ billing, log: logger }) => {
      const app = new Koa();
      const interfaceOf = billingMiddleware({ billing, logger });
      app.use(async (ctx, next) => {
        const { path } = ctx;
        if (!path.startsWith('/billing/')) return next();
        ctx.path = path.slice('/billing'.length);
        await interfaceOf(ctx, async () => {
          ctx.path = path;
          await next();
        });
        ctx.path = path;
      });
      app.use((ctx) => {
        ctx.body = 'own page';
      });
      return listening(createServer(app.callback()));
    },
  },
  'in Fastify after its body parser': {
    prefix: '/billing',
    start: (serving) => {
      const listener = listenerOf(serving, '/billing');
      return fastifyWith((app) => {
        app.addContentTypeParser(
          ['application/x-ndjson', 'text/xml'],
          { parseAs: 'buffer' },
          (_request, body, done) => done(null, body),
        );
        app.addContentTypeParser(
          'application/x-www-form-urlencoded',
          { parseAs: 'string' },
          (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
        );
        app.all('/billing/*', (request, reply) => {
          reply.hijack();
          listener(Object.assign(request.raw, { body: request.body }), reply.raw);
        });
      });
    },
  },
  'in Fastify without a body parser': {
    prefix: '/billing',
    start: (serving) => {
      const listener = listenerOf(serving, '/billing');
      return fastifyWith((app) => {
        app.register(async (scope) => {
          scope.removeAllContentTypeParsers();
          scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
          scope.all('/billing/*', (request, reply) => {
            reply.hijack();
            listener(request.raw, reply.raw);
          });
        });
      });
    },
  },
};

describe('mounted HTTP interface', () => {
  const serving = serveOnce(freshSqlite);

  for (const [name, { prefix, start }] of Object.entries(hosts))
    describe(name, () => {
      let server: Server;
      let url: string;
      before(async () => {
        await serving.billing.tenants.create({ userName: 'test' }, { apiKey: name, apiSecret: 'lazar' });
        server = await start(serving);
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      });
      after(() => {
        server.closeAllConnections();
        server.close();
      });

      const headers = { ...documentHeaders, 'x-service-apikey': name };
      const send = (path: string, body?: string | Uint8Array, type = 'application/json') =>
        fetch(url + path, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
          body: body ?? null,
        });

      it('accepts bodies of every kind and returns the Location of created resources', async () => {
        const catalog = await send(`${prefix}/1.0/kb/catalog/xml`, await exampleCatalog(), 'text/xml');
        expect(catalog.status).to.equal(201);
        const made = await send(`${prefix}/1.0/kb/accounts`, '{"name":"Ada Ä","currency":"USD"}');
        expect(made.status).to.equal(201);
        const place = made.headers.get('location') ?? '';
        expect(place.startsWith(`${url}${prefix}/1.0/kb/accounts/`), place).to.equal(true);
        expect(await (await fetch(place, { headers })).json()).to.include({ name: 'Ada Ä' });
        const subscribing = { accountId: place.split('/').at(-1), planName: 'canopy-monthly' };
        const subscribed = await send(`${prefix}/1.0/kb/subscriptions`, JSON.stringify(subscribing));
        const subscriptionId = subscribed.headers.get('location')?.split('/').at(-1);
        const lines = Array.from({ length: 300 }, (_, index) => ({
          subscriptionId,
          trackingId: `${index}`,
          unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2024-03-01', amount: 1 }] }],
        }));
        const text = lines.map((line) => JSON.stringify(line)).join('\n');
        const bulk = await send(`${prefix}/1.0/kb/usages/bulk`, text, 'application/x-ndjson');
        expect(await bulk.json()).to.include({ accepted: 300, rejected: 0 });
        const login = await fetch(`${url}${prefix}/oauth2/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ grant_type: 'password', username: 'admin', password: 'password' }),
        });
        expect(await login.json()).to.have.property('access_token');
      });

      it('rejects invalid requests and does not handle the host’s own paths', async () => {
        expect((await send(`${prefix}/1.0/kb/accounts`, '{"currency":7}')).status).to.equal(400);
        const unknown = expectStatus(await send(`${prefix}/1.0/kb/nothing`), 404);
        expect(await unknown.json()).to.have.property('message');
        expect(await (await send('/own')).text()).to.equal('own page');
      });
    });

  it('logs failures with the engine’s logger by default', async () => {
    const database = await freshDatabase('sqlite', migrated);
    const logger = recordingLogger();
    const billing = await Billing.open({ storage: storageOf(database), hasher: plainHasher(), logger });
    const server = await listening(createServer(createRequestListener({ billing })));
    const headers = { authorization: `Basic ${btoa('admin:password')}` };
    await billing.security.ensureAdministrator('admin', 'password');
    await billing.close();
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/1.0/kb/tenants?apiKey=x`, { headers });
    expect(answer.status).to.be.at.least(500);
    expect(logger.lines.map(({ message }) => message)).to.include('request failed');
    server.close();
  });

  it('reports an error if the host consumed the body without keeping it', async () => {
    const listener = listenerOf(serving);
    const server = await listening(
      createServer((request, response) => {
        request.resume().once('end', () => listener(request, response));
      }),
    );
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/1.0/kb/accounts`, {
      method: 'POST',
      headers: { ...documentHeaders, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).to.equal(400);
    expect(((await answer.json()) as { readonly message: string }).message).to.contain('request.rawBody');
    server.closeAllConnections();
    server.close();
  });
});
