export {
  type AccountEffects,
  bundlesNotInvoiced,
  concerns,
  effectsOnAccountRecords,
  effectsOnAccounts,
  hasEffect,
  TagEffect,
  tagEffects,
} from './effects.ts';
export { isSystemDefinition, SystemTag, systemDefinition, systemDefinitions } from './system-definitions.ts';
