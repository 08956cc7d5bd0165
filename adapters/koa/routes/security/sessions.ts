import type { Billing } from '../../../../lib/billing.ts';
import type { Principal } from '../../../../lib/records/index.ts';
import { tenantsOfSession } from '../../../../lib/security/index.ts';
import type { CallerSession } from '../../auth/authenticator.ts';
import { CurrentSession, SessionTenant, type ShownCurrentSession, SignIn } from '../../models/security.ts';
import { jsonBody } from '../../routing/body.ts';
import { openCoreRoute, type Route, userRoute } from '../../routing/route.ts';
import { pageParameters, plainText } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

/** Maximum number of tenants that a session lists. If there are more, clients must request the list page by page. */
const MAX_LISTED_TENANTS = 100;

const noPage = { rows: [], total: 0, max: 0 };

const ofPages = { withoutChallenge: true } as const;
const withoutAuthor = { ...ofPages, permission: 'NONE', author: false, outOfRotation: true } as const;

/** Routes for the sessions of browser pages (platform §6.2). */
export const sessionRoutes: readonly Route[] = [
  openCoreRoute('createSession', 'POST /security/sessions', {
    ...withoutAuthor,
    summary: 'Sign in with a name and password, and get a session cookie',
    body: jsonBody(SignIn),
    success: { status: 201 },
    shows: CurrentSession,
    fails: ['UNAUTHENTICATED', 'SECURITY_LOCKED_OUT'],
    async handle({ billing, body, login }) {
      const { username, password } = body;
      const { user, session } = await login.signIn({ name: username ?? '', secret: password ?? '' });
      return currentSession(billing, user, { session, timeout: login.sessionIdleMs });
    },
  }),
  userRoute('getCurrentSession', 'GET /security/sessions/current', {
    ...ofPages,
    summary: 'Get the session of the caller, with the permissions and tenants of the user',
    shows: CurrentSession,
    handle: ({ billing, user, login }) =>
      user && currentSession(billing, user, { session: login.session, timeout: login.sessionIdleMs }),
  }),
  userRoute('endCurrentSession', 'DELETE /security/sessions/current', {
    ...withoutAuthor,
    summary: 'Sign out: end the session of the caller and remove its cookie',
    handle: ({ login }) => login.signOut(),
  }),
  userRoute('getSessionTenants', 'GET /security/sessions/current/tenants', {
    ...ofPages,
    summary: 'List the tenants that the user can open with a session, without the API secret',
    query: { apiKeyPrefix: plainText, ...pageParameters },
    shows: listOf(SessionTenant),
    handle: ({ billing, user, query }) => {
      const { apiKeyPrefix, offset, limit } = query;
      return user === null ? noPage : tenantPage(billing, user, { apiKeyPrefix, offset, limit });
    },
  }),
];

async function currentSession(
  billing: Pick<Billing, 'tenants'>,
  user: Principal,
  { session, timeout }: { readonly session: CallerSession | null; readonly timeout: number },
): Promise<ShownCurrentSession> {
  const { rows, total } = await tenantPage(billing, user, {
    apiKeyPrefix: null,
    offset: 0,
    limit: MAX_LISTED_TENANTS,
  });
  return {
    user,
    session: session?.session ?? null,
    timeout,
    requiresApiSecret: user.allTenants && tenantsOfSession(user) !== null,
    tenants: total > MAX_LISTED_TENANTS ? null : rows,
  };
}

async function tenantPage(
  { tenants }: Pick<Billing, 'tenants'>,
  user: Principal,
  page: { readonly apiKeyPrefix: string | null; readonly offset: number; readonly limit: number },
) {
  const ids = tenantsOfSession(user);
  if (ids?.length === 0) return noPage;
  const { apiKeyPrefix, ...request } = page;
  return tenants.page(request, { ids, apiKeyPrefix });
}
