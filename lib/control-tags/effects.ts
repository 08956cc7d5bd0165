import type { ReadSession } from '../ports/storage/index.ts';
import { type Account, ObjectType, type Tag, type TaggedType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { SystemTag } from './system-definitions.ts';

/** The effects of system tags. */
export const TagEffect = {
  /** Suspends automatic payments until no tag with this effect is left (payments §9.2 rule 6, §9.3). */
  HOLDS_PAYMENTS: 'HOLDS_PAYMENTS',
  /** Prevents the removal of the tag while the account has no default payment method (accounts §13.1 rule 6). */
  ENDS_WITH_PAYMENT_METHOD: 'ENDS_WITH_PAYMENT_METHOD',
  /** Makes automatic runs skip the object. Removing the tag starts a run (invoicing §4 rule 5, §8.1, §8.2). */
  STOPS_INVOICING: 'STOPS_INVOICING',
  /** Makes automatic runs skip the account until an explicit run succeeds (invoicing §8.6). */
  PARKS: 'PARKS',
  /** Makes runs create DRAFT invoices (invoicing §8.3). */
  MAKES_DRAFTS: 'MAKES_DRAFTS',
  /** Makes runs add their items to the account's oldest DRAFT, if there is one (invoicing §8.3). */
  REUSES_DRAFT: 'REUSES_DRAFT',
  /** Makes invoices use the template for manual payment (invoicing §14 rule 2). */
  PAYS_BY_HAND: 'PAYS_BY_HAND',
  /** Sets the balance of the invoice to 0 and excludes it from the balance of the account (invoicing §9 rule 8). */
  WRITES_OFF: 'WRITES_OFF',
  /** Prevents the account, and the children for which it pays, from becoming overdue (overdue §7 rule 3). */
  EXEMPTS_FROM_OVERDUE: 'EXEMPTS_FROM_OVERDUE',
} as const;
export type TagEffect = (typeof TagEffect)[keyof typeof TagEffect];

const { ACCOUNT, BUNDLE, INVOICE } = ObjectType;

/**
 * The effects of each tag and the modules that read them. AUTO_INVOICING_OFF is an account tag (accounts §13.2), but
 * it also excludes a bundle from invoices (invoicing §4 rule 5, subscriptions §19.1).
 */
export const tagEffects: readonly {
  readonly tag: Uuid;
  readonly on: TaggedType;
  readonly effects: readonly TagEffect[];
  readonly readBy: readonly string[];
}[] = [
  {
    tag: SystemTag.AUTO_PAY_OFF,
    on: ACCOUNT,
    effects: [TagEffect.HOLDS_PAYMENTS, TagEffect.ENDS_WITH_PAYMENT_METHOD],
    readBy: ['payments', 'tags'],
  },
  {
    tag: SystemTag.MANUAL_PAY,
    on: ACCOUNT,
    effects: [TagEffect.HOLDS_PAYMENTS, TagEffect.PAYS_BY_HAND],
    readBy: ['payments', 'invoicing'],
  },
  {
    tag: SystemTag.AUTO_INVOICING_OFF,
    on: ACCOUNT,
    effects: [TagEffect.STOPS_INVOICING],
    readBy: ['invoicing', 'check', 'overdue'],
  },
  {
    tag: SystemTag.AUTO_INVOICING_OFF,
    on: BUNDLE,
    effects: [TagEffect.STOPS_INVOICING],
    readBy: ['invoicing'],
  },
  { tag: SystemTag.PARK, on: ACCOUNT, effects: [TagEffect.PARKS], readBy: ['invoicing', 'tags'] },
  {
    tag: SystemTag.AUTO_INVOICING_DRAFT,
    on: ACCOUNT,
    effects: [TagEffect.MAKES_DRAFTS],
    readBy: ['invoicing'],
  },
  {
    tag: SystemTag.AUTO_INVOICING_REUSE_DRAFT,
    on: ACCOUNT,
    effects: [TagEffect.REUSES_DRAFT],
    readBy: ['invoicing'],
  },
  { tag: SystemTag.WRITTEN_OFF, on: INVOICE, effects: [TagEffect.WRITES_OFF], readBy: ['tags'] },
  {
    tag: SystemTag.OVERDUE_ENFORCEMENT_OFF,
    on: ACCOUNT,
    effects: [TagEffect.EXEMPTS_FROM_OVERDUE],
    readBy: ['overdue'],
  },
  { tag: SystemTag.TEST, on: ACCOUNT, effects: [], readBy: [] },
  { tag: SystemTag.PARTNER, on: ACCOUNT, effects: [], readBy: [] },
];

/** Returns the tags that have the effect on objects of this type. */
function tagsWith(effect: TagEffect, on: TaggedType): readonly Uuid[] {
  return tagEffects.filter((row) => row.on === on && row.effects.includes(effect)).map(({ tag }) => tag);
}

/** Returns true if the tag has the effect on any object type. */
export function hasEffect(tag: unknown, effect: TagEffect): boolean {
  return tagEffects.some((row) => row.tag === tag && row.effects.includes(effect));
}

/** Returns true for a system tag that objects of this type can have. */
export function concerns(tag: Uuid, type: TaggedType): boolean {
  return tagEffects.some((row) => row.tag === tag && row.on === type);
}

/** The current effects of the accounts' tags. */
export interface AccountEffects {
  /** Returns true if the account has a tag with one of these effects. */
  has(accountId: Uuid, ...effects: readonly TagEffect[]): boolean;
}

/**
 * Loads the effects of the active tags of accounts in one statement. The result is valid until the transaction ends.
 */
export async function effectsOnAccounts(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<AccountEffects> {
  return effectsOf(
    await session.tags.findByObjects(ObjectType.ACCOUNT, accountIds, { includeDeleted: false }),
  );
}

/** Loads the effects like `effectsOnAccounts`, but for accounts given by record id. */
export async function effectsOnAccountRecords(
  session: ReadSession,
  accountRecordIds: readonly number[],
): Promise<AccountEffects> {
  const definitionIds = tagEffects.flatMap(({ tag, on }) => (on === ObjectType.ACCOUNT ? tag : []));
  const ofAccounts = { objectType: ObjectType.ACCOUNT, definitionIds };
  return effectsOf(await session.tags.findCarried(accountRecordIds, ofAccounts));
}

function effectsOf(tags: readonly Pick<Tag, 'objectId' | 'tagDefinitionId'>[]): AccountEffects {
  const carried = new Set(tags.map(({ objectId, tagDefinitionId }) => `${objectId} ${tagDefinitionId}`));
  const carries = (accountId: Uuid, effect: TagEffect): boolean =>
    tagsWith(effect, ObjectType.ACCOUNT).some((tag) => carried.has(`${accountId} ${tag}`));
  return { has: (accountId, ...effects) => effects.some((effect) => carries(accountId, effect)) };
}

/** Loads the accounts' bundles that must not be invoiced, in one statement (invoicing §4 rule 5). */
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
