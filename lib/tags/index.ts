export { TagDefinitionService } from './definition-service.ts';
export { addEngineTag, addSystemTag, removeEngineTag } from './engine-tags.ts';
export type { TagDefinitionInput } from './new-definition.ts';
export { TagService } from './service.ts';
export type { TagDefinitionOperations } from './tag-definition-operations.ts';
export type { TagOperations } from './tag-operations.ts';
