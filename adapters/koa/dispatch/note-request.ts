import type { Context } from 'koa';
import type { RequestObserver } from '../../../lib/monitoring/index.ts';
import type { TenantRef } from '../../../lib/records/index.ts';
import type { Route } from '../routing/route.ts';

/** Areas that anybody polls. */
const unkept = new Set(['monitoring', 'docs']);

interface Answered {
  readonly route?: Pick<Route, 'path' | 'area'>;
  readonly tenant?: TenantRef | null;
  readonly principal?: string;
  readonly createdBy?: string | null;
  readonly milliseconds: number;
}

/** Records a request in the access log (platform §12.1 rule 5), without a tenant only its path template. */
export function noteRequest(
  requests: RequestObserver,
  ctx: Context,
  { route, tenant, principal, createdBy, milliseconds }: Answered,
): void {
  const ofTenant = tenant === undefined ? null : tenant;
  if (ofTenant === null && (route === undefined || unkept.has(route.area))) {
    requests.timed(milliseconds);
    return;
  }
  const hasBody = ctx.status !== 204 && ctx.status !== 304;
  requests.answered(
    {
      tenantRecordId: ofTenant?.recordId ?? null,
      method: ctx.method,
      path: ofTenant === null ? (route?.path ?? '') : ctx.path,
      query: ofTenant === null ? '' : ctx.querystring,
      status: ctx.status,
      bytesSent: hasBody ? (ctx.response.length ?? null) : null,
      principal: principal ?? null,
      createdBy: createdBy ?? null,
    },
    milliseconds,
  );
}
