import { cellViews, moveTenant, undoMove } from '../../cells/index.ts';
import type { Breach } from '../../check/index.ts';
import type { NodeOperations } from '../../nodes/index.ts';
import type { BacklogOperations, OfOneTenant, QueueLookRequest } from '../../queues/index.ts';
import type { TenantRef } from '../../records/index.ts';
import type { NewTenantInput, TenantOperations } from '../../tenants/index.ts';
import { billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_SHOWN_ENTRIES } from '../../values/limits.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Billing } from '../billing.ts';
import type { CellEngine } from './cell-engine.ts';
import type { CellRouter } from './cell-router.ts';
import type { CellOperations, CellsOptions } from './cells-options.ts';

/** Returns the operations that let operators manage cells. */
export function cellOperations<Host>(
  router: CellRouter<Host>,
  given: CellsOptions<Host>,
  lateThresholdMs: number,
): CellOperations {
  const tenantOf = async (tenant: TenantRef | Uuid | string): Promise<TenantRef> =>
    (await router.any.call(({ context }) => context({ tenant, user: '' }))).tenant;
  return {
    list: () => cellViews({ ...given, lateThresholdMs }),
    move: async (tenant, options) => {
      const result = await moveTenant(router.moveParts, await tenantOf(tenant), options);
      await router.places.look();
      return result;
    },
    undoMove: async (tenant, options) => {
      const isUndone = await undoMove(router.moveParts, await tenantOf(tenant), options);
      await router.places.look();
      return isUndone;
    },
    of: async (wanted) => {
      const tenant = await tenantOf(wanted);
      const place = await router.places.find(tenant.recordId);
      if (place !== null) {
        const { cell, otherCell, state } = place;
        return { tenantId: place.tenant.id, cell, otherCell, state };
      }
      throw billingError(
        ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
        `Tenant does not exist for id ${tenant.id}`,
        { tenantId: tenant.id },
      );
    },
  };
}

/** Returns the operations that create tenants in a cell. */
export function cellTenants<Host>(
  router: CellRouter<Host>,
  list: CellOperations['list'],
): Pick<TenantOperations, 'create' | 'ensure'> {
  /**
   * Returns the given cell. By default, returns the cell with the fewest accounts. If several cells have equally few,
   * returns the one with the fewest tenants.
   */
  const chooseCell = async (name: unknown): Promise<CellEngine<Host>> => {
    const names = router.cells.map((cell) => cell.name);
    if (name != null) {
      if (typeof name === 'string' && names.includes(name)) return router.named(name);
      throw invalidField(`There is no cell "${name}". The cells are: ${names.join(', ')}`, { field: 'cell' });
    }
    const [emptiest] = (await list())
      .filter((cell) => cell.accounts !== null)
      .toSorted((one, other) => (one.accounts ?? 0) - (other.accounts ?? 0) || one.tenants - other.tenants);
    return emptiest === undefined ? router.any : router.named(emptiest.name);
  };
  const inCell = (input: NewTenantInput) => {
    const { cell, ...tenant } = Object(input) as NewTenantInput;
    return { cell, tenant };
  };
  return {
    create: async (author, input) => {
      const { cell, tenant } = inCell(input);
      return (await chooseCell(cell)).call(({ tenants }) => tenants.create(author, tenant));
    },
    ensure: async (author, input) => {
      const { cell, tenant } = inCell(input);
      return (await chooseCell(cell)).call(({ tenants }) => tenants.ensure(author, tenant));
    },
  };
}

/** Returns the queue operations of one tenant or of all cells. */
export function cellBacklog<Host>(router: CellRouter<Host>): BacklogOperations {
  const callBacklogs = async <T>(
    request: OfOneTenant | undefined,
    work: (backlog: BacklogOperations) => Promise<T>,
  ): Promise<readonly T[]> =>
    request?.tenantId == null
      ? router.all(({ backlog }) => work(backlog))
      : [await router.call(request.tenantId, ({ backlog }) => work(backlog))];
  const oldest = <V extends { readonly dueDate: Date }>(
    found: readonly (readonly V[])[],
    { limit = MAX_SHOWN_ENTRIES }: Pick<QueueLookRequest, 'limit'> = {},
  ) =>
    found
      .flat()
      .toSorted((one, other) => one.dueDate.getTime() - other.dueDate.getTime())
      .slice(0, limit);
  const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);
  return {
    late: async (request) => oldest(await callBacklogs(request, (each) => each.late(request)), request),
    busy: async (request) => oldest(await callBacklogs(request, (each) => each.busy(request)), request),
    failed: async (request) => oldest(await callBacklogs(request, (each) => each.failed(request)), request),
    // Each cell skips the record ids of the other cells.
    putBack: async (request) => sum(await callBacklogs(request, (each) => each.putBack(request))),
    free: async (request) => sum(await callBacklogs(request, (each) => each.free(request))),
  };
}

/** Returns the operations on nodes. Every node has one engine for each cell. */
export function cellNodes<Host>(router: CellRouter<Host>, own: NodeOperations): NodeOperations {
  return {
    list: async () => {
      const found = (await router.all(({ nodes }) => nodes.list())).flat();
      return found.filter(
        ({ nodeName }, index) => found.findIndex((each) => each.nodeName === nodeName) === index,
      );
    },
    local: () => own.local(),
    command: async (...given) => {
      await router.all(({ nodes }) => nodes.command(...given));
    },
    dropCaches: async (author, tenant) => {
      if (tenant == null) await router.all(({ nodes }) => nodes.dropCaches(author));
      else await router.call(tenant, ({ nodes }) => nodes.dropCaches(author, tenant));
    },
  };
}

/** Returns the operations that check the data of one tenant or of all cells. */
export function cellChecks<Host>(router: CellRouter<Host>): Billing['checks'] {
  return {
    aheadOfClock: async () => {
      const ahead = await router.all(({ checks }) => checks.aheadOfClock());
      return ahead.reduce<Instant | null>(
        (latest, each) => (each !== null && (latest === null || each > latest) ? each : latest),
        null,
      );
    },
    breaches: (tenant, checked) => breaches(router, tenant ?? null, checked),
  };
}

/**
 * Checks the cells one after another. If a check fails, still checks the remaining cells, then throws the first
 * failure.
 */
async function* breaches<Host>(
  router: CellRouter<Host>,
  tenant: TenantRef | null,
  checked: (accounts: number) => void = () => undefined,
): AsyncIterable<Breach> {
  const cells = tenant === null ? router.cells : [await router.of(tenant)];
  const failures: unknown[] = [];
  let before = 0;
  for (const cell of cells) {
    let accounts = 0;
    try {
      yield* cell.engine.billing.checks.breaches(tenant, (count) => {
        accounts = count;
        checked(before + accounts);
      });
    } catch (error) {
      failures.push(cell.named(error));
    }
    before += accounts;
  }
  if (failures.length > 0) throw failures[0];
}
