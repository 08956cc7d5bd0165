import type { Ports } from '../ports/index.ts';
import type { NodeStore } from '../ports/storage/index.ts';
import { pause } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../values/errors/index.ts';
import { NODE_BEAT_MS, NODE_LISTED_MS } from '../values/limits.ts';

/** Milliseconds for which a starting node keeps trying to reserve a name that is in use. */
const NODE_NAME_WAIT_MS = 5_000;
const NODE_NAME_PAUSE_MS = 250;

type NamePorts = Pick<Ports, 'systemClock' | 'logger'> & {
  readonly storage: { readonly nodes: Pick<NodeStore, 'hold' | 'list'> };
};

/**
 * Reserves the name for this node before it is used (platform §15 rule 1). If a process with this name has just ended,
 * waits until its connection is closed.
 * @throws BillingError BUSY (60018) if a running node has the name.
 */
export async function reserveName(ports: NamePorts, nodeName: string): Promise<void> {
  const { nodes } = ports.storage;
  for (let waitedMs = 0; ; waitedMs += NODE_NAME_PAUSE_MS) {
    const held = await nodes.hold(nodeName);
    if (held === 'HELD') return;
    if (held === 'UNKNOWN') return refuseLiveNamesake(ports, nodeName);
    if (waitedMs >= NODE_NAME_WAIT_MS) throw inUse(nodeName);
    await pause(ports.systemClock, NODE_NAME_PAUSE_MS);
  }
}

/**
 * Waits for a heartbeat of another node with this name. If such a heartbeat arrives, rejects the name. Called if the
 * storage has no other way to detect running nodes.
 */
async function refuseLiveNamesake(
  { systemClock, logger, storage }: NamePorts,
  nodeName: string,
): Promise<void> {
  const lastSign = async () => {
    const found = await storage.nodes.list(NODE_LISTED_MS);
    return found.find((node) => node.nodeName === nodeName)?.lastUpdatedDate ?? null;
  };
  const last = await lastSign();
  if (last === null) return;
  const waitMs = NODE_BEAT_MS + NODE_NAME_WAIT_MS;
  logger.warn(
    { node: nodeName, waitMs },
    'a node with this name was active a moment ago; the start waits to see if it is alive',
  );
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += NODE_NAME_WAIT_MS) {
    await pause(systemClock, NODE_NAME_WAIT_MS);
    const sign = await lastSign();
    if (sign === null) return;
    if (sign !== last) throw inUse(nodeName);
  }
}

function inUse(nodeName: string): BillingError {
  return billingError(
    ErrorCode.BUSY,
    `The node name "${nodeName}" is in use by a running node. Stop that node, or give this one another name ` +
      '(nodeName, server.nodeName). The name of a lost node is released within 30 s',
    { nodeName },
  );
}
