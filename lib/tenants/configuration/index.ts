export { busyPausesOf, lockWaitOf } from './account-lock-wait.ts';
export { configurableProperties } from './configurable-properties.ts';
export { InArrearMode } from './in-arrear-mode.ts';
export { NumberField, type NumberPart, type NumberPattern } from './number-pattern.ts';
export type { Period } from './period.ts';
export { type ConfigurationObject, checkConfiguration, readConfiguration } from './read-configuration.ts';
export { type ServerConfiguration, serverConfiguration } from './server-configuration.ts';
export { serverProperties } from './server-properties.ts';
export { serverWideNames } from './server-wide-names.ts';
export {
  DEFAULT_SERVER_SETTINGS,
  DEFAULT_TENANT_SETTINGS,
  type ServerSettings,
  type TenantSettings,
} from './settings.ts';
export { skippedEventsOf } from './skipped-events.ts';
export { type SettingsOf, TenantConfiguration } from './tenant-configuration.ts';
export { type TenantPropertyName, tenantProperties } from './tenant-properties.ts';
