export type { CallbackPolicy } from './callback/callback-url.ts';
export { type CallbackTarget, resolveCallback } from './callback/resolve-callback.ts';
export { ActiveValueCache } from './configuration/active-value-cache.ts';
export {
  busyPausesOf,
  type ConfigurationObject,
  configurableProperties,
  DEFAULT_TENANT_SETTINGS,
  InArrearMode,
  lockWaitOf,
  NumberField,
  type NumberPart,
  type NumberPattern,
  type Period,
  type ServerConfiguration,
  type ServerSettings,
  type SettingsOf,
  serverConfiguration,
  serverProperties,
  serverWideNames,
  skippedEventsOf,
  TenantConfiguration,
  type TenantPropertyName,
  type TenantSettings,
} from './configuration/index.ts';
export type { Property } from './configuration/property.ts';
export { queueSettingsOf } from './configuration/queue-properties.ts';
export type { SettingsOfTable } from './configuration/settings.ts';
export type { ConfigurationOperations } from './configuration-operations.ts';
export type { KeyValueOperations, KeyValues } from './key-value-operations.ts';
export { KeyValueService } from './key-value-service.ts';
export { maskedProperties, maskedValues } from './masked-values.ts';
export { type NewTenantInput, type TenantAuthor, TenantService } from './service.ts';
export type { SigningSecretOperations } from './signing-secret-operations.ts';
export { SigningSecretService } from './signing-secret-service.ts';
export {
  KeyKind,
  keyKind,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from './system-keys.ts';
export type { TenantOperations } from './tenant-operations.ts';
