import { catalogVersionView, catalogView, plainPlan, writeCatalogXml } from '../catalog/index.ts';
import type { NodeOperations, NodeService } from '../nodes/index.ts';
import type { EventSubscriptionOperations } from '../push/index.ts';
import {
  type NodeInfo,
  nodeFields,
  type Page,
  type Tenant,
  tenantFields,
  type WithContext,
} from '../records/index.ts';
import type { PlanInForce } from '../subscriptions/index.ts';
import type { TenantOperations, TenantService } from '../tenants/index.ts';
import { shapeOf } from '../values/fields/index.ts';
import {
  type AnyInput,
  type AnyShape,
  type Plain,
  parameterOf,
  plainBy,
} from '../values/host-values/index.ts';
import { checkContext, idOf, tenantRefOf } from './calls.ts';
import type { Engine, StrictOperations } from './engine.ts';
import { frequentOperations } from './frequent-operations.ts';
import { type Inputs, inputs } from './inputs/inputs.ts';
import { checkedOperations } from './inputs/server-inputs.ts';
import type { Operations, PlainOperations, PlanInForceView } from './operations.ts';
import { plainAnswers } from './plain-answers.ts';

type Operation = (...given: unknown[]) => unknown;

type Group = Readonly<Record<string, Operation>>;

/**
 * Returns the operations for hosts and adapters. These operations accept strings. Frequently used operations also have
 * a short name.
 */
export function hostOperations(strict: StrictOperations): Operations<WithContext> {
  const groups = Object.entries(strict).map(([name, group]) => {
    const takes: Readonly<Record<string, AnyParameters>> = inputs[name as keyof Inputs];
    return [name, eachOperation(group as Group, (operation, own) => takingText(operation, takes[own]))];
  });
  return withFrequent(Object.fromEntries(groups));
}

/** Returns the operations with plain results: dates as text, instants as `Date`. */
export function plainOperations(open: Operations<WithContext>): PlainOperations<WithContext> {
  const answers: Readonly<Record<string, Readonly<Record<string, AnyShape>>>> = plainAnswers;
  const groups = Object.entries<object>({ ...open }).flatMap(([name, group]) => {
    const shapes = answers[name];
    if (shapes === undefined) return [];
    return [[name, eachOperation(group as Group, (operation, own) => givingPlain(operation, shapes[own]))]];
  });
  const { catalogs, subscriptions, ...others } = Object.fromEntries(groups) as Record<string, Group>;
  return withFrequent({
    ...others,
    catalogs: {
      ...catalogs,
      current: async (...given: Parameters<typeof open.catalogs.current>) => {
        const catalog = await open.catalogs.current(...given);
        return catalogView(catalog, () => writeCatalogXml(catalog));
      },
    },
    subscriptions: {
      ...subscriptions,
      planAt: async (...given: Parameters<typeof open.subscriptions.planAt>) =>
        planInForceView(await open.subscriptions.planAt(...given)),
    },
  });
}

function planInForceView({ version, chosenAt, decided, plan, ...inForce }: PlanInForce): PlanInForceView {
  return {
    ...inForce,
    plan: plainPlan(plan),
    version: catalogVersionView(version),
    chosenAt: new Date(chosenAt),
    decided: new Date(decided),
  };
}

function withFrequent<O>(groups: object): O {
  const found = groups as Readonly<Record<string, Group>>;
  const short = Object.entries(frequentOperations).map(([name, [group, own]]) => [name, found[group]?.[own]]);
  return Object.freeze({ ...groups, ...Object.fromEntries(short) }) as O;
}

function eachOperation(group: Group, change: (operation: Operation, name: string) => Operation): Group {
  const changed = Object.entries(group).map(([name, operation]) => [name, change(operation, name)]);
  return Object.freeze(Object.fromEntries(changed));
}

/** Returns the operations on tenants. These operations take no context. */
export function openedTenants(tenants: TenantService): TenantOperations {
  return checkedOperations<TenantOperations>('tenants', {
    create: async (author, input) => plainTenant(await tenants.create(author, input)),
    ensure: async (author, input) => plainTenant(await tenants.ensure(author, input)),
    get: async (tenantId) => plainTenant(await tenants.get(idOf(tenantId, 'tenantId'))),
    getByApiKey: async (apiKey) => plainTenant(await tenants.getByApiKey(apiKey)),
    page: async (request, choice) => {
      const page = await tenants.page(request, choice);
      return { ...page, rows: page.rows.map(plainTenant) };
    },
    authenticate: (apiKey, apiSecret) => tenants.authenticate(apiKey, apiSecret),
    refOf: async (tenantId) => tenants.refOf(idOf(tenantId, 'tenantId')),
  });
}

/** Returns the operation that subscribes to events, by default to events of all tenants. */
export function eventSubscriptionOperations({
  events,
  tenants,
}: Pick<Engine, 'events' | 'tenants'>): EventSubscriptionOperations {
  return checkedOperations<EventSubscriptionOperations>('events', {
    subscribe: async ({ tenant, ...request }) =>
      events.subscriptions.subscribe({
        ...request,
        tenant: tenant == null ? null : await tenantRefOf(tenant, (id) => tenants.refOf(id)),
      }),
  });
}

const plainTenant = plainBy(shapeOf(tenantFields)) as (tenant: Tenant) => Plain<Tenant>;

/** Returns the operations on nodes. They take no tenant. */
export function openedNodes(nodes: NodeService): NodeOperations {
  return checkedOperations<NodeOperations>('nodes', {
    list: async () => (await nodes.list()).map(plainNode),
    local: async () => plainNode(await nodes.local()),
    command: (author, command, options) => nodes.command(author, command, options),
    dropCaches: (author, tenant) => nodes.dropCaches(author, tenant),
  });
}

const plainNode = plainBy(shapeOf(nodeFields)) as (node: NodeInfo) => Plain<NodeInfo>;

type AnyParameters = readonly (readonly [name: string, shape: AnyInput])[];

/** Converts the result of an operation to plain values. The result is one view, or a list, page or stream of views. */
function givingPlain(operation: Operation, shape: AnyShape | undefined): Operation {
  if (shape === undefined) return operation;
  const plain = plainBy(shape);
  return async (...given) => {
    const answer = await operation(...given);
    if (Array.isArray(answer)) return answer.map(plain);
    if (isStream(answer)) return eachPlain(answer, plain);
    return isPage(answer) ? { ...answer, rows: answer.rows.map(plain) } : plain(answer);
  };
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

async function* eachPlain(answer: AsyncIterable<unknown>, plain: (part: unknown) => unknown) {
  for await (const part of answer) yield plain(part);
}

function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === 'object' && answer !== null && 'rows' in answer && Array.isArray(answer.rows);
}

/** Checks the context and the other parameters of an operation, and converts strings to typed values. */
function takingText(operation: Operation, parameters: AnyParameters | undefined): Operation {
  if (parameters === undefined)
    return async (context, ...given) => {
      checkContext(context);
      return await operation(context, ...given);
    };
  const takers = parameters.map(([name, shape]) => parameterOf(name, shape));
  return async (context, ...given) => {
    checkContext(context);
    const taken = takers.map((take, index) => take(given[index]));
    return await operation(context, ...taken);
  };
}
