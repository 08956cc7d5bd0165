import type { EventPayload } from '../records/index.ts';
import { invalidField } from '../values/errors/index.ts';
import { checkText } from '../values/text/index.ts';

/** Characters of the type of a command to nodes, and how many properties it has. */
const MAX_NODE_COMMAND_TYPE_CHARACTERS = 255;
const MAX_NODE_COMMAND_PROPERTIES = 100;

/** The commands that the engine itself knows. */
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
  /** Anything that JSON can hold. */
  readonly value: unknown;
}

/** What nodes are told to do (platform §11). */
export interface NodeCommand {
  /** A `PluginCommand`, or a name for which a host has registered a handler; 1 to 255 characters. */
  readonly type: string;
  /** At most 100. Commands about plugins name theirs by `pluginName` or `pluginKey`. */
  readonly properties: readonly NodeCommandProperty[];
  /** Passed on to handlers; default false. */
  readonly isSystemCommand?: boolean;
}

/** Does what a command says, at each node. What it throws is logged. */
export type NodeCommandHandler = (command: NodeCommand) => Promise<void> | void;

export function isPluginCommand(type: string): type is PluginCommand {
  return Object.values<string>(PluginCommand).includes(type);
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003). */
export function checkCommand({ type, properties }: NodeCommand): void {
  checkText('nodeCommandType', type, MAX_NODE_COMMAND_TYPE_CHARACTERS);
  if (properties.length > MAX_NODE_COMMAND_PROPERTIES)
    throw invalidField(`A command has at most ${MAX_NODE_COMMAND_PROPERTIES} properties`);
}

/** As it is stored and told. */
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
