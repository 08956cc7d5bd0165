export {
  type TagDefinitionInput,
  type TagDefinitionOperations,
  TagDefinitionService,
} from './definition-service.ts';
export { addEngineTag, addSystemTag, removeEngineTag } from './engine-tags.ts';
export { type TagOperations, TagService } from './service.ts';
