import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';
import { answerParent } from './child.ts';

/** The ceiling of the HTTP goals: Koa with one route that answers every request with the same text. */
export interface KoaInput {
  readonly answer: string;
}

export interface KoaOutput {
  readonly url: string;
}

async function serve({ answer }: KoaInput): Promise<KoaOutput> {
  const app = new Koa();
  app.use((context) => {
    context.type = 'application/json';
    context.body = answer;
  });
  const server = createServer(app.callback());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.once('disconnect', () => process.exit(0));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}

answerParent(serve);
