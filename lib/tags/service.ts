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
  type WithContext,
} from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import type { SettingsOf } from '../tenants/index.ts';
import { billingError, ErrorCode } from '../values/errors/index.ts';
import type { Given } from '../values/given/index.ts';
import { isUuid, type Uuid } from '../values/ids/index.ts';
import { checkStorable } from '../values/text/index.ts';
import { applicableDefinition, definitionOf, refuseSystemTag } from './definition-service.ts';
import { tagEvent } from './engine-tags.ts';

/** What a tag causes in rooms above this one. */
interface TagEffects {
  /** Called when WRITTEN_OFF was put on the invoice or taken off; its account is locked. */
  setWrittenOff(
    session: WriteSession,
    change: { readonly invoiceId: Uuid; readonly isWrittenOff: boolean },
  ): Promise<void>;
  /** Called after somebody has put AUTO_INVOICING_OFF on the locked account, again or newly, or removed it. */
  invoicingOffDecided(session: WriteSession, accountId: Uuid): Promise<void>;
}

/** Tags of a tenant's objects (accounts §13). */
export class TagService implements TagOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #settingsOf: SettingsOf;
  readonly #effects: TagEffects;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, settingsOf: SettingsOf, effects: TagEffects) {
    this.#ports = ports;
    this.#settingsOf = settingsOf;
    this.#effects = effects;
  }

  async add(
    context: CallContext,
    object: ObjectRef<TaggedType>,
    definitionIds: readonly Uuid[],
  ): Promise<void> {
    const ids = [...new Set(definitionIds)];
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockOwningAccount(session, object);
      const known = await session.tags.holdDefinitions(ids.filter((id) => !isSystemDefinition(id)));
      const { 'tags.enforceApplicableTypes': enforceTypes } = await this.#settingsOf(session);
      const lookup = { known, enforceTypes };
      const definitions = ids.map((id) => applicableDefinition(id, object.type, lookup));
      const tags = ids.map((id) => this.#newTag(context, { account, object, definitionId: id }));
      const added = await session.tags.insert(tags);
      publish(session, { type: BusEventType.TAG_CREATION, tags: added, account, definitions });
      if (anyHas(added, TagEffect.WRITES_OFF)) {
        await this.#effects.setWrittenOff(session, { invoiceId: object.id, isWrittenOff: true });
      }
      if (stopsInvoicing(tags)) await this.#effects.invoicingOffDecided(session, account.id);
    });
  }

  async remove(
    context: CallContext,
    object: ObjectRef<TaggedType>,
    definitionIds: readonly Uuid[],
  ): Promise<void> {
    const ids = [...new Set(definitionIds)];
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockOwningAccount(session, object);
      if (ids.length === 0) return;
      const definitions = await definitionsOf(session, ids, 'active');
      definitions.forEach(refuseSystemTag);
      const carried = await session.tags.findByObjects(object.type, [object.id], { includeDeleted: false });
      const tags = definitions.map((definition) => carriedTag(carried, definition, object));
      refuseUnpayable(account, tags);
      await session.tags.deactivate(tags);
      publish(session, { type: BusEventType.TAG_DELETION, tags, account, definitions });
      if (anyHas(tags, TagEffect.WRITES_OFF)) {
        await this.#effects.setWrittenOff(session, { invoiceId: object.id, isWrittenOff: false });
      }
      if (stopsInvoicing(tags)) await this.#effects.invoicingOffDecided(session, account.id);
    });
  }

  async ofObject(
    context: CallContext,
    object: ObjectRef<TaggedType>,
    options: { readonly includeDeleted?: boolean; readonly accountId?: Uuid | null } = {},
  ): Promise<readonly TagView[]> {
    const { includeDeleted = false, accountId = null } = options;
    return this.#ports.storage.read(context.tenant, async (session) => {
      if (accountId !== null) await owningAccountId(session, { type: ObjectType.ACCOUNT, id: accountId });
      const owner = await owningAccountId(session, object);
      if (accountId !== null && owner !== accountId) throw noSuchObject(object);
      return views(session, await session.tags.findByObjects(object.type, [object.id], { includeDeleted }));
    });
  }

  async ofAccount(
    context: CallContext,
    accountId: Uuid,
    options: { readonly objectType?: ObjectType | null; readonly includeDeleted?: boolean } = {},
  ): Promise<readonly TagView[]> {
    const { objectType = null, includeDeleted = false } = options;
    return this.#ports.storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      return views(
        session,
        await session.tags.findByAccount(account.recordId, { objectType, includeDeleted }),
      );
    });
  }

  async page(context: CallContext, request: PageRequest): Promise<Page<TagView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const page = await session.tags.page(request);
      return { ...page, rows: await views(session, page.rows) };
    });
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<TagView>> {
    checkStorable('Search key', key);
    return this.#ports.storage.read(context.tenant, async (session) => {
      const page = await session.tags.search(tagSearch(key), request);
      return { ...page, rows: await views(session, page.rows) };
    });
  }

  #newTag(
    context: CallContext,
    of: {
      readonly account: Account;
      readonly object: ObjectRef<TaggedType>;
      readonly definitionId: Uuid;
    },
  ): NewTag {
    return {
      id: this.#ports.ids.next(),
      objectType: of.object.type,
      objectId: of.object.id,
      tagDefinitionId: of.definitionId,
      accountRecordId: of.account.recordId,
      isActive: true,
      createdDate: context.createdDate,
    };
  }
}

function tagSearch(key: string): TagSearch {
  const text = key.toLowerCase();
  const found = systemDefinitions.filter(
    ({ name, description }) => name.toLowerCase().includes(text) || description.toLowerCase().includes(text),
  );
  return { id: isUuid(text) ? text : null, text, definitionIds: found.map(({ id }) => id) };
}

/** The definitions of these tags; one statement for users' definitions, none if all are the system's. */
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

function anyHas(tags: readonly NewTag[], effect: TagEffect): boolean {
  return tags.some(({ tagDefinitionId }) => hasEffect(tagDefinitionId, effect));
}

function stopsInvoicing(tags: readonly NewTag[]): boolean {
  const ofAccount = tags.filter(({ objectType }) => objectType === ObjectType.ACCOUNT);
  return anyHas(ofAccount, TagEffect.STOPS_INVOICING);
}

function carriedTag(carried: readonly Tag[], { id, name }: TagDefinition, object: ObjectRef): Tag {
  const tag = carried.find(({ tagDefinitionId }) => tagDefinitionId === id);
  if (tag) return tag;
  throw billingError(
    ErrorCode.TAG_DOES_NOT_EXIST,
    `${object.type} ${object.id} does not carry the tag ${name}`,
    { tagDefinitionId: id, objectType: object.type, objectId: object.id },
  );
}

/** accounts §13.1 rule 6: what the tag holds back could not be paid. */
function refuseUnpayable(account: Account, tags: readonly Tag[]): void {
  if (account.paymentMethodId !== null || !anyHas(tags, TagEffect.ENDS_WITH_PAYMENT_METHOD)) return;
  throw billingError(
    ErrorCode.TAG_CANNOT_BE_REMOVED,
    `Tag AUTO_PAY_OFF cannot be removed: account ${account.id} has no default payment method`,
    { accountId: account.id },
  );
}

/** Tags on objects. */
export interface TagOperations<C extends Leading = []> {
  /**
   * Puts tags of these definitions on the object, all or none; tags that it already carries stay as they are.
   * @throws BillingError of the object's type when it is unknown; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_NOT_APPLICABLE (3954), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Removes tags of these definitions from the object, all or none; without definitions nothing happens (ruling R26).
   * @throws BillingError of the object's type when it is unknown; TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM
   * (3953), TAG_DOES_NOT_EXIST (3950) for one that it does not carry, TAG_CANNOT_BE_REMOVED (3951) for AUTO_PAY_OFF of
   * an account without default payment method, BUSY (60018).
   */
  remove(
    ...given: [...C, object: Given<ObjectRef<TaggedType>>, definitionIds: readonly (Uuid | string)[]]
  ): Promise<void>;

  /**
   * Tags of the object in the order in which they were added. With `accountId`, the object must belong to that account.
   * @throws BillingError of the object's type when it is unknown.
   */
  ofObject(
    ...given: [
      ...C,
      object: Given<ObjectRef<TaggedType>>,
      options?: Given<{ readonly includeDeleted?: boolean; readonly accountId?: Uuid | null }>,
    ]
  ): Promise<readonly TagView[]>;

  /**
   * Tags of the account and of all that belongs to it, of one type of objects or of all.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [
      ...C,
      accountId: Uuid | string,
      options?: Given<{ readonly objectType?: ObjectType | null; readonly includeDeleted?: boolean }>,
    ]
  ): Promise<readonly TagView[]>;

  /** A window of the tenant's active tags. */
  page(...given: [...C, request: PageRequest]): Promise<Page<TagView>>;

  /**
   * A window of the active tags whose id is the key, or that contain the key in their object type or in the name or
   * description of their definition, in any letter case (http-api §8).
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<TagView>>;
}
