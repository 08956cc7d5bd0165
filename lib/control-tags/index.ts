export {
  type AccountEffects,
  bundlesNotInvoiced,
  concerns,
  effectsOnAccounts,
  hasEffect,
  TagEffect,
  tagEffects,
} from './effects.ts';
export { isSystemDefinition, SystemTag, systemDefinition, systemDefinitions } from './system-definitions.ts';
