export {
  type TagDefinitionInput,
  type TagDefinitionOperations,
  tagDefinitionOperations,
} from './definition-service.ts';
export { addEngineTag, addSystemTag, removeEngineTag } from './engine-tags.ts';
export { type TagOperations, tagOperations } from './service.ts';
