import type { ReadSession } from '../ports/storage/index.ts';
import type { Account } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { SystemTag } from './system-definitions.ts';

/** The tags that some objects carry now. */
export interface CarriedTags {
  /** Whether the object carries one of these. */
  has(objectId: Uuid, ...definitionIds: readonly Uuid[]): boolean;
}

/** The active tags of these accounts; one statement. What follows from a tag is decided in the transaction that needs it. */
export async function tagsOfAccounts(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<CarriedTags> {
  const tags = await session.tags.findByObjects(ObjectType.ACCOUNT, accountIds, { includeDeleted: false });
  const carried = new Set(tags.map(({ objectId, tagDefinitionId }) => `${objectId} ${tagDefinitionId}`));
  return {
    has: (objectId, ...definitionIds) => definitionIds.some((id) => carried.has(`${objectId} ${id}`)),
  };
}

/** The bundles of these accounts that are not to be invoiced (invoicing §4 rule 5); one statement. */
export async function bundlesNotInvoiced(
  session: ReadSession,
  accounts: readonly Pick<Account, 'recordId'>[],
): Promise<ReadonlySet<Uuid>> {
  const tags = await session.tags.findCarried(
    accounts.map(({ recordId }) => recordId),
    { objectType: ObjectType.BUNDLE, definitionId: SystemTag.AUTO_INVOICING_OFF },
  );
  return new Set(tags.map(({ objectId }) => objectId));
}

/** Tags that hold back automatic payments (payments §9.2 rule 6). */
export const PAYMENT_STOPS: readonly Uuid[] = [SystemTag.AUTO_PAY_OFF, SystemTag.MANUAL_PAY];
