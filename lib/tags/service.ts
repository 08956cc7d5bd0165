import { loadAccount, lockOwningAccount, noSuchObject, owningAccountId } from '../accounts/index.ts';
import { hasEffect, isSystemDefinition, systemDefinitions, TagEffect } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import type { ReadSession, TagSearch, WriteSession } from '../ports/storage/index.ts';
import {
  type Account,
  BusEventType,
  type CallContext,
  type Leading,
  type ObjectRef,
  ObjectType,
  type Page,
  type PageRequest,
  type Tag,
  type TagDefinition,
  type TaggedType,
  type TagView,
} from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import type { SettingsOf } from '../tenants/index.ts';
import { billingError, ErrorCode } from '../values/errors/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { applicableDefinition, definitionOf, refuseSystemTag } from './definition-service.ts';
import { tagEvent } from './engine-tags.ts';

/** Effects of tags that other modules implement. They run while the account is locked. */
interface TagEffects {
  setWrittenOff(
    session: WriteSession,
    change: { readonly invoiceId: Uuid; readonly isWrittenOff: boolean },
  ): Promise<void>;
  /**
   * Runs after a caller has removed the tag AUTO_INVOICING_OFF or has added it, even if the account already had the
   * tag.
   */
  invoicingOffDecided(session: WriteSession, accountId: Uuid): Promise<void>;
}

interface TagChange {
  readonly asked: readonly NewTag[];
  /** The tags that were added or removed. Tags that the object already had are not included. */
  readonly changed: readonly Tag[];
  readonly isSet: boolean;
}

type Tagged = ObjectRef<TaggedType>;

/** Creates the operations on the tags of a tenant's objects (accounts §13). */
export function tagOperations(
  { storage, ids }: Pick<Ports, 'storage' | 'ids'>,
  settingsOf: SettingsOf,
  effects: TagEffects,
) {
  async function causeEffects(session: WriteSession, account: Account, { asked, changed, isSet }: TagChange) {
    const writtenOff = changed.find(has(TagEffect.WRITES_OFF));
    if (writtenOff !== undefined) {
      await effects.setWrittenOff(session, { invoiceId: writtenOff.objectId, isWrittenOff: isSet });
    }
    const ofAccount = asked.filter(({ objectType }) => objectType === ObjectType.ACCOUNT);
    if (ofAccount.some(has(TagEffect.STOPS_INVOICING)))
      await effects.invoicingOffDecided(session, account.id);
  }

  return {
    async add(context: CallContext, object: Tagged, definitionIds: readonly Uuid[]): Promise<void> {
      const distinct = [...new Set(definitionIds)];
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const account = await lockOwningAccount(session, object);
        const known = await session.tags.holdDefinitions(distinct.filter((id) => !isSystemDefinition(id)));
        const { 'tags.enforceApplicableTypes': enforceTypes } = await settingsOf(session);
        const lookup = { known, enforceTypes };
        const definitions = distinct.map((id) => applicableDefinition(id, object.type, lookup));
        const tags = distinct.map(
          (tagDefinitionId): NewTag => ({
            id: ids.next(),
            objectType: object.type,
            objectId: object.id,
            tagDefinitionId,
            accountRecordId: account.recordId,
            isActive: true,
            createdDate: context.createdDate,
          }),
        );
        const added = await session.tags.insert(tags);
        publish(session, { type: BusEventType.TAG_CREATION, tags: added, account, definitions });
        await causeEffects(session, account, { asked: tags, changed: added, isSet: true });
      });
    },

    async remove(context: CallContext, object: Tagged, definitionIds: readonly Uuid[]): Promise<void> {
      const distinct = [...new Set(definitionIds)];
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        const account = await lockOwningAccount(session, object);
        if (distinct.length === 0) return;
        const definitions = await definitionsOf(session, distinct, 'active');
        definitions.forEach(refuseSystemTag);
        const carried = await session.tags.findByObjects(object.type, [object.id], { includeDeleted: false });
        const tags = definitions.map((definition) => carriedTag(carried, definition, object));
        refuseUnpayable(account, tags);
        await session.tags.deactivate(tags);
        publish(session, { type: BusEventType.TAG_DELETION, tags, account, definitions });
        await causeEffects(session, account, { asked: tags, changed: tags, isSet: false });
      });
    },

    ofObject: (
      context: CallContext,
      object: Tagged,
      options: { readonly includeDeleted?: boolean; readonly accountId?: Uuid | null } = {},
    ) =>
      storage.read(context.tenant, async (session) => {
        const { includeDeleted = false, accountId = null } = options;
        if (accountId !== null) await owningAccountId(session, { type: ObjectType.ACCOUNT, id: accountId });
        const owner = await owningAccountId(session, object);
        if (accountId !== null && owner !== accountId) throw noSuchObject(object);
        return views(session, await session.tags.findByObjects(object.type, [object.id], { includeDeleted }));
      }),

    ofAccount: (
      context: CallContext,
      accountId: Uuid,
      options: { readonly objectType?: ObjectType | null; readonly includeDeleted?: boolean } = {},
    ) =>
      storage.read(context.tenant, async (session) => {
        const { objectType = null, includeDeleted = false } = options;
        const { recordId } = await loadAccount(session, accountId);
        return views(session, await session.tags.findByAccount(recordId, { objectType, includeDeleted }));
      }),

    page: (context: CallContext, request: PageRequest): Promise<Page<TagView>> =>
      storage.read(context.tenant, async (session) => {
        const page = await session.tags.page(request);
        return { ...page, rows: await views(session, page.rows) };
      }),

    async search(context: CallContext, key: string, request: PageRequest): Promise<Page<TagView>> {
      checkStorable('Search key', key);
      return storage.read(context.tenant, async (session) => {
        const page = await session.tags.search(tagSearch(key), request);
        return { ...page, rows: await views(session, page.rows) };
      });
    },
  };
}

function tagSearch(key: string): TagSearch {
  const text = key.toLowerCase();
  const found = systemDefinitions.filter(
    ({ name, description }) => name.toLowerCase().includes(text) || description.toLowerCase().includes(text),
  );
  return { id: isUuid(text) ? text : null, text, definitionIds: found.map(({ id }) => id) };
}

/** Loads the definitions with one statement. Runs no statement if all of them are system definitions. */
async function definitionsOf(session: ReadSession, ids: readonly Uuid[], choice: 'active' | 'all') {
  const own = await session.tags.findDefinitionsByIds(ids.filter((id) => !isSystemDefinition(id)));
  const known = choice === 'all' ? own : own.filter(({ isActive }) => isActive);
  return ids.map((id) => definitionOf(id, known));
}

async function views(session: ReadSession, tags: readonly Tag[]): Promise<readonly TagView[]> {
  const ids = [...new Set(tags.map(({ tagDefinitionId }) => tagDefinitionId))];
  const names = new Map((await definitionsOf(session, ids, 'all')).map(({ id, name }) => [id, name]));
  return tags.map((tag) => ({ ...tag, tagDefinitionName: names.get(tag.tagDefinitionId) ?? '' }));
}

function publish(
  session: WriteSession,
  change: {
    readonly type: typeof BusEventType.TAG_CREATION | typeof BusEventType.TAG_DELETION;
    readonly tags: readonly Tag[];
    readonly account: Account;
    readonly definitions: readonly TagDefinition[];
  },
): void {
  const names = new Map(change.definitions.map(({ id, name }) => [id, name]));
  session.publish(
    change.tags.map((tag) =>
      tagEvent(change.type, tag, {
        accountId: change.account.id,
        tagDefinitionName: names.get(tag.tagDefinitionId) ?? '',
      }),
    ),
  );
}

type NewTag = Omit<Tag, 'recordId'>;

function has(effect: TagEffect): (tag: NewTag) => boolean {
  return ({ tagDefinitionId }) => hasEffect(tagDefinitionId, effect);
}

function carriedTag(carried: readonly Tag[], { id, name }: TagDefinition, object: ObjectRef): Tag {
  const tag = carried.find(({ tagDefinitionId }) => tagDefinitionId === id);
  if (tag) return tag;
  throw billingError(
    ErrorCode.TAG_DOES_NOT_EXIST,
    `${object.type} ${object.id} does not have the tag ${name}`,
    { tagDefinitionId: id, objectType: object.type, objectId: object.id },
  );
}

/** Rejects the removal of AUTO_PAY_OFF from an account without a default payment method (accounts §13.1 rule 6). */
function refuseUnpayable(account: Account, tags: readonly Tag[]): void {
  if (account.paymentMethodId !== null || !tags.some(has(TagEffect.ENDS_WITH_PAYMENT_METHOD))) return;
  throw billingError(
    ErrorCode.TAG_CANNOT_BE_REMOVED,
    `Tag AUTO_PAY_OFF cannot be removed: account ${account.id} has no default payment method`,
    { accountId: account.id },
  );
}

/** Tags on objects. */
export interface TagOperations<C extends Leading = []> {
  /**
   * Puts tags on the object, all or none. Tags that the object already has stay unchanged.
   * @throws BillingError with the 404 code of the object's type; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_NOT_APPLICABLE (3954), BUSY (60018).
   */
  add(
    ...given: [...C, object: HostInput<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Removes tags from the object, all or none. Does nothing without definitions (ruling R26).
   * @throws BillingError with the 404 code of the object's type; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_DOES_NOT_EXIST (3950) for a missing tag, TAG_CANNOT_BE_REMOVED (3951) for AUTO_PAY_OFF of an account
   * without default payment method, BUSY (60018).
   */
  remove(
    ...given: [...C, object: HostInput<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Returns the tags of the object in creation order. With `accountId`, the object must belong to that account.
   * @throws BillingError with the 404 code of the object's type.
   */
  ofObject(
    ...given: [
      ...C,
      object: HostInput<ObjectRef<TaggedType>>,
      options?: HostInput<{ readonly includeDeleted?: boolean; readonly accountId?: Uuid | null }>,
    ]
  ): Promise<readonly TagView[]>;

  /**
   * Returns the tags of the account and its objects, optionally limited to one object type.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [
      ...C,
      accountId: Uuid | string,
      options?: HostInput<{ readonly objectType?: ObjectType | null; readonly includeDeleted?: boolean }>,
    ]
  ): Promise<readonly TagView[]>;

  /** Returns a page of the tenant's active tags. */
  page(...given: [...C, request: PageRequest]): Promise<Page<TagView>>;

  /**
   * Returns a page of the active tags that match the key. The key is a tag's id, or part of its object type,
   * definition name or definition description, ignoring case (http-api §8).
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<TagView>>;
}
