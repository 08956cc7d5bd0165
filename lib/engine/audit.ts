import { AuditService } from '../audit/service.ts';
import { ExportService } from '../export/service.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Who changed what, and all that is stored of an account. */
export function auditArea({ ports }: Foundation) {
  const exports = new ExportService(ports);
  return {
    operations: {
      exportAccount: exports.account.bind(exports),
      audit: methodsOf(new AuditService(ports), 'logs', 'history', 'historyWithin', 'ofAccount'),
    },
  };
}
