import type { TagDefinition } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/**
 * Ids of the control tags (accounts §13.2) and of the tag PARK, which the engine sets on accounts that it cannot
 * invoice.
 */
export const SystemTag = {
  AUTO_PAY_OFF: '00000000-0000-0000-0000-000000000001' as Uuid,
  AUTO_INVOICING_OFF: '00000000-0000-0000-0000-000000000002' as Uuid,
  OVERDUE_ENFORCEMENT_OFF: '00000000-0000-0000-0000-000000000003' as Uuid,
  WRITTEN_OFF: '00000000-0000-0000-0000-000000000004' as Uuid,
  MANUAL_PAY: '00000000-0000-0000-0000-000000000005' as Uuid,
  TEST: '00000000-0000-0000-0000-000000000006' as Uuid,
  PARTNER: '00000000-0000-0000-0000-000000000007' as Uuid,
  AUTO_INVOICING_DRAFT: '00000000-0000-0000-0000-000000000008' as Uuid,
  AUTO_INVOICING_REUSE_DRAFT: '00000000-0000-0000-0000-000000000009' as Uuid,
  PARK: '00000000-0000-0001-0000-000000000001' as Uuid,
} as const;

const onAccounts = [ObjectType.ACCOUNT];
const onInvoices = [ObjectType.INVOICE];

/** The control tags. Clients can search for their descriptions (accounts §12 rule 3). */
const controlTags: readonly Omit<TagDefinition, 'isControlTag'>[] = [
  {
    id: SystemTag.AUTO_PAY_OFF,
    name: 'AUTO_PAY_OFF',
    description: 'Suspends payments until removed.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.AUTO_INVOICING_OFF,
    name: 'AUTO_INVOICING_OFF',
    description: 'Suspends invoicing until removed.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.OVERDUE_ENFORCEMENT_OFF,
    name: 'OVERDUE_ENFORCEMENT_OFF',
    description: 'Suspends overdue enforcement behaviour until removed.', // words: ok
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.WRITTEN_OFF,
    name: 'WRITTEN_OFF',
    description: 'Indicates that an invoice is written off. No billing or payment effect.',
    applicableObjectTypes: onInvoices,
  },
  {
    id: SystemTag.MANUAL_PAY,
    name: 'MANUAL_PAY',
    description: 'Indicates that payments are not processed for that account (external payments only)',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.TEST,
    name: 'TEST',
    description: 'Indicates that this is a test account',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.PARTNER,
    name: 'PARTNER',
    description: 'Indicates that this is a partner account',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.AUTO_INVOICING_DRAFT,
    name: 'AUTO_INVOICING_DRAFT',
    description: 'Generate account invoices in DRAFT mode.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.AUTO_INVOICING_REUSE_DRAFT,
    name: 'AUTO_INVOICING_REUSE_DRAFT',
    description: 'Use existing draft invoice if exists.',
    applicableObjectTypes: onAccounts,
  },
];

/** The definitions of PARK and of the nine control tags, in this order (accounts §12 rule 3). */
export const systemDefinitions: readonly TagDefinition[] = [
  {
    id: SystemTag.PARK,
    name: '__PARK__',
    description: 'Accounts with invalid invoicing state',
    applicableObjectTypes: onAccounts,
    isControlTag: false,
  },
  ...controlTags.map((definition) => ({ ...definition, isControlTag: true })),
];

const byId = new Map(systemDefinitions.map((definition) => [definition.id, definition]));

export function systemDefinition(id: Uuid): TagDefinition | undefined {
  return byId.get(id);
}

export function isSystemDefinition(id: Uuid): boolean {
  return byId.has(id);
}
