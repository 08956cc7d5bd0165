export {
  busyPausesOf,
  type ConfigurationObject,
  configurableProperties,
  DEFAULT_TENANT_SETTINGS,
  InArrearMode,
  lockWaitOf,
  type Period,
  type ServerConfiguration,
  type ServerSettings,
  type SettingsOf,
  serverConfiguration,
  serverProperties,
  skippedEventsOf,
  TenantConfiguration,
  type TenantPropertyName,
  type TenantSettings,
} from './configuration/index.ts';
export { queueSettingsOf } from './configuration/queue-properties.ts';
export { KeyValueService, type KeyValues } from './key-value-service.ts';
export { maskedSecrets } from './masked-secrets.ts';
export { type NewTenantInput, TenantService } from './service.ts';
export { SigningSecretService } from './signing-secret-service.ts';
export {
  KeyKind,
  keyKind,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from './system-keys.ts';
