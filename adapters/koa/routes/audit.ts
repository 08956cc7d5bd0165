import { AuditLevel } from '../../../lib/audit/service.ts';
import type { Billing } from '../../../lib/billing.ts';
import type { CallContext } from '../../../lib/context.ts';
import type { Uuid } from '../../../lib/ids/index.ts';
import type { AuditByRecord } from '../models/subscription.ts';
import { choice } from '../wire/query.ts';

/** `audit=NONE|MINIMAL|FULL`, any letter case (http-api.md §6 rule 6). */
export const auditParameter = { audit: choice(AuditLevel, AuditLevel.NONE) };

export interface AuditedCall {
  readonly billing: Billing;
  readonly context: CallContext;
  readonly query: { readonly audit: AuditLevel };
}

/** The audit rows that an answer shows, in one query for all its records (accounts.md §14 rule 6). */
export function auditOf(call: AuditedCall, ids: readonly Uuid[]): Promise<AuditByRecord> {
  return call.billing.audit.logs(call.context, ids, call.query.audit);
}
