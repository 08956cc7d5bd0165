import { AuditService } from '../audit/index.ts';
import type { Foundation } from './foundation.ts';
import { methodsOf } from './methods-of.ts';

/** Who changed what. */
export function auditArea({ ports }: Foundation) {
  return {
    operations: {
      audit: methodsOf(new AuditService(ports), 'logs', 'history', 'historyWithin', 'ofAccount'),
    },
  };
}
