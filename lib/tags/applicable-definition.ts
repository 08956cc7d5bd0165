import { noSuchObject } from '../accounts/index.ts';
import type { TagDefinition, TaggedType, UserTagDefinition } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { SystemTag, systemDefinition } from './system-definitions.ts';

/**
 * The tag is made for accounts (accounts §13.2); a bundle that carries it is left out of its account's invoices all the same
 * (invoicing §4 rule 5, subscriptions §19.1).
 */
const appliesBesides: ReadonlyMap<Uuid, TaggedType> = new Map([
  [SystemTag.AUTO_INVOICING_OFF, ObjectType.BUNDLE],
]);

export interface DefinitionLookup {
  /** The active users' definitions among those that are named. */
  readonly known: readonly UserTagDefinition[];
  /** Whether users' definitions apply to the types that they declare only (`tags.enforceApplicableTypes`). */
  readonly enforceTypes: boolean;
}

/** The definition as a user's or the system's. @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902). */
export function definitionOf(id: Uuid, known: readonly UserTagDefinition[]): TagDefinition {
  const system = systemDefinition(id);
  if (system) return system;
  const own = known.find((definition) => definition.id === id);
  if (!own) throw noSuchObject({ type: ObjectType.TAG_DEFINITION, id });
  return { ...own, isControlTag: false };
}

/**
 * The definition if a caller may put it on objects of this type (accounts §13.1 rules 2 and 3).
 * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM (3953), TAG_NOT_APPLICABLE (3954).
 */
export function applicableDefinition(id: Uuid, type: TaggedType, lookup: DefinitionLookup): TagDefinition {
  const definition = definitionOf(id, lookup.known);
  refuseSystemTag(definition);
  const isEnforced = definition.isControlTag || lookup.enforceTypes;
  const applies = definition.applicableObjectTypes.includes(type) || appliesBesides.get(id) === type;
  if (isEnforced && !applies) throw notApplicable(definition, type);
  return definition;
}

/** What only the engine sets and removes. @throws BillingError TAG_IS_SYSTEM (3953). */
export function refuseSystemTag({ id, name }: TagDefinition): void {
  if (id !== SystemTag.PARK) return;
  throw new BillingError({
    code: ErrorCode.TAG_IS_SYSTEM,
    message: `Tag ${name} is set and removed by the engine only; a successful invoice run removes it`,
    facts: { tagDefinitionId: id },
  });
}

function notApplicable({ id, name, applicableObjectTypes }: TagDefinition, type: TaggedType): BillingError {
  return new BillingError({
    code: ErrorCode.TAG_NOT_APPLICABLE,
    message: `Tag ${name} applies to ${applicableObjectTypes.join(', ')}, not to ${type}`,
    facts: { tagDefinitionId: id, objectType: type },
  });
}
