import type { CallContext, WithContext } from '../records/index.ts';
import { type AnyShape, type Shape, takerOf } from '../values/given/index.ts';
import type { Engine } from './engine.ts';
import { inputs } from './inputs.ts';
import type { Operations } from './operations.ts';

/** The operations as the services have them, which take values and no text. */
export type StrictOperations = Engine['operations'];

type Operation = (context: CallContext, ...input: unknown[]) => unknown;

/** A parameter that may hold text: its name in errors, and where in it the texts are. An object is named by its fields. */
type Parameter<T> = [Shape<T>] extends [never] ? null : readonly [name: string, shape: Shape<T>];

type ParametersOf<O> = O extends (context: CallContext, ...input: infer P) => unknown
  ? { readonly [I in keyof P]-?: Parameter<P[I]> }
  : never;

type TakesText<O> = Exclude<ParametersOf<O>[keyof ParametersOf<O> & number], null>;

/** Of each operation that takes a value as text, its parameters. */
export type Inputs = {
  readonly [G in keyof StrictOperations]: {
    readonly [N in keyof StrictOperations[G] as [TakesText<StrictOperations[G][N]>] extends [never]
      ? never
      : N]: ParametersOf<StrictOperations[G][N]>;
  };
};

/** Opens the operations to hosts: texts are read on the way in, and the frequent ones have a short name. */
export function frontDoor(strict: StrictOperations): Operations<WithContext> {
  const groups = Object.entries(strict).map(([name, group]) => [
    name,
    opened(group as Readonly<Record<string, Operation>>, inputs[name as keyof Inputs]),
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

type AnyParameters = readonly (readonly [string, AnyShape] | null)[];

function opened(
  group: Readonly<Record<string, Operation>>,
  parameters: Readonly<Record<string, AnyParameters>>,
) {
  const operations = Object.entries(group).map(([name, operation]) => {
    const own = parameters[name];
    return [name, own === undefined ? operation : takingText(operation, own)];
  });
  return Object.freeze(Object.fromEntries(operations));
}

function takingText(operation: Operation, parameters: AnyParameters): Operation {
  const takers = parameters.flatMap((parameter, index) => {
    if (parameter === null) return [];
    const [name, shape] = parameter;
    const isRecord = typeof shape === 'object' && !Array.isArray(shape);
    return [{ index, at: isRecord ? '' : name, take: takerOf(shape) }];
  });
  return async (context, ...input) => {
    for (const { index, at, take } of takers) input[index] = take(input[index], at);
    return operation(context, ...input);
  };
}
