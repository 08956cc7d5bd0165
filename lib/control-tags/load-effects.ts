import type { ReadSession } from '../ports/storage/index.ts';
import type { Account } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { TagEffect, tagsWith } from './effects.ts';

/** What the tags of some accounts stop or do now. */
export interface AccountEffects {
  /** Whether the account carries a tag with one of these effects. */
  has(accountId: Uuid, ...effects: readonly TagEffect[]): boolean;
}

/** What the active tags of these accounts do; one statement. Decisions on it are made in the same transaction. */
export async function effectsOnAccounts(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<AccountEffects> {
  const tags = await session.tags.findByObjects(ObjectType.ACCOUNT, accountIds, { includeDeleted: false });
  const carried = new Set(tags.map(({ objectId, tagDefinitionId }) => `${objectId} ${tagDefinitionId}`));
  const carries = (accountId: Uuid, effect: TagEffect): boolean =>
    tagsWith(effect, ObjectType.ACCOUNT).some((tag) => carried.has(`${accountId} ${tag}`));
  return { has: (accountId, ...effects) => effects.some((effect) => carries(accountId, effect)) };
}

/** The bundles of these accounts that must not be invoiced (invoicing §4 rule 5); one statement. */
export async function bundlesNotInvoiced(
  session: ReadSession,
  accounts: readonly Pick<Account, 'recordId'>[],
): Promise<ReadonlySet<Uuid>> {
  const tags = await session.tags.findCarried(
    accounts.map(({ recordId }) => recordId),
    {
      objectType: ObjectType.BUNDLE,
      definitionIds: tagsWith(TagEffect.STOPS_INVOICING, ObjectType.BUNDLE),
    },
  );
  return new Set(tags.map(({ objectId }) => objectId));
}
