import type { Context } from 'koa';
import type { RequestObserver } from '../../../lib/monitoring/index.ts';
import type { TenantRef } from '../../../lib/records/index.ts';
import type { Route } from '../routing/route.ts';

/** Areas of public endpoints that monitoring systems poll. Requests to these endpoints are not recorded. */
const unrecordedAreas = new Set(['monitoring', 'docs']);

interface Answered {
  readonly route?: Pick<Route, 'path' | 'area'>;
  readonly tenant?: TenantRef | null;
  readonly principal?: string | null;
  readonly createdBy?: string | null;
  readonly milliseconds: number;
}

/**
 * Records a request in the access log (platform §12.1 rule 5). If the request has no tenant, records only its path
 * template.
 */
export function noteRequest(
  requests: RequestObserver,
  ctx: Context,
  { route, tenant = null, principal = null, createdBy = null, milliseconds }: Answered,
): void {
  if (tenant === null && (route === undefined || unrecordedAreas.has(route.area))) {
    requests.timed(milliseconds);
    return;
  }
  const { method, status } = ctx;
  const hasBody = status !== 204 && status !== 304;
  const bytesSent = hasBody ? (ctx.response.length ?? null) : null;
  const tenantRecordId = tenant?.recordId ?? null;
  const path = tenant === null ? (route?.path ?? '') : ctx.path;
  const query = tenant === null ? '' : ctx.querystring;
  requests.answered(
    { tenantRecordId, method, path, query, status, bytesSent, principal, createdBy },
    milliseconds,
  );
}
