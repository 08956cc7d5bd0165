import { noSuchObject } from '../accounts/index.ts';
import { systemDefinitions } from '../control-tags/index.ts';
import type { Ports } from '../ports/index.ts';
import type { TagDefinition, WithContext } from '../records/index.ts';
import { type CallContext, ObjectType } from '../records/index.ts';
import { authorshipOf } from '../runtime/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { definitionOf } from './applicable-definition.ts';
import { newDefinition, type TagDefinitionInput } from './new-definition.ts';
import type { TagDefinitionOperations } from './tag-definition-operations.ts';

/** Tag definitions of a tenant (accounts §12). */
export class TagDefinitionService implements TagDefinitionOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>) {
    this.#ports = ports;
  }

  async list(context: CallContext): Promise<readonly TagDefinition[]> {
    const own = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.tags.listDefinitions(),
    );
    return [...own.map((definition) => definitionOf(definition.id, own)), ...systemDefinitions];
  }

  async get(context: CallContext, id: Uuid): Promise<TagDefinition> {
    const found = await this.#ports.storage.readInOneStatement(context.tenant, (session) =>
      session.tags.findDefinitionsByIds([id]),
    );
    return definitionOf(
      id,
      found.filter(({ isActive }) => isActive),
    );
  }

  async create(context: CallContext, input: TagDefinitionInput): Promise<TagDefinition> {
    const definition = newDefinition(input, this.#ports.ids.next(), context.createdDate);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), (session) =>
      session.tags.insertDefinitions([definition]),
    );
    const { id, name, description, applicableObjectTypes } = definition;
    return { id, name, description, applicableObjectTypes, isControlTag: false };
  }

  async delete(context: CallContext, id: Uuid): Promise<void> {
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      // Under the lock nobody can start to use it.
      const [definition] = await session.tags.lockDefinitions([id]);
      if (!definition) throw noSuchObject({ type: ObjectType.TAG_DEFINITION, id });
      const used = await session.tags.definitionsInUse([id]);
      if (used.length > 0) throw inUse(definition.name, id);
      await session.tags.deactivateDefinitions([definition]);
    });
  }
}

function inUse(name: string, id: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.TAG_DEFINITION_IN_USE,
    message: `Tag definition "${name}" is in use; remove its tags first`,
    facts: { tagDefinitionId: id },
  });
}
