import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import Koa from 'koa';
import { dispatcher } from '../../adapters/koa/dispatch/dispatcher.ts';
import { type Listening, listen } from '../../adapters/koa/index.ts';
import type { Answer } from '../../adapters/koa/routing/answer.ts';
import { openRoute } from '../../adapters/koa/routing/route.ts';
import { expect, freshDatabase, migrated, type Serving, serve } from '../support/http/index.ts';

describe('long lists', () => {
  let serving: Serving;
  let listening: Listening;
  let hasEnded = false;

  /** Yields an endless list, or one that fails midway. */
  async function* elements(fails: boolean): AsyncGenerator<string> {
    try {
      yield '[0';
      for (let n = 1; ; n += 1) {
        await setTimeout(1);
        if (fails && n === 5) throw new Error('the source has failed');
        yield `,${n}${' '.repeat(1_000)}`;
      }
    } finally {
      hasEnded = true;
    }
  }

  /** Yields the same list in batches. */
  async function* windows(fails: boolean): AsyncGenerator<readonly string[]> {
    try {
      for (let n = 1; ; n += 1) {
        await setTimeout(1);
        if (fails && n === 300) throw new Error('the source has failed');
        yield [' '.repeat(1_000)];
      }
    } finally {
      hasEnded = true;
    }
  }

  const page = { offset: 0, limit: 100, returned: 100, total: 100, max: 100 };
  const route = (path: `/${string}`, answer: () => Answer) =>
    openRoute(path.slice(1), `GET ${path}`, {
      area: 'test',
      summary: 'Stream a list',
      success: { status: 200, mediaTypes: ['application/json'] },
      handle: answer,
    });

  before(async () => {
    serving = await serve(await freshDatabase('sqlite', migrated));
    const { billing, log: logger } = serving;
    const app = new Koa();
    const routes = [
      route('/endless', () => ({ jsonPieces: elements(false) })),
      route('/failing', () => ({ jsonPieces: elements(true) })),
      route('/endless-page', () => ({ jsonWindows: windows(false), page: page })),
      route('/failing-page', () => ({ jsonWindows: windows(true), page: page })),
    ];
    app.use(dispatcher({ billing, logger, routes }));
    app.on('error', () => undefined);
    listening = await listen(app, { port: 0 });
  });
  after(async () => {
    await listening.close();
    await serving.close();
  });
  beforeEach(() => {
    hasEnded = false;
  });

  async function answerOf(path: string, encoding: string): Promise<IncomingMessage> {
    const headers = { 'accept-encoding': encoding, connection: 'close' };
    const call = httpRequest({ port: listening.port, path, headers });
    call.on('error', () => undefined);
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return answer;
  }

  for (const encoding of ['identity', 'gzip']) {
    for (const kind of ['', '-page']) {
      it(`are cut off if their source fails, and do not end as valid shorter lists (${encoding}${kind})`, async () => {
        const outcome = await answerOf(`/failing${kind}`, encoding).then(
          (answer) => Array.fromAsync(answer).catch((error: NodeJS.ErrnoException) => error.code),
          (error: NodeJS.ErrnoException) => error.code,
        );
        expect(outcome).to.equal('ECONNRESET');
      });

      it(`stop their source when the reader disconnects (${encoding}${kind})`, async () => {
        const answer = await answerOf(`/endless${kind}`, encoding);
        await setTimeout(50);
        expect(hasEnded).to.equal(false);
        answer.destroy();
        for (let waited = 0; !hasEnded && waited < 750; waited += 1) await setTimeout(20);
        expect(hasEnded).to.equal(true);
      });
    }
  }

  it('are written in chunks that contain every record once, in order, with the total counts', async () => {
    const headers = { 'accept-encoding': 'identity' };
    const names = Array.from({ length: 250 }, (_, n) => `Account ${n}`);
    for (const name of names) await serving.post('/accounts', { name });
    const long = await serving.get('/accounts/pagination?limit=1000', headers);
    expect((long.json as readonly { readonly name: string }[]).map(({ name }) => name)).to.eql(names);
    expect(long.headers.get('x-service-pagination-totalnbrecords')).to.equal('250');
    expect(long.headers.has('content-length')).to.equal(false);
    const short = await serving.get('/accounts/pagination?limit=100', headers);
    expect(short.headers.get('content-length')).to.equal(String(short.text.length));
  });
});
