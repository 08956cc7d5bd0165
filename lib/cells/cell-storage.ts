import { EncryptedKind, type Storage } from '../ports/storage/index.ts';
import type { Cell } from '../records/index.ts';

/** The parts of the directory that cells need. */
export type Directory = Pick<Storage, 'system' | 'security' | 'idempotency' | 'secrets' | 'cells'>;

/**
 * Returns the storage for the engine of a cell (cells §1 rule 1). The directory contains tenants, users and all data
 * that does not belong to a tenant. The cell contains all other data.
 */
export function cellStorage<Host>(
  name: Cell['name'],
  cell: Storage<Host>,
  directory: Directory,
): Storage<Host> {
  const { system, security, secrets } = directory;
  const idempotencyOf = ({ tenantRecordId }: { readonly tenantRecordId: number }) =>
    tenantRecordId === 0 ? directory.idempotency : cell.idempotency;
  const secretsOf = (kind: EncryptedKind) => (kind === EncryptedKind.TOKEN_KEY ? secrets : cell.secrets);
  return {
    read: (tenant, work) => cell.read(tenant, work),
    readInOneStatement: (tenant, work) => cell.readInOneStatement(tenant, work),
    readText: (tenant, work) => cell.readText(tenant, work),
    write: (tenant, authorship, work) => cell.write(tenant, authorship, work),
    takePaymentNumber: (tenant) => cell.takePaymentNumber(tenant),
    drawQuota: (tenant, draw) => cell.drawQuota(tenant, draw),
    recordUsage: (tenant, submissions) => cell.recordUsage(tenant, submissions),
    within: (host) => cellStorage(name, cell.within(host), directory),
    onCommit: (listener) => cell.onCommit(listener),
    onChange: (listener) => cell.onChange(listener),
    singleNode: cell.singleNode,
    queue: cell.queue,
    entries: cell.entries,
    monitoring: cell.monitoring,
    events: cell.events,
    push: cell.push,
    nodes: cell.nodes,
    sink: (sink) => cell.sink(sink),
    sinks: cell.sinks,
    system: {
      ...cell.system,
      findTenantsByIds: system.findTenantsByIds,
      findTenantsByRecordIds: system.findTenantsByRecordIds,
      findTenantByApiKey: system.findTenantByApiKey,
      pageTenants: system.pageTenants,
      insertTenant: async (tenant, authorship) => {
        const inserted = await directory.cells.insertTenant(tenant, name);
        await cell.cells.receiveTenant(inserted, authorship);
        await directory.cells.settle(inserted.recordId);
        return inserted;
      },
      findUserByName: system.findUserByName,
      insertUserIfAbsent: system.insertUserIfAbsent,
      updatePasswordHash: system.updatePasswordHash,
      readTestClock: system.readTestClock,
      writeTestClock: system.writeTestClock,
    },
    security,
    idempotency: {
      claim: (claim, bounds) => idempotencyOf(claim).claim(claim, bounds),
      keep: (claim, answer) => idempotencyOf(claim).keep(claim, answer),
      release: (claim) => idempotencyOf(claim).release(claim),
      purge: async (startedBeforeMs, limit) => {
        const purged = [cell, directory].map(({ idempotency }) => idempotency.purge(startedBeforeMs, limit));
        return (await Promise.all(purged)).reduce((sum, each) => sum + each, 0);
      },
    },
    secrets: {
      list: (kind, page) => secretsOf(kind).list(kind, page),
      replace: (kind, texts) => secretsOf(kind).replace(kind, texts),
    },
    checks: cell.checks,
    cells: directory.cells,
    moves: cell.moves,
    prepare: (policy) => cell.prepare(policy),
    poolUse: () => cell.poolUse(),
    close: () => cell.close(),
  };
}
