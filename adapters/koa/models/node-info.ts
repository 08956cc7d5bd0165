import { type NodeInfo, type PluginInfo, PluginState } from '../../../lib/records/index.ts';
import { alike, derivedField, field, maybe, model, modelWith } from '../wire/model.ts';
import { bool, enumeration, text, timestamp } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';

const PluginServiceInfoModel = model('PluginServiceInfo', {
  serviceTypeName: text(),
  registrationName: text(),
});

export const PluginInfoModel = model('PluginInfo', {
  bundleSymbolicName: maybe(text(), ({ pluginName }: PluginInfo) => pluginName),
  pluginKey: maybe(text()),
  pluginName: text(),
  version: maybe(text()),
  state: enumeration(PluginState),
  isSelectedForStart: derivedField(bool, () => true),
  services: listOf(PluginServiceInfoModel),
});

/**
 * Version of the server. In Kill Bill, each part has its own version; in this server, all parts have the same version.
 */
const version = derivedField(text(), (node: NodeInfo) => node.version);

export const NodeInfoModel = model('NodeInfo', {
  nodeName: text(),
  bootTime: derivedField(timestamp, ({ bootDate }: NodeInfo) => bootDate),
  lastUpdatedDate: timestamp,
  ...alike(version, 'kbVersion', 'apiVersion', 'pluginApiVersion', 'commonVersion', 'platformVersion'),
  pluginsInfo: derivedField(listOf(PluginInfoModel), ({ plugins }: NodeInfo) => plugins),
});

const NodeCommandPropertyModel = model('NodeCommandProperty', {
  key: field(text(), 'I', { required: true }),
  value: field(anyValue, 'I', { nullable: true }),
});

export const NodeCommandModel = modelWith('I', 'NodeCommand', {
  isSystemCommandType: bool,
  nodeCommandType: field(text(), 'I', { required: true }),
  nodeCommandProperties: listOf(NodeCommandPropertyModel),
});
