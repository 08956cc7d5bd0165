import { systemDefinitions } from '../control-tags/index.ts';
import type { New, UserTagDefinition } from '../records/index.ts';
import { ObjectType } from '../records/index.ts';
import { BillingError, ErrorCode, invalidField } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import {
  MAX_TAG_DEFINITION_DESCRIPTION_CHARACTERS,
  MAX_TAG_DEFINITION_NAME_CHARACTERS,
} from '../values/limits.ts';
import { checkText, shortened } from '../values/text/index.ts';
import type { Instant } from '../values/time/index.ts';

export interface TagDefinitionInput {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly applicableObjectTypes?: readonly ObjectType[] | null;
}

const systemNames = new Set(systemDefinitions.map(({ name }) => name.toLowerCase()));

/**
 * A user's definition of these values (accounts §12 rules 1 and 2).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), TAG_DEFINITION_HAS_UPPERCASE (3904),
 * TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG (3900).
 */
export function newDefinition(input: TagDefinitionInput, id: Uuid, now: Instant): New<UserTagDefinition> {
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
    throw new BillingError({
      code: ErrorCode.TAG_DEFINITION_HAS_UPPERCASE,
      message: `Tag definition name "${shortened(name)}" has an upper-case letter; those are the names of the system`,
      facts: { name },
    });
  }
  if (!systemNames.has(name)) return;
  throw new BillingError({
    code: ErrorCode.TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG,
    message: `Tag definition name "${name}" is that of a system tag; choose another name`,
    facts: { name },
  });
}

const knownTypes: ReadonlySet<string> = new Set(Object.values(ObjectType));

function checkTypes(types: readonly ObjectType[]): readonly ObjectType[] {
  const unknown = types.find((type) => !knownTypes.has(type));
  if (types.length > 0 && unknown === undefined) return [...new Set(types)];
  throw invalidField(
    unknown === undefined
      ? 'TagDefinitionJson applicableObjectTypes needs to be set'
      : `TagDefinitionJson applicableObjectTypes names an unknown object type: "${shortened(unknown)}"`,
    { field: 'applicableObjectTypes' },
  );
}
