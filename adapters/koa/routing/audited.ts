import { setImmediate } from 'node:timers/promises';
import { AuditLevel } from '../../../lib/audit/index.ts';
import type { Billing } from '../../../lib/billing.ts';
import type { AuditEntry, CallContext, Page, PageRequest } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Dialect } from '../dialect.ts';
import { JsonText } from '../wire/json-pieces.ts';
import { choice } from '../wire/query.ts';
import type { AuditByRecord, Rendering, WireType } from '../wire/wire-type.ts';
import type { Answer } from './answer.ts';

/** The query parameter `audit`, in any letter case (http-api §6 rule 6). */
export const auditParameter = { audit: choice(AuditLevel, AuditLevel.NONE) };

export interface AuditedCall {
  readonly billing: Billing;
  readonly context: CallContext;
  readonly dialect: Dialect;
  readonly query: { readonly audit: AuditLevel };
}

export interface Shown {
  readonly shows: Pick<WireType<unknown>, 'answer' | 'json' | 'write' | 'text'>;
  /** Default: the view's own id. */
  readonly auditedIds?: ((view: never) => readonly Uuid[]) | undefined;
  /** True if long responses are streamed. Streamed responses have no `ETag`. */
  readonly isLong?: true | undefined;
}

type ShownCall = Pick<AuditedCall, 'billing' | 'dialect'> & {
  readonly context: CallContext | null;
  readonly query: object;
};

export async function shownAnswer(
  { shows, auditedIds = ownId, isLong, isPaged }: Shown & { readonly isPaged: boolean },
  call: ShownCall,
  result: unknown,
): Promise<Answer> {
  const views = isPaged ? (result as Page<unknown>).rows : result;
  const rendering = await loadRendering(call as AuditedCall, () =>
    [views as never].flat().flatMap(auditedIds),
  );
  const text = shows.text?.(views, rendering) ?? null;
  const json = text === null ? (shows.write?.(views, rendering) ?? views) : new JsonText(text);
  if (!isPaged) return { json, ...(isLong && { isStreamed: true }) };
  const { rows, total, max } = result as Page<unknown>;
  const { offset, limit } = call.query as PageRequest;
  // With offset -1, the request is for one exact match. The response is a page that starts at offset 0.
  return { json, page: { offset: Math.max(0, offset), limit, total, max, returned: rows.length } };
}

function ownId({ id }: { readonly id: Uuid }): readonly Uuid[] {
  return [id];
}

export function loadRendering(call: AuditedCall, ids: () => readonly Uuid[]): Rendering | Promise<Rendering> {
  const { dialect, query } = call;
  const { audit = AuditLevel.NONE } = query;
  if (audit === AuditLevel.NONE) return { dialect, audit: noAudit };
  return auditOf(call, ids()).then((found) => ({ dialect, audit: found }));
}

const noAudit: AuditByRecord = new Map();

/** Maximum number of records per statement. A statement of this size takes about ten milliseconds. */
const RECORDS_AT_ONCE = 5_000;

/** Reads the audit rows of all records. Uses several queries, so that other requests can run in between. */
async function auditOf(
  { billing, context, query }: AuditedCall,
  ids: readonly Uuid[],
): Promise<AuditByRecord> {
  if (ids.length <= RECORDS_AT_ONCE) return billing.audit.logs(context, ids, query.audit);
  const all = new Map<Uuid, readonly AuditEntry[]>();
  const distinct = [...new Set(ids)];
  for (let from = 0; from < distinct.length; from += RECORDS_AT_ONCE) {
    const some = await billing.audit.logs(context, distinct.slice(from, from + RECORDS_AT_ONCE), query.audit);
    for (const [id, entries] of some) all.set(id, entries);
    await setImmediate();
  }
  return all;
}
