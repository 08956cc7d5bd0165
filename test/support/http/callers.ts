import { PLUGIN } from '../../../adapters/koa/routing/path.ts';
import type { Credentials } from '../../../adapters/koa/routing/route.ts';
import { basic, type Serving } from './serving.ts';
import { textOf } from './world.ts';

/** Returns the `Authorization` header of a user with the password `password`, for a route with these credentials. */
export async function authorizationOf(
  serving: Serving,
  credentials: Credentials,
  name: string,
): Promise<string> {
  return credentials === 'PLUGIN' ? bearer(serving, name) : basic(name, 'password');
}

/** Returns a new bearer token of the user from the login of the plugin endpoints. */
export async function bearer(serving: Serving, name: string): Promise<string> {
  const reply = await serving.call('POST', `${PLUGIN}/auth`, {
    headers: { authorization: basic(name, 'password') },
  });
  return `Bearer ${textOf(reply.json, 'token')}`;
}
