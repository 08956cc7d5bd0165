export { holdName } from './hold-name.ts';
export type { NodeCommand, NodeCommandHandler, NodeCommandProperty } from './node-command.ts';
export { PluginCommand } from './node-command.ts';
export type { NodeOperations } from './node-operations.ts';
export { PluginSwitches } from './plugin-switches.ts';
export { PluginService } from './registered-plugins.ts';
export { NodeService } from './service.ts';
