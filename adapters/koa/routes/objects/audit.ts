import { setImmediate } from 'node:timers/promises';
import { AuditLevel } from '../../../../lib/audit/index.ts';
import type { Billing } from '../../../../lib/billing.ts';
import type { AuditEntry, CallContext, Page } from '../../../../lib/records/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Dialect } from '../../dialect.ts';
import { type Answer, json, page } from '../../routing/answer.ts';
import { choice } from '../../wire/query.ts';
import type { AuditByRecord, Rendering } from '../../wire/wire-type.ts';

/** `audit=NONE|MINIMAL|FULL`, any letter case (http-api §6 rule 6). */
export const auditParameter = { audit: choice(AuditLevel, AuditLevel.NONE) };

export interface AuditedCall {
  readonly billing: Billing;
  readonly context: CallContext;
  readonly dialect: Dialect;
  readonly query: { readonly audit: AuditLevel };
}

/** Records whose audit one statement reads: some ten milliseconds. */
const RECORDS_AT_ONCE = 5_000;

/** How the views of one kind are written, and which records' audit each shows; default: its own. */
interface Shown<V> {
  readonly write: (view: V, rendering: Rendering) => unknown;
  readonly idsOf?: (view: V) => readonly Uuid[];
}

type Identified = { readonly id: Uuid };

/** A view with the audit that the call asks for. */
export async function audited<V extends Identified>(call: AuditedCall, shown: Shown<V>, view: V) {
  const [only] = await written(call, shown, [view]);
  return json(only);
}

/** Views with the audit that the call asks for. */
export async function auditedList<V extends Identified>(
  call: AuditedCall,
  shown: Shown<V>,
  views: readonly V[],
): Promise<Answer> {
  return json(await written(call, shown, views));
}

/** A page of views with the audit that the call asks for. */
export async function auditedPage<V extends Identified>(
  call: AuditedCall & { readonly query: { readonly offset: number; readonly limit: number } },
  shown: Shown<V>,
  { rows, total, max }: Page<V>,
): Promise<Answer> {
  const { offset, limit } = call.query;
  return page(await written(call, shown, rows), { offset, limit, total, max });
}

async function written<V extends Identified>(
  call: AuditedCall,
  { write, idsOf = ({ id }) => [id] }: Shown<V>,
  views: readonly V[],
): Promise<readonly unknown[]> {
  const rendering = await renderingOf(call, views.flatMap(idsOf));
  return views.map((view) => write(view, rendering));
}

/** How an answer with these records is to be written. */
export async function renderingOf(call: AuditedCall, ids: readonly Uuid[]): Promise<Rendering> {
  return { dialect: call.dialect, audit: await auditOf(call, ids) };
}

/**
 * The audit rows that an answer shows, in one query for all its records (accounts §14 rule 6), or in several so that
 * others get their turn.
 */
async function auditOf(call: AuditedCall, ids: readonly Uuid[]): Promise<AuditByRecord> {
  const { billing, context, query } = call;
  if (query.audit === AuditLevel.NONE) return noAudit;
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

const noAudit: AuditByRecord = new Map();
