import type { Leading, TagDefinition } from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { TagDefinitionInput } from './new-definition.ts';

/** Definitions of tags. */
export interface TagDefinitionOperations<C extends Leading = []> {
  /** The users' definitions in creation order, the engine's own, then the nine control tags (accounts §12 rule 3). */
  list(...given: [...C]): Promise<readonly TagDefinition[]>;

  /**
   * The definition with this id, of the tenant or of the system.
   * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), also for a deleted one.
   */
  get(...given: [...C, id: Uuid | string]): Promise<TagDefinition>;

  /**
   * Creates a definition; its name has no upper-case letter and is free in the tenant.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003), TAG_DEFINITION_HAS_UPPERCASE (3904),
   * TAG_DEFINITION_CONFLICTS_WITH_CONTROL_TAG (3900), TAG_DEFINITION_ALREADY_EXISTS (3901).
   */
  create(...given: [...C, input: Given<TagDefinitionInput>]): Promise<TagDefinition>;

  /**
   * Deletes a user's definition that no tag uses; its name is free again.
   * @throws BillingError TAG_DEFINITION_DOES_NOT_EXIST (3902), also for those of the system, TAG_DEFINITION_IN_USE (3903).
   */
  delete(...given: [...C, id: Uuid | string]): Promise<void>;
}
