import { reserveName } from '../nodes/index.ts';
import type { Ports } from '../ports/index.ts';
import type { Dispatcher } from '../runtime/index.ts';
import type { BillingOptions } from './billing-options.ts';
import { dispatcherOf, pushDispatchersOf, storagePolicyOf } from './control.ts';
import { type Engine, engineOf } from './engine.ts';
import { engineSettings, portsOf, timeOf } from './foundation.ts';
import { type Monitor, meteredPorts, monitorOf } from './monitoring.ts';
import { nodesOf, switchable } from './nodes.ts';

/** Opens an engine with a prepared storage, on a node that is ready for background work. */
export async function runningEngine<Host>(given: BillingOptions<Host>) {
  const switched = switchable(given);
  const { options } = switched;
  const time = timeOf(options);
  const ports = meteredPorts(portsOf(switched, time));
  const node = options.nodeName ?? ports.ids.next();
  const nodes = nodesOf(switched, ports, {
    nodeName: node,
    dropCaches: (tenant) => engine.catalogs.dropCached(tenant),
  });
  const settings = engineSettings(options, ports, {
    node: { nodes: () => nodes.list(), storeRequests: () => monitor.accessLog.flush() },
    workOff: (...due) => dispatcher.workOff(...due),
  });
  const engine: Engine = engineOf(ports, settings);
  const { server } = settings.server;
  const monitor: Monitor = monitorOf({ options, ports, server, node, pushes: engine.push?.counts });
  const parts = { options, ports, time, server, engine, node, monitor };
  await options.storage.prepare(storagePolicyOf(parts));
  await reserveName(ports, node);
  await nodes.prepare();
  await time?.compare();
  await warnOfUnboundRole(ports);
  await engine.sinks.register();
  const dispatcher: Dispatcher = dispatcherOf(parts, nodes);
  await dispatcher.recover();
  const pushes = pushDispatchersOf(parts);
  await Promise.all(pushes.map((each) => each.recover()));
  return { parts, dispatcher, pushes, nodes };
}

/** Opens an engine without background work. */
export async function openIdleEngine<Host>(options: BillingOptions<Host>): Promise<Engine> {
  const ports = portsOf(switchable(options));
  const node = { nodes: async () => [], storeRequests: async () => undefined };
  const settings = engineSettings(options, ports, { node, workOff: async () => undefined });
  const engine = engineOf(ports, settings);
  await options.storage.prepare();
  return engine;
}

/**
 * Warns if row-level security is missing. Row-level security is the second barrier between tenants (platform §2,
 * isolation rule 2).
 */
async function warnOfUnboundRole({ storage, logger }: Ports): Promise<void> {
  const role = await storage.system.unboundRole();
  if (role === null) return;
  logger.warn(
    { role },
    'row-level security does not apply to the database role of the engine: the role is a superuser or has BYPASSRLS, or a table has row-level security disabled',
  );
}
