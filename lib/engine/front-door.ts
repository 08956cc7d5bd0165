import type { NodeOperations, NodeService } from '../nodes/index.ts';
import type { EventSubscriptionOperations } from '../push/index.ts';
import type { NodeInfo, Page, Tenant, WithContext } from '../records/index.ts';
import type { TenantOperations, TenantService } from '../tenants/index.ts';
import { type AnyShape, readableBy, type Shape, takerOf } from '../values/given/index.ts';
import { idOf } from './caller.ts';
import type { Engine, StrictOperations } from './engine.ts';
import { type Inputs, inputs } from './inputs.ts';
import type { Operations } from './operations.ts';
import { outputs } from './outputs.ts';

type Operation = (...given: unknown[]) => unknown;

type Group = Readonly<Record<string, Operation>>;

/**
 * Opens the operations to hosts: reads texts on the way in, makes views readable as JSON, and gives the frequent
 * operations a short name.
 */
export function frontDoor(strict: StrictOperations): Operations<WithContext> {
  const shown: Readonly<Record<string, Readonly<Record<string, AnyShape>>>> = outputs;
  const groups = Object.entries(strict).map(([name, group]) => [
    name,
    opened(group as Group, { takes: inputs[name as keyof Inputs], gives: shown[name] ?? {} }),
  ]);
  const open = Object.fromEntries(groups) as Operations<WithContext>;
  return Object.freeze({
    ...open,
    uploadCatalog: open.catalogs.upload,
    createAccount: open.accounts.create,
    updateAccount: open.accounts.update,
    anonymizeAccount: open.accounts.anonymize,
    getAccount: open.accounts.get,
    addPaymentMethod: open.paymentMethods.add,
    createSubscription: open.subscriptions.create,
    getSubscription: open.subscriptions.get,
    recordUsage: open.usage.record,
    generateInvoice: open.invoices.generate,
    getInvoice: open.invoices.get,
    explainOverdue: open.overdue.explain,
  });
}

/** Tenants stand above the other operations: theirs have no context. */
export function openedTenants(tenants: TenantService): TenantOperations {
  return Object.freeze<TenantOperations>({
    create: async (author, input) => readableTenant(await tenants.create(author, input)),
    get: async (tenantId) => readableTenant(await tenants.get(idOf(tenantId, 'tenantId'))),
    getByApiKey: async (apiKey) => readableTenant(await tenants.getByApiKey(apiKey)),
    authenticate: (apiKey, apiSecret) => tenants.authenticate(apiKey, apiSecret),
    refOf: async (tenantId) => tenants.refOf(idOf(tenantId, 'tenantId')),
  });
}

/** Gives events to handlers of the host; those of all tenants unless one is named. */
export function subscribing({
  events,
  tenants,
}: Pick<Engine, 'events' | 'tenants'>): EventSubscriptionOperations {
  return {
    subscribe: async ({ tenant, ...request }) =>
      events.subscriptions.subscribe({
        ...request,
        tenant: typeof tenant === 'string' ? await tenants.refOf(idOf(tenant, 'tenant')) : (tenant ?? null),
      }),
  };
}

const makeTenantReadable = readableBy({ createdDate: 'instant' } satisfies Shape<Tenant, 'instant'>);

function readableTenant(tenant: Tenant): Tenant {
  makeTenantReadable(tenant);
  return tenant;
}

/** Nodes belong to no tenant. */
export function openedNodes(nodes: NodeService): NodeOperations {
  return Object.freeze<NodeOperations>({
    list: async () => (await nodes.list()).map(readableNode),
    local: async () => readableNode(await nodes.local()),
    command: (author, command, options) => nodes.command(author, command, options),
    dropCaches: (author, tenant) => nodes.dropCaches(author, tenant),
  });
}

const makeNodeReadable = readableBy({ bootDate: 'instant', lastUpdatedDate: 'instant' } satisfies Shape<
  NodeInfo,
  'instant'
>);

function readableNode(node: NodeInfo): NodeInfo {
  makeNodeReadable(node);
  return node;
}

type AnyParameters = readonly (readonly [string, AnyShape] | null)[];

/** What the operations of a group take as text, and which of their answers are made readable. */
interface Door {
  readonly takes: Readonly<Record<string, AnyParameters>>;
  readonly gives: Readonly<Record<string, AnyShape>>;
}

function opened(group: Group, { takes, gives }: Door) {
  const operations = Object.entries(group).map(([name, operation]) => {
    const [taken, given] = [takes[name], gives[name]];
    const taking = taken === undefined ? operation : takingText(operation, taken);
    return [name, given === undefined ? taking : givingReadable(taking, given)];
  });
  return Object.freeze(Object.fromEntries(operations));
}

/** Makes the answer readable: the view itself, each one of a list, or each one of a page. */
function givingReadable(operation: Operation, shape: AnyShape): Operation {
  const makeReadable = readableBy(shape);
  return async (...given) => {
    const answer = await operation(...given);
    if (Array.isArray(answer)) answer.forEach(makeReadable);
    else if (isPage(answer)) answer.rows.forEach(makeReadable);
    else makeReadable(answer);
    return answer;
  };
}

function isPage(answer: unknown): answer is Page<unknown> {
  return typeof answer === 'object' && answer !== null && 'rows' in answer && Array.isArray(answer.rows);
}

/** Parameters come after the context. */
function takingText(operation: Operation, parameters: AnyParameters): Operation {
  const takers = parameters.flatMap((parameter, index) => {
    if (parameter === null) return [];
    const [name, shape] = parameter;
    const isRecord = typeof shape === 'object' && !Array.isArray(shape);
    return [{ index: index + 1, at: isRecord ? '' : name, take: takerOf(shape) }];
  });
  return async (...given) => {
    for (const { index, at, take } of takers) given[index] = take(given[index], at);
    return operation(...given);
  };
}
