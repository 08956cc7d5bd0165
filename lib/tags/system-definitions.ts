import type { Uuid } from '../ids/index.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { TagDefinition } from './model.ts';

/** Ids of the control tags (document 1 §2.7) and of the engine's own mark of an account that it cannot invoice. */
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
    description: 'Suspends overdue enforcement until removed.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.WRITTEN_OFF,
    name: 'WRITTEN_OFF',
    description: 'Marks an invoice as written off.',
    applicableObjectTypes: onInvoices,
  },
  {
    id: SystemTag.MANUAL_PAY,
    name: 'MANUAL_PAY',
    description: 'Payments are not processed for the account; external payments only.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.TEST,
    name: 'TEST',
    description: 'Marks a test account.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.PARTNER,
    name: 'PARTNER',
    description: 'Marks a partner account.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.AUTO_INVOICING_DRAFT,
    name: 'AUTO_INVOICING_DRAFT',
    description: 'Invoices of the account are generated in DRAFT status.',
    applicableObjectTypes: onAccounts,
  },
  {
    id: SystemTag.AUTO_INVOICING_REUSE_DRAFT,
    name: 'AUTO_INVOICING_REUSE_DRAFT',
    description: 'Invoice runs reuse an existing draft invoice if there is one.',
    applicableObjectTypes: onAccounts,
  },
];

/** The nine control tags, then the engine's own (accounts.md §12 rule 3). */
export const systemDefinitions: readonly TagDefinition[] = [
  ...controlTags.map((definition) => ({ ...definition, isControlTag: true })),
  {
    id: SystemTag.PARK,
    name: '__PARK__',
    description: 'Automatic invoicing has failed; the account waits for an explicit invoice run.',
    applicableObjectTypes: onAccounts,
    isControlTag: false,
  },
];

const byId = new Map(systemDefinitions.map((definition) => [definition.id, definition]));

export function systemDefinition(id: Uuid): TagDefinition | undefined {
  return byId.get(id);
}

export function isSystemDefinition(id: Uuid): boolean {
  return byId.has(id);
}
