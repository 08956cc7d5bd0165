import { createClient } from '../../adapters/client/index.ts';
import { createKoaApp, listen } from '../../adapters/koa/index.ts';
import type { Billing, TenantBilling } from '../../lib/index.ts';
import { recordingLogger } from './system-time.ts';

/** If true, tests call the operations of their shop over HTTP (`BILLWRIGHT_TEST_CALLS=http`). */
export const isRemote = process.env.BILLWRIGHT_TEST_CALLS === 'http';

/** Serves the engine, and returns the same operations over HTTP. The server closes with the engine. */
export async function overHttp(
  billing: Billing<never>,
  keys: { readonly apiKey: string; readonly apiSecret: string },
): Promise<{ readonly acme: TenantBilling; close(): Promise<void> }> {
  await billing.security.ensureAdministrator('admin', 'password');
  const listening = await listen(createKoaApp({ billing, logger: recordingLogger() }), { port: 0 });
  const url = `http://${listening.host}:${listening.port}`;
  const login = { user: 'admin', password: 'password', createdBy: 'test' };
  return { acme: createClient({ url, ...keys, ...login, retries: 0 }), close: () => listening.close() };
}
