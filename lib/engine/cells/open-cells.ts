import type { IdempotencyOperations } from '../../runtime/index.ts';
import type { Billing } from '../billing.ts';
import { Calls } from '../calls.ts';
import { cellControl, closeCells, type Shared } from './cell-control.ts';
import { CellEngine } from './cell-engine.ts';
import { cellSubscriptions } from './cell-events.ts';
import { cellBacklog, cellChecks, cellNodes, cellOperations, cellTenants } from './cell-operations.ts';
import { CellRouter } from './cell-router.ts';
import { type CellsBilling, type CellsOptions, checkCells } from './cells-options.ts';
import { routedCallers, routedOperations } from './routed-operations.ts';

/**
 * Opens an engine for each cell. Returns one object that passes each call to the cell of its tenant (cells §2).
 * @throws Error if the directory does not respond, or if no cell responds; otherwise the errors of `Billing.open`.
 */
export async function openCells<Host>(given: CellsOptions<Host>): Promise<CellsBilling<Host>> {
  checkCells(given);
  const { directory, cells, work, ...options } = given;
  const shared: Shared = { isStarted: false, isInRotation: true };
  const onOpen = (billing: Billing<Host>): void => {
    if (!shared.isInRotation) billing.setInRotation(false);
    if (shared.isStarted) billing.start();
  };
  const engines = Object.entries(cells).map(([name, storage]) => {
    const isWorkedOn = work === undefined || work.includes(name);
    return new CellEngine({ name, storage, directory, options, isWorkedOn }, onOpen);
  });
  const router = new CellRouter(engines, { ...options, directory });
  try {
    await directory.prepare();
    // Open the cells one after the other, because each new cell gets the next number.
    for (const engine of engines) await engine.open();
    await router.open();
    return assembleBilling(given, router, shared);
  } catch (error) {
    await closeCells(router, directory);
    throw error;
  }
}

function assembleBilling<Host>(
  given: CellsOptions<Host>,
  router: CellRouter<Host>,
  shared: Shared,
): CellsBilling<Host> {
  // The engines record the calls. This object only counts them, so that `close` can wait for them.
  const calls = new Calls({});
  // Any open engine serves the calls that need only the directory or no database.
  const first = router.any.engine.billing;
  const { events, tenants, security, requests, nodes, clock, server, context } = first;
  const cells = cellOperations(router, given, server['health.lateThreshold']);
  const ofClaim = ({ tenantRecordId: recordId }: { readonly tenantRecordId: number }) => ({ recordId });
  const routed = routedOperations(router, { ...operationsOf(first), events: { list: events.list } });
  return {
    ...calls.of(routed),
    events: calls.of({ ...routed.events, ...cellSubscriptions(router, given) }),
    tenants: { ...tenants, ...calls.of(cellTenants(router, cells.list)) },
    security,
    idempotency: calls.of<IdempotencyOperations>({
      begin: (request) => router.call(request.tenant, ({ idempotency }) => idempotency.begin(request)),
      keep: (claim, answer) =>
        router.callPatiently(ofClaim(claim), ({ idempotency }) => idempotency.keep(claim, answer)),
      release: (claim) =>
        router.callPatiently(ofClaim(claim), ({ idempotency }) => idempotency.release(claim)),
    }),
    checks: cellChecks(router),
    backlog: calls.of(cellBacklog(router)),
    nodes: calls.of(cellNodes(router, nodes)),
    requests: {
      ...requests,
      answered: (request, milliseconds) =>
        router.known(request.tenantRecordId).engine.billing.requests.answered(request, milliseconds),
    },
    clock,
    server,
    context,
    as: routedCallers(router, calls, first),
    cells: calls.of(cells),
    ...cellControl({ given, router, clock, calls, shared }),
  };
}

/**
 * Returns the operations that take a tenant's context. The result excludes the members that `openCells` creates itself.
 */
function operationsOf<Host>(billing: Billing<Host>) {
  const {
    events: _events,
    tenants: _tenants,
    security: _security,
    idempotency: _idempotency,
    checks: _checks,
    backlog: _backlog,
    nodes: _nodes,
    requests: _requests,
    clock: _clock,
    server: _server,
    context: _context,
    as: _as,
    start: _start,
    settle: _settle,
    settleThrough: _settleThrough,
    completion: _completion,
    ping: _ping,
    health: _health,
    metrics: _metrics,
    isInRotation: _isInRotation,
    setInRotation: _setInRotation,
    stop: _stop,
    close: _close,
    ...operations
  } = billing;
  return operations;
}
