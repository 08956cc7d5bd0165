import { noSuchObject } from '../accounts/index.ts';
import {
  concerns,
  hasEffect,
  systemDefinition,
  systemDefinitions,
  TagEffect,
} from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import {
  type CallContext,
  type Leading,
  type New,
  ObjectType,
  type TagDefinition,
  type TaggedType,
  type UserTagDefinition,
} from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import {
  MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS,
  MAX_TAG_DEFINITION_NAME_CHARACTERS,
} from '../values/limits.ts';
import { checkText, shortenText } from '../values/text/index.ts';
import type { Instant } from '../values/time/index.ts';

/** Creates the operations on a tenant's tag definitions (accounts §12). */
export function tagDefinitionOperations({ storage, ids }: Pick<Ports, 'storage' | 'ids'>) {
  return {
    async list(context: CallContext): Promise<readonly TagDefinition[]> {
      const own = await storage.readInOneStatement(context.tenant, (session) =>
        session.tags.listDefinitions(),
      );
      return [...own.map((definition) => definitionOf(definition.id, own)), ...systemDefinitions];
    },

    async get(context: CallContext, id: Uuid): Promise<TagDefinition> {
      const found = await storage.readInOneStatement(context.tenant, (session) =>
        session.tags.findDefinitionsByIds([id]),
      );
      const active = found.filter(({ isActive }) => isActive);
      return definitionOf(id, active);
    },

    async create(context: CallContext, input: TagDefinitionInput): Promise<TagDefinition> {
      const definition = newDefinition(input, ids.next(), context.createdDate);
      await storage.write(context.tenant, authorshipOf(context), (session) =>
        session.tags.insertDefinitions([definition]),
      );
      const { id, name, description, applicableObjectTypes } = definition;
      return { id, name, description, applicableObjectTypes, isControlTag: false };
    },

    async delete(context: CallContext, id: Uuid): Promise<void> {
      await storage.write(context.tenant, authorshipOf(context), async (session) => {
        // While the lock is held, no tag can start to use the definition.
        const [definition] = await session.tags.lockDefinitions([id]);
        if (!definition) throw noSuchObject({ type: ObjectType.TAG_DEFINITION, id });
        const used = await session.tags.definitionsInUse([id]);
        if (used.length > 0) throw inUse(definition.name, id);
        await session.tags.deactivateDefinitions([definition]);
      });
    },
  };
}

function inUse(name: string, id: Uuid): BillingError {
  return billingError(
    ErrorCode.TAG_DEFINITION_IN_USE,
    `Tag definition "${name}" is in use; remove its tags first`,
    { tagDefinitionId: id },
  );
}

/** Definitions of tags. */
export interface TagDefinitionOperations<C extends Leading = []> {
  /**
   * Returns the tag definitions that users created, in creation order, then the engine's own definitions, then the
   * control tags (accounts §12 rule 3).
   */
  list(...given: [...C]): Promise<readonly TagDefinition[]>;

  /**
   * Returns a definition of the tenant or the system.
   * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), also for a deleted definition.
   */
  get(...given: [...C, id: Uuid | string]): Promise<TagDefinition>;

  /**
   * Creates a definition. Its name must be lower-case and unused in the tenant.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003), TAG_DEFINITION_HAS_UPPERCASE (3904),
   * TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG (3900), TAG_DEFINITION_ALREADY_EXISTS (3901).
   */
  create(...given: [...C, input: HostInput<TagDefinitionInput>]): Promise<TagDefinition>;

  /**
   * Deletes an unused definition that a user created. Its name can be used again.
   * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), including for system definitions; TAG_DEFINITION_IN_USE
   * (3903).
   */
  delete(...given: [...C, id: Uuid | string]): Promise<void>;
}

export interface TagDefinitionInput {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly applicableObjectTypes?: readonly ObjectType[] | null;
}

const systemNames = new Set(systemDefinitions.map(({ name }) => name.toLowerCase()));

/**
 * Checks the input for a user's tag definition and returns the definition (accounts §12 rules 1 and 2).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), TAG_DEFINITION_HAS_UPPERCASE (3904),
 * TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG (3900).
 */
function newDefinition(input: TagDefinitionInput, id: Uuid, now: Instant): New<UserTagDefinition> {
  const name = checkText('TagDefinitionJson name', input.name, MAX_TAG_DEFINITION_NAME_CHARACTERS);
  const description = checkText(
    'TagDefinitionJson description',
    input.description,
    MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS,
  );
  checkName(name);
  const applicableObjectTypes = checkTypes(input.applicableObjectTypes ?? []);
  return { id, name, description, applicableObjectTypes, isActive: true, createdDate: now };
}

function checkName(name: string): void {
  if (name !== name.toLowerCase()) {
    throw billingError(
      ErrorCode.TAG_DEFINITION_HAS_UPPERCASE,
      `Tag definition name "${shortenText(name)}" has an upper-case letter; such names are reserved for system tags`,
      { name },
    );
  }
  if (!systemNames.has(name)) return;
  throw billingError(
    ErrorCode.TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG,
    `Tag definition name "${name}" is the name of a system tag; choose another name`,
    { name },
  );
}

const knownTypes: ReadonlySet<string> = new Set(Object.values(ObjectType));

function checkTypes(types: readonly ObjectType[]): readonly ObjectType[] {
  const unknown = types.find((type) => !knownTypes.has(type));
  if (types.length > 0 && unknown === undefined) return [...new Set(types)];
  throw invalidField(
    unknown === undefined
      ? 'TagDefinitionJson applicableObjectTypes needs to be set'
      : `TagDefinitionJson applicableObjectTypes names an unknown object type: "${shortenText(unknown)}"`,
    { field: 'applicableObjectTypes' },
  );
}

/**
 * Returns the tag definition with this id, created by a user or built in.
 * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902).
 */
export function definitionOf(id: Uuid, known: readonly UserTagDefinition[]): TagDefinition {
  const system = systemDefinition(id);
  if (system) return system;
  const own = known.find((definition) => definition.id === id);
  if (!own) throw noSuchObject({ type: ObjectType.TAG_DEFINITION, id });
  return { ...own, isControlTag: false };
}

/**
 * Returns the definition if callers may use it for tags on objects of this type (accounts §13.1 rules 2 and 3).
 * @param lookup `known` contains the active user definitions, `enforceTypes` is `tags.enforceApplicableTypes`.
 * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM (3953), TAG_NOT_APPLICABLE (3954).
 */
export function applicableDefinition(
  id: Uuid,
  type: TaggedType,
  lookup: { readonly known: readonly UserTagDefinition[]; readonly enforceTypes: boolean },
): TagDefinition {
  const definition = definitionOf(id, lookup.known);
  refuseSystemTag(definition);
  const isEnforced = definition.isControlTag || lookup.enforceTypes;
  const applies = definition.applicableObjectTypes.includes(type) || concerns(id, type);
  if (isEnforced && !applies) throw notApplicable(definition, type);
  return definition;
}

/** Rejects definitions of tags that only the engine may add or remove. @throws BillingError TAG_IS_SYSTEM (3953). */
export function refuseSystemTag({ id, name }: TagDefinition): void {
  if (!hasEffect(id, TagEffect.PARKS)) return;
  throw billingError(
    ErrorCode.TAG_IS_SYSTEM,
    `Tag ${name} is set and removed by the engine only; a successful invoice run removes it`,
    { tagDefinitionId: id },
  );
}

function notApplicable({ id, name, applicableObjectTypes }: TagDefinition, type: TaggedType): BillingError {
  return billingError(
    ErrorCode.TAG_NOT_APPLICABLE,
    `Tag ${name} applies to ${applicableObjectTypes.join(', ')}, not to ${type}`,
    { tagDefinitionId: id, objectType: type },
  );
}
