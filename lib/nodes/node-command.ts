import type { EventPayload } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { checkText } from '../values/text/index.ts';

/** Maximum length of a command type. */
const MAX_NODE_COMMAND_TYPE_CHARACTERS = 255;
const MAX_NODE_COMMAND_PROPERTIES = 100;

/** The engine's own commands. */
export const PluginCommand = {
  INSTALL: 'INSTALL_PLUGIN',
  UNINSTALL: 'UNINSTALL_PLUGIN',
  START: 'START_PLUGIN',
  STOP: 'STOP_PLUGIN',
  RESTART: 'RESTART_PLUGIN',
} as const;
export type PluginCommand = (typeof PluginCommand)[keyof typeof PluginCommand];

export interface NodeCommandProperty {
  readonly key: string;
  /** Value of the property: any JSON value. */
  readonly value: unknown;
}

/** A command to nodes (platform §11). */
export interface NodeCommand {
  /** A `PluginCommand`, or the name of a handler that the host has registered (1 to 255 characters). */
  readonly type: string;
  /**
   * Properties of the command, at most 100. A plugin command identifies its plugin with `pluginName` or `pluginKey`.
   */
  readonly properties: readonly NodeCommandProperty[];
  /** True for a system command. The value is passed to handlers. Defaults to false. */
  readonly isSystemCommand?: boolean;
}

/** Executes a command. Called on each node. Errors are logged. */
export type NodeCommandHandler = (command: NodeCommand) => Promise<void> | void;

export function isPluginCommand(type: string): type is PluginCommand {
  return Object.values<string>(PluginCommand).includes(type);
}

/** Checks the fields of a command. @throws BillingError MISSING_OR_INVALID_FIELD (60003) if one is invalid. */
export function checkCommand({ type, properties }: NodeCommand): void {
  checkText('nodeCommandType', type, MAX_NODE_COMMAND_TYPE_CHARACTERS);
  if (properties.length > MAX_NODE_COMMAND_PROPERTIES)
    throw invalidField(`A command can have at most ${MAX_NODE_COMMAND_PROPERTIES} properties`);
}

/** Returns the stored form of a command. */
export function payloadOfCommand({ type, properties, isSystemCommand }: NodeCommand): EventPayload {
  return {
    isSystemCommandType: isSystemCommand ?? false,
    nodeCommandType: type,
    nodeCommandProperties: properties.map(({ key, value }) => ({ key, value })),
  };
}

export function commandOfPayload(payload: EventPayload): NodeCommand {
  return {
    type: String(payload.nodeCommandType),
    properties: payload.nodeCommandProperties as readonly NodeCommandProperty[],
    isSystemCommand: payload.isSystemCommandType === true,
  };
}
