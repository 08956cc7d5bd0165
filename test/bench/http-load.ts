import type { BenchDatabase } from './bench-database.ts';
import { inChild, startChild } from './child.ts';
import type { Bench } from './goal.ts';
import type { KoaInput, KoaOutput } from './koa-process.ts';
import type { LoadInput, LoadOutput, LoadRequest } from './load-process.ts';
import { TENANT_KEY, TENANT_SECRET } from './past.ts';
import type { ServerInput, ServerOutput } from './server-process.ts';

const USER = 'admin';
const PASSWORD = 'bench-password';

export const callHeaders: Readonly<Record<string, string>> = {
  authorization: `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`,
  'x-killbill-apikey': TENANT_KEY,
  'x-killbill-apisecret': TENANT_SECRET,
  'x-killbill-createdby': 'bench',
};

export const credentials = { user: USER, password: PASSWORD };

/** Runs `work` while a server runs in a separate process. */
export async function withServer<T>(
  database: BenchDatabase,
  work: (url: string) => Promise<T>,
  { doesDueWork }: { readonly doesDueWork: boolean } = { doesDueWork: true },
): Promise<T> {
  const script = new URL('./server-process.ts', import.meta.url);
  const input = { database, doesDueWork, ...credentials };
  const { output, stop } = await startChild<ServerInput, ServerOutput>({ script, input });
  try {
    return await work(output.url);
  } finally {
    await stop();
  }
}

export function putLoad(load: Omit<LoadInput, 'headers'>): Promise<LoadOutput> {
  const script = new URL('./load-process.ts', import.meta.url);
  return inChild<LoadInput, LoadOutput>({ script, input: { ...load, headers: callHeaders } });
}

export async function call(url: string, { method, path, body }: LoadRequest): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { ...callHeaders, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

type CeilingLoad = Omit<LoadInput, 'headers' | 'url'>;

/**
 * Minimum number of requests to Koa, timed and untimed each. Short loads would measure code that is still being
 * compiled.
 */
const fewest = { SMOKE: 0, QUICK: 1_000, NORMAL: 0, FULL: 0 };

/** Returns the requests per second that Koa answers under the same load without any application behind it. */
export async function koaRate(bench: Bench, answer: string, load: CeilingLoad): Promise<number> {
  const script = new URL('./koa-process.ts', import.meta.url);
  const { output, stop } = await startChild<KoaInput, KoaOutput>({ script, input: { answer } });
  const bytes = load.requests.reduce((sum, { body }) => sum + JSON.stringify(body ?? '').length, 0);
  // With large requests, the transfer takes most of the time, so compiled code makes no difference.
  const warmUp = bytes > 10_000 * load.requests.length ? 0 : bench.choose(fewest);
  try {
    const total = Math.max(load.total, warmUp);
    return (await putLoad({ ...load, total, warmUp, url: output.url })).perSecond;
  } finally {
    await stop();
  }
}
