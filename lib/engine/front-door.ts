import type { Page, WithContext } from '../records/index.ts';
import type { TenantOperations, TenantService } from '../tenants/index.ts';
import { type AnyShape, readableBy, takerOf } from '../values/given/index.ts';
import type { StrictOperations } from './engine.ts';
import { type Inputs, inputs } from './inputs.ts';
import { methodsOf } from './methods-of.ts';
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
    opened(group as Group, { takes: inputs[name as keyof Inputs], gives: shown[name] ?? {}, first: 1 }),
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
    generateInvoice: open.invoices.generate,
    getInvoice: open.invoices.get,
  });
}

/** Tenants stand above the other operations: theirs have no context. */
export function openedTenants(tenants: TenantService): TenantOperations {
  const group: unknown = methodsOf(tenants, 'create', 'get', 'getByApiKey', 'authenticate', 'refOf');
  const takes: Door['takes'] = { get: [['tenantId', 'uuid']], refOf: [['tenantId', 'uuid']] };
  const gives: Door['gives'] = {
    create: { createdDate: 'instant' },
    get: { createdDate: 'instant' },
    getByApiKey: { createdDate: 'instant' },
  };
  return opened(group as Group, { takes, gives, first: 0 }) as never;
}

type AnyParameters = readonly (readonly [string, AnyShape] | null)[];

/** What the operations of a group take as text, and which of their answers are made readable. */
interface Door {
  readonly takes: Readonly<Record<string, AnyParameters>>;
  readonly gives: Readonly<Record<string, AnyShape>>;
  /** Index of the parameter that the first of `takes` describes. */
  readonly first: number;
}

function opened(group: Group, { takes, gives, first }: Door) {
  const operations = Object.entries(group).map(([name, operation]) => {
    const [taken, given] = [takes[name], gives[name]];
    const taking = taken === undefined ? operation : takingText(operation, taken, first);
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

function takingText(operation: Operation, parameters: AnyParameters, first: number): Operation {
  const takers = parameters.flatMap((parameter, index) => {
    if (parameter === null) return [];
    const [name, shape] = parameter;
    const isRecord = typeof shape === 'object' && !Array.isArray(shape);
    return [{ index: first + index, at: isRecord ? '' : name, take: takerOf(shape) }];
  });
  return async (...given) => {
    for (const { index, at, take } of takers) given[index] = take(given[index], at);
    return operation(...given);
  };
}
