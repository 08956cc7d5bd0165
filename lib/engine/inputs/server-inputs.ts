import type { NodeOperations } from '../../nodes/index.ts';
import type { BacklogOperations } from '../../queues/index.ts';
import type { SecurityOperations } from '../../security/index.ts';
import type { TenantOperations } from '../../tenants/index.ts';
import { type AnyInput, type InputShape, parameterOf } from '../../values/host-values/index.ts';
import { eventInputs, waitInputs } from './call-inputs.ts';
import { chosenEntries, id, must, orNull, page, queueLook } from './input-shapes.ts';
import { author, securityInputs } from './security-inputs.ts';

type Parameter<T> = readonly [name: string, shape: InputShape<T>];

/** The parameters of each operation that takes parameters. Groups can be nested. */
type InputsOf<O> = {
  readonly [N in keyof O as ParametersOf<O[N]> extends readonly [] ? never : N]: ParametersOf<O[N]>;
};

type ParametersOf<O> = O extends (...given: infer P) => unknown
  ? { readonly [I in keyof P]-?: Parameter<P[I]> }
  : InputsOf<O>;

interface ServerOperations {
  readonly tenants: TenantOperations;
  readonly security: SecurityOperations;
  readonly nodes: NodeOperations;
  readonly backlog: BacklogOperations;
}

const tenant = [
  'input',
  {
    // The operation throws its own error if the key or secret is missing.
    apiKey: 'text',
    apiSecret: 'text',
    externalKey: orNull('text'),
    useGlobalDefault: 'flag',
    cell: orNull('text'),
  },
] as const;
const properties = must([must({ key: must('text') })]);
const look = [
  'request?',
  { ...queueLook, from: 'instant', to: 'instant', tenantId: orNull('uuid') },
] as const;

const chosen = [['request', { ...chosenEntries[1], tenantId: orNull('uuid') }]] as const;

const described = {
  tenants: {
    create: [author, tenant],
    ensure: [author, tenant],
    get: [['tenantId', 'uuid']],
    getByApiKey: [['apiKey', 'text']],
    page: [page, ['choice?', { ids: orNull([id]), apiKeyPrefix: orNull('text') }]],
    authenticate: [
      ['apiKey', 'text'],
      ['apiSecret', 'text'],
    ],
    refOf: [['tenantId', 'uuid']],
  },
  security: securityInputs,
  nodes: {
    command: [
      author,
      ['command', { type: must('text'), properties, isSystemCommand: 'flag' }],
      ['options?', { localOnly: 'flag' }],
    ],
    dropCaches: [author, ['tenant?', { id: must('uuid'), recordId: must('count') }]],
  },
  backlog: { late: [look], busy: [look], failed: [look], putBack: chosen, free: chosen },
} as const satisfies InputsOf<ServerOperations>;

/** The inputs, by group, of the operations that do not belong to a tenant. */
export const serverInputs = { ...described, ...waitInputs, ...eventInputs };

type ServerGroup = Exclude<keyof typeof serverInputs, keyof typeof waitInputs>;

type Operation = (...given: readonly unknown[]) => unknown;

type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

interface GroupInputs {
  readonly [name: string]: Parameters | GroupInputs;
}

/**
 * Wraps the operations of a group, so that each first checks its parameters.
 * @throws (on a call) BillingError 60003.
 */
export function checkedOperations<G extends object>(group: ServerGroup, operations: G): G {
  return checkedGroup(operations, serverInputs[group]);
}

/** Wraps the operations that control background work, so that each first checks its parameters. */
export function checkedControl<O extends object>(operations: O): O {
  return checkedGroup(operations, waitInputs);
}

function checkedGroup<G extends object>(group: G, inputs: GroupInputs): G {
  const checked = Object.entries(inputs).map(([name, own]) => {
    const member: unknown = Reflect.get(group, name);
    return [
      name,
      isParameters(own) ? checkedOperation(member as Operation, own) : checkedGroup(Object(member), own),
    ];
  });
  return Object.freeze<G>({ ...group, ...Object.fromEntries(checked) });
}

function isParameters(inputs: Parameters | GroupInputs): inputs is Parameters {
  return Array.isArray(inputs);
}

function checkedOperation(operation: Operation, parameters: Parameters): Operation {
  const takers = parameters.map(([name, shape]) => parameterOf(name, shape));
  return async (...values) => await operation(...takers.map((take, index) => take(values[index])));
}
