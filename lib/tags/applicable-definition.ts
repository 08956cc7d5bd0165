import { noSuchObject } from '../accounts/index.ts';
import { concerns, hasEffect, systemDefinition, TagEffect } from '../control-tags/index.ts';
import type { TagDefinition, TaggedType, UserTagDefinition } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';

export interface DefinitionLookup {
  /** The named definitions that are active ones of users. */
  readonly known: readonly UserTagDefinition[];
  /** Whether users' definitions apply only to the types that they declare (`tags.enforceApplicableTypes`). */
  readonly enforceTypes: boolean;
}

/**
 * The definition, of a user or of the system.
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
 * The definition if a caller may put it on objects of this type (accounts §13.1 rules 2 and 3).
 * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), TAG_IS_SYSTEM (3953), TAG_NOT_APPLICABLE (3954).
 */
export function applicableDefinition(id: Uuid, type: TaggedType, lookup: DefinitionLookup): TagDefinition {
  const definition = definitionOf(id, lookup.known);
  refuseSystemTag(definition);
  const isEnforced = definition.isControlTag || lookup.enforceTypes;
  const applies = definition.applicableObjectTypes.includes(type) || concerns(id, type);
  if (isEnforced && !applies) throw notApplicable(definition, type);
  return definition;
}

/**
 * Refuses definitions that only the engine sets and removes.
 * @throws BillingError TAG_IS_SYSTEM (3953).
 */
export function refuseSystemTag({ id, name }: TagDefinition): void {
  if (!hasEffect(id, TagEffect.PARKS)) return;
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
