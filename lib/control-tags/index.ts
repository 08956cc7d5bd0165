export { concerns, hasEffect, TagEffect, tagEffects } from './effects.ts';
export { type AccountEffects, bundlesNotInvoiced, effectsOnAccounts } from './load-effects.ts';
export { isSystemDefinition, SystemTag, systemDefinition, systemDefinitions } from './system-definitions.ts';
