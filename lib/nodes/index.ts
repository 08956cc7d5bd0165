export type { NodeOperations } from './node-operations.ts';
export { PluginService, pluginInfos, type RegisteredPlugins } from './registered-plugins.ts';
export { NodeService } from './service.ts';
