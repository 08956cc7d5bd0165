import type { NodeInfo, SystemAuthor, TenantRef } from '../records/index.ts';
import type { NodeCommand } from './node-command.ts';

/** The processes that share the storage (platform §11, §15); they belong to no tenant. */
export interface NodeOperations {
  /**
   * The nodes that gave a sign of life in the last five minutes, in the order of their start, and this one. A node gives
   * one every 30 s from `start` to `stop`.
   */
  list(): Promise<readonly NodeInfo[]>;
  /** This node. */
  local(): Promise<NodeInfo>;
  /**
   * Tells every node to do something, those that work now: this one at once, others within some seconds. A plugin that was
   * stopped or uninstalled is not asked any more, as if the host had not registered it, until a command brings it back; nodes
   * that start later begin with that. Event sinks are told of the command too.
   *
   * @param options `localOnly`: only this node does it, until it ends; default false.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a command that cannot be, and for one about a plugin that no
   * node has.
   * @example await billing.nodes.command({ userName: 'ops' }, {
   *   type: 'STOP_PLUGIN', properties: [{ key: 'pluginName', value: 'tax' }] });
   */
  command(
    author: SystemAuthor,
    command: NodeCommand,
    options?: { readonly localOnly?: boolean },
  ): Promise<void>;
  /**
   * Lets every node forget what it keeps in memory of a tenant's catalogs, or of all tenants' (null, the default), so that
   * catalog plugins are asked again. Nothing that is stored needs it: a change is seen at once everywhere.
   */
  dropCaches(author: SystemAuthor, tenant?: TenantRef | null): Promise<void>;
}
