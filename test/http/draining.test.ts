import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import Koa from 'koa';
import { type Listening, listen } from '../../adapters/koa/index.ts';
import { expect } from '../support/index.ts';

describe('draining server', () => {
  let listening: Listening;
  let release: () => void;
  let agent: Agent;

  beforeEach(async () => {
    const held = Promise.withResolvers<void>();
    release = held.resolve;
    const app = new Koa();
    app.use(async (ctx) => {
      if (ctx.path === '/slow') await held.promise;
      ctx.body = ctx.path;
    });
    listening = await listen(app, { port: 0 });
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
  });

  afterEach(async () => {
    release();
    agent.destroy();
    await listening.close();
  });

  const get = async (path: string) => {
    const sent = request({ agent, path, port: listening.port });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { socket } = response;
    response.resume();
    await once(response, 'end');
    return { response, socket };
  };

  it('answers one more request on an open connection and announces that the connection will close', async () => {
    const { socket } = await get('/');
    const drained = listening.drain();
    const last = await get('/');
    expect(last.socket).to.equal(socket);
    expect(last.response).to.include({ statusCode: 200 });
    expect(last.response.headers.connection).to.equal('close');
    await drained;
  });

  it('completes a running request and accepts no new connection', async () => {
    const slow = get('/slow');
    while ((await connections()) === 0) await once(listening.server, 'request');
    const drained = listening.drain();
    const [refused] = await once(connect(listening.port), 'error');
    expect(refused).to.have.property('code', 'ECONNREFUSED');
    release();
    expect((await slow).response.statusCode).to.equal(200);
    await drained;
  });

  it('closes idle connections', async () => {
    const { socket } = await get('/');
    const closed = once(socket, 'close');
    await listening.drain();
    await closed;
  });

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      listening.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
});
