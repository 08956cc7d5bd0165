import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { dispatcher } from '../../adapters/koa/dispatch/dispatcher.ts';
import { createKoaApp, type Listening, listen } from '../../adapters/koa/index.ts';
import { openRoute, rootUserRoute } from '../../adapters/koa/routing/route.ts';
import type { DocumentRenderer } from '../../lib/ports/index.ts';
import { anyDatabase, createdId, documentHeaders, expect, serveOnce } from '../support/http/index.ts';

anyDatabase.describe('abandoned request (http-api §1 rule 9)', (open) => {
  const listenings: Listening[] = [];
  /** The abort signal of each started rendering, which runs until it is aborted. */
  const drawings: (AbortSignal | undefined)[] = [];
  const drawsForever: DocumentRenderer = {
    pdf: (_document, { signal } = {}) => {
      drawings.push(signal);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };

  const serving = serveOnce(open, { documentRenderer: drawsForever });
  afterEach(async () => {
    for (const listening of listenings.splice(0)) await listening.close();
    drawings.length = 0;
    serving.log.lines.length = 0;
  });

  function openCall(port: number, path: string, { method = 'GET', headers = {} } = {}): ClientRequest {
    const all = { ...documentHeaders, ...headers };
    const call = startRequest({ port, path, method, headers: all, agent: false });
    call.on('error', () => undefined);
    call.end();
    return call;
  }

  async function until(isSo: () => boolean): Promise<boolean> {
    for (let waits = 0; !isSo() && waits < 250; waits += 1) await setTimeout(20);
    return isSo();
  }

  const linesAt = (level: string) =>
    serving.log.lines.filter((line) => line.level === level).map(({ message }) => message);

  describe('for a document', () => {
    let path: string;
    before(async () => {
      const account = await serving.post('/accounts', { currency: 'USD' });
      const made = await serving.post(`/invoices/migration/${createdId(account)}`, [
        { itemType: 'EXTERNAL_CHARGE', amount: 12.5, description: 'Work' },
      ]);
      path = `/1.0/kb/invoices/${createdId(made)}/pdf`;
    });

    async function listenWith(requestTimeMs: number): Promise<number> {
      const { billing, log: logger } = serving;
      const listening = await listen(createKoaApp({ billing, logger, requestTimeMs }), { port: 0 });
      listenings.push(listening);
      return listening.port;
    }

    it('ends when the caller disconnects', async () => {
      const call = openCall(await listenWith(60_000), path);
      expect(await until(() => drawings.length === 1)).to.equal(true);
      expect(drawings[0]?.aborted).to.equal(false);
      call.destroy();
      expect(await until(() => drawings[0]?.aborted === true)).to.equal(true);
      expect(linesAt('error')).to.eql([]);
    });

    it('ends at the request timeout with 503', async () => {
      const [answer] = (await once(openCall(await listenWith(100), path), 'response')) as [IncomingMessage];
      expect(answer.statusCode).to.equal(503);
      expect(await text(answer)).to.contain('did not finish within 0.1 s');
      expect(drawings.map((signal) => signal?.aborted)).to.eql([true]);
      await setTimeout(50);
      expect(linesAt('info')).to.include('request processing stopped because the client disconnected');
    });
  });

  describe('for any route', () => {
    const signals: (AbortSignal | undefined)[] = [];
    let release = Promise.withResolvers<void>();
    let shown = 0;
    const shared = {
      area: 'test',
      summary: 'Wait',
      permission: 'NONE',
      author: false,
      success: { status: 200, mediaTypes: ['application/json'] },
    } as const;
    const handle = async ({ wanted }: { readonly wanted: AbortSignal | undefined }) => {
      signals.push(wanted);
      await release.promise;
      return { text: 'late' };
    };
    const routes = [
      openRoute('read', 'GET /read', { ...shared, handle }),
      openRoute('change', 'POST /change', { ...shared, handle }),
      openRoute('foresee', 'POST /foresee', { ...shared, changesNothing: true, handle }),
      rootUserRoute('resource', 'GET /resource', {
        ...shared,
        // A resource is written as a whole because it has an entity tag.
        handle: async () => {
          await release.promise;
          const rows = Array.from({ length: 100_000 }, () => ({
            toJSON: () => {
              shown += 1;
              return ' '.repeat(1_000);
            },
          }));
          return { json: { rows } };
        },
      }),
    ];
    let port: number;

    beforeEach(async () => {
      release = Promise.withResolvers();
      [signals.length, shown] = [0, 0];
      const app = new Koa();
      app.use(dispatcher({ billing: serving.billing, logger: serving.log, routes }));
      const listening = await listen(app, { port: 0 });
      listenings.push(listening);
      ({ port } = listening);
    });
    afterEach(() => release.resolve());

    for (const [method, path, isEnded] of [
      ['GET', '/read', true],
      ['HEAD', '/read', true],
      ['POST', '/foresee', true],
      ['POST', '/change', undefined],
    ] as const)
      it(`${isEnded ? 'ends' : 'runs to its end'} on ${method} ${path}`, async () => {
        const call = openCall(port, path, { method });
        expect(await until(() => signals.length === 1)).to.equal(true);
        call.destroy();
        await until(() => signals[0]?.aborted !== false);
        expect(signals[0]?.aborted).to.equal(isEnded);
      });

    it('continues if the caller disconnects after the response', async () => {
      const call = openCall(port, '/read');
      expect(await until(() => signals.length === 1)).to.equal(true);
      release.resolve();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(await text(answer)).to.equal('late');
      await setTimeout(20);
      expect(signals[0]?.aborted).to.equal(false);
    });

    it('stops generating its response', async () => {
      const call = openCall(port, '/resource');
      await once(call, 'socket');
      await setTimeout(50);
      release.resolve();
      expect(await until(() => shown > 0)).to.equal(true);
      call.destroy();
      let before = -1;
      while (before !== shown) {
        before = shown;
        await setTimeout(300);
      }
      expect(shown).to.be.below(100_000);
    });
  });
});
