export { type CallbackPolicy, type CallbackTarget, resolveCallback } from './callback-url.ts';
export {
  NumberField,
  type NumberPart,
  type NumberPattern,
  type Period,
  type Property,
} from './configuration/property.ts';
export { type SettingDescription, settingDescriptions } from './configuration/property-texts.ts';
export { type ConfigurationObject, serverWideNames } from './configuration/read-configuration.ts';
export {
  configurableProperties,
  queueSettingsOf,
  type ServerConfiguration,
  serverConfiguration,
} from './configuration/server-configuration.ts';
export { serverProperties } from './configuration/server-properties.ts';
export {
  DEFAULT_TENANT_SETTINGS,
  type ServerSettings,
  type SettingsOfTable,
  type TenantSettings,
} from './configuration/settings.ts';
export {
  ActiveValueCache,
  activeValueOf,
  busyPausesOf,
  lockWaitOf,
  type SettingsOf,
  settingsInForce,
  skippedEventsOf,
} from './configuration/tenant-configuration.ts';
export {
  InArrearMode,
  type TenantPropertyName,
  tenantProperties,
} from './configuration/tenant-properties.ts';
export {
  KeyKind,
  type KeyValueOperations,
  type KeyValues,
  keyKind,
  maskedProperties,
  maskedValues,
  paymentStateMachineKey,
  pluginConfigurationKey,
  SystemKey,
} from './key-value-operations.ts';
export { type KeyValueService, keyValueService } from './key-value-service.ts';
export type { SellerOperations } from './sellers/seller-operations.ts';
export { sellerService } from './sellers/seller-service.ts';
export {
  type ConfigurationOperations,
  type NewTenantInput,
  type TenantAuthor,
  type TenantListChoice,
  type TenantOperations,
  type TenantService,
  tenantService,
} from './service.ts';
export {
  type SigningSecretOperations,
  type SigningSecretService,
  signingSecretService,
} from './signing-secret-service.ts';
