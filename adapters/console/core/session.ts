import { computed, signal } from '@preact/signals';
import { callServer, callServerPage, calls, isUnauthenticated, sessionEnded } from './server.ts';

interface SessionTenant {
  readonly tenantId: string;
  readonly apiKey: string;
  readonly externalKey: string | null;
}

interface Session {
  readonly username: string;
  readonly permissions: readonly string[];
}

/** The session of the signed-in user; null if nobody is signed in; undefined until the server has responded. */
export const session = signal<Session | null | undefined>(undefined);

/** Notifies the other tabs of this browser when a user signs in or signs out. */
const otherTabs = new BroadcastChannel('billwright-session');
otherTabs.onmessage = ({ data }) => {
  if (data !== (session.value?.username ?? null)) location.reload();
};

export async function restoreSession(): Promise<void> {
  session.value = await callServer<Session>('GET /security/sessions/current').catch(nullIfSignedOut);
}

export async function signIn(username: string, password: string): Promise<void> {
  session.value = await callServer<Session>('POST /security/sessions', { body: { username, password } });
  sessionEnded.value = false;
  otherTabs.postMessage(username);
}

export async function signOut(): Promise<void> {
  await callServer('DELETE /security/sessions/current').catch(nullIfSignedOut);
  session.value = null;
  otherTabs.postMessage(null);
  // The next user of this browser must not see the current user's calls.
  calls.value = [];
}

function nullIfSignedOut(error: unknown): null {
  if (isUnauthenticated(error)) return null;
  throw error;
}

/** Returns a page of the tenants that the user may work on, ordered by key. */
export function sessionTenants(page: Parameters<typeof callServerPage>[1]) {
  return callServerPage<SessionTenant>('GET /security/sessions/current/tenants', page);
}

const granted = computed(() => new Set(session.value?.permissions ?? []));

/**
 * Returns true if the user has the permission. The page hides actions without permission, and the API rejects them.
 * @param permission such as `invoice:item_adjust`.
 */
export function may(permission: string): boolean {
  const group = permission.slice(0, permission.indexOf(':'));
  return ['*', '*:*', `${group}:*`, permission].some((each) => granted.value.has(each));
}
