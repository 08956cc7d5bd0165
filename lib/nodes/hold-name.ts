import type { Ports } from '../ports/index.ts';
import type { NodeStore } from '../ports/storage/index.ts';
import { pause } from '../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../values/errors/index.ts';
import { NODE_BEAT_MS, NODE_LISTED_MS } from '../values/limits.ts';

/** How long, and how often, a start asks for a name that another node has. */
const NODE_NAME_WAIT_MS = 5_000;
const NODE_NAME_PAUSE_MS = 250;

type NamePorts = Pick<Ports, 'systemClock' | 'logger'> & {
  readonly storage: { readonly nodes: Pick<NodeStore, 'hold' | 'list'> };
};

/**
 * Takes the name for this node, before anything is done under it (platform §15 rule 1). The connection of a process that has
 * just ended may take a moment to end too.
 * @throws BillingError BUSY (60018) if a living node has it.
 */
export async function holdName(ports: NamePorts, nodeName: string): Promise<void> {
  const { nodes } = ports.storage;
  for (let waitedMs = 0; ; waitedMs += NODE_NAME_PAUSE_MS) {
    const held = await nodes.hold(nodeName);
    if (held === 'HELD') return;
    if (held === 'UNKNOWN') return refuseLivingNamesake(ports, nodeName);
    if (waitedMs >= NODE_NAME_WAIT_MS) throw inUse(nodeName);
    await pause(ports.systemClock, NODE_NAME_PAUSE_MS);
  }
}

/** Where nothing but its signs of life tells whether a node lives: one that does gives the next sign in time. */
async function refuseLivingNamesake(ports: NamePorts, nodeName: string): Promise<void> {
  const { systemClock, logger } = ports;
  const last = await lastSign(ports, nodeName);
  if (last === null) return;
  const waitMs = NODE_BEAT_MS + NODE_NAME_WAIT_MS;
  logger.warn(
    { node: nodeName, waitMs },
    'a node of this name was there a moment ago; the start waits for its signs of life',
  );
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += NODE_NAME_WAIT_MS) {
    await pause(systemClock, NODE_NAME_WAIT_MS);
    const sign = await lastSign(ports, nodeName);
    if (sign === null) return;
    if (sign !== last) throw inUse(nodeName);
  }
}

async function lastSign({ storage }: NamePorts, nodeName: string): Promise<number | null> {
  const found = await storage.nodes.list(NODE_LISTED_MS);
  return found.find((node) => node.nodeName === nodeName)?.lastUpdatedDate ?? null;
}

function inUse(nodeName: string): BillingError {
  return billingError(
    ErrorCode.BUSY,
    `The node name "${nodeName}" is in use by a node that is alive. End that node, or give this one another name ` +
      '(nodeName, server.nodeName). The name of a node whose machine was lost is free within 30 s',
    { nodeName },
  );
}
