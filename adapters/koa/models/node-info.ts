import { type NodeInfo, type PluginInfo, PluginState } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { bool, enumeration, text, timestamp } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';

const PluginServiceInfoModel = model('PluginServiceInfo', {
  serviceTypeName: field(text(), 'R'),
  registrationName: field(text(), 'R'),
});

export const PluginInfoModel = model('PluginInfo', {
  bundleSymbolicName: field(text(), 'R', {
    nullable: true,
    from: ({ pluginName }: PluginInfo) => pluginName,
  }),
  pluginKey: field(text(), 'R', { nullable: true }),
  pluginName: field(text(), 'R'),
  version: field(text(), 'R', { nullable: true }),
  state: field(enumeration(PluginState), 'R'),
  isSelectedForStart: field(bool, 'R', { from: () => true }),
  services: field(listOf(PluginServiceInfoModel), 'R'),
});

/** One version stands for the parts of which the reference has one each. */
const version = field(text(), 'R', { from: (node: NodeInfo) => node.version });

export const NodeInfoModel = model('NodeInfo', {
  nodeName: field(text(), 'R'),
  bootTime: field(timestamp, 'R', { from: ({ bootDate }: NodeInfo) => bootDate }),
  lastUpdatedDate: field(timestamp, 'R'),
  kbVersion: version,
  apiVersion: version,
  pluginApiVersion: version,
  commonVersion: version,
  platformVersion: version,
  pluginsInfo: field(listOf(PluginInfoModel), 'R', { from: ({ plugins }: NodeInfo) => plugins }),
});

const NodeCommandPropertyModel = model('NodeCommandProperty', {
  key: field(text(), 'I', { required: true }),
  value: field(anyValue, 'I', { nullable: true }),
});

/** What nodes are told to do. */
export const NodeCommandModel = model('NodeCommand', {
  isSystemCommandType: field(bool, 'I'),
  nodeCommandType: field(text(), 'I', { required: true }),
  nodeCommandProperties: field(listOf(NodeCommandPropertyModel), 'I'),
});
