export {
  type NodeCommand,
  type NodeCommandHandler,
  type NodeCommandProperty,
  PluginCommand,
} from './node-command.ts';
export { PluginService, PluginSwitches } from './plugin-switches.ts';
export { reserveName } from './reserve-name.ts';
export { type NodeOperations, type NodeService, nodeService } from './service.ts';
