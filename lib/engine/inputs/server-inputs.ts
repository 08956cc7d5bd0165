import { type AnyInput, parameterOf } from '../../values/host-values/index.ts';
import { chosenEntries, must, orNull, queueLook } from './input-shapes.ts';

type Parameters = readonly (readonly [name: string, shape: AnyInput])[];

const author = [
  'author',
  {
    userName: must('text'),
    reasonCode: orNull('text'),
    comments: orNull('text'),
    userToken: 'uuid',
  },
] as const;
const tenant = [
  'input',
  {
    // The operation has its own message for an absent key or secret.
    apiKey: 'text',
    apiSecret: 'text',
    externalKey: orNull('text'),
    useGlobalDefault: 'flag',
  },
] as const;
const properties = must([must({ key: must('text') })]);
const look = [
  'request?',
  { ...queueLook, from: 'instant', to: 'instant', tenantId: orNull('uuid') },
] as const;

/** The inputs of the operations that belong to no tenant, by group. */
export const serverInputs = {
  tenants: {
    create: [author, tenant],
    ensure: [author, tenant],
    get: [['tenantId', 'uuid']],
    getByApiKey: [['apiKey', 'text']],
    authenticate: [
      ['apiKey', 'text'],
      ['apiSecret', 'text'],
    ],
    refOf: [['tenantId', 'uuid']],
  },
  nodes: {
    command: [
      author,
      ['command', { type: must('text'), properties, isSystemCommand: 'flag' }],
      ['options?', { localOnly: 'flag' }],
    ],
    dropCaches: [author, ['tenant?', { id: must('uuid'), recordId: must('count') }]],
  },
  backlog: { late: [look], busy: [look], failed: [look], putBack: [chosenEntries], free: [chosenEntries] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Parameters>>>>;

type Operation = (...given: readonly unknown[]) => unknown;

/** Returns the operations of a group, which first check their parameters. @throws (on a call) BillingError 60003. */
export function checkedOperations<G extends object>(group: keyof typeof serverInputs, operations: G): G {
  const inputs: Readonly<Record<string, Parameters>> = serverInputs[group];
  const given = Object.entries(operations) as (readonly [name: string, operation: Operation])[];
  const checked = given.map(([name, operation]) => {
    const takers = (inputs[name] ?? []).map(([own, shape]) => parameterOf(own, shape));
    return [
      name,
      async (...values: readonly unknown[]) => operation(...takers.map((take, index) => take(values[index]))),
    ];
  });
  return Object.freeze<G>({ ...operations, ...Object.fromEntries(checked) });
}
