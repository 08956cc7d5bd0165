import { auditOperations } from '../audit/index.ts';
import { customFieldOperations } from '../custom-fields/index.ts';
import { setWrittenOff } from '../invoicing/index.ts';
import { tagDefinitionOperations, tagOperations } from '../tags/index.ts';
import type { Foundation } from './foundation.ts';

/** Returns the operations on tags, custom fields and audit rows. */
export function objectArea({ ports, settingsOf }: Foundation) {
  const tags = tagOperations(ports, settingsOf, {
    setWrittenOff: (session, change) => setWrittenOff(session, change, ports.ids),
    // The tag now belongs to a user, so overdue no longer removes it (overdue §2.3).
    invoicingOffDecided: (session, accountId) => session.overdue.disownInvoicingOff([accountId]),
  });
  return {
    operations: {
      tagDefinitions: tagDefinitionOperations(ports),
      tags,
      customFields: customFieldOperations(ports),
      audit: auditOperations(ports),
    },
  };
}
