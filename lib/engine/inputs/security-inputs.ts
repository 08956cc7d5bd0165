import { PrincipalKind } from '../../records/index.ts';
import { id, must, oneOf, orNull, page, texts } from './input-shapes.ts';

const grants = { allTenants: must('flag'), tenantIds: must([id]) } as const;
const principal = {
  ...grants,
  kind: must(oneOf(PrincipalKind)),
  name: must('text'),
  credentialVersion: must('count'),
  permissions: must(texts),
} as const;

/** The author of a change to data that does not belong to a tenant. */
export const author = [
  'author',
  {
    userName: must('text'),
    reasonCode: orNull('text'),
    comments: orNull('text'),
    userToken: 'uuid',
    principal: orNull(principal),
  },
] as const;

const name = ['name', 'text'] as const;
const password = ['password', 'text'] as const;
const viewer = ['viewer?', principal] as const;
const policy = ['policy', { allowShort: 'flag' }] as const;
const roles = { name: must('text'), roles: must(texts), allowsUndefinedRoles: orNull('flag') } as const;
const role = ['definition', { name: must('text'), permissions: must(texts) }] as const;
const tenantIds = orNull([id]);
const idleMs = orNull('count');

/** The inputs of the operations on users, roles, clients, sessions and keys. */
export const securityInputs = {
  principal: [['kind', oneOf({ USER: PrincipalKind.USER, CLIENT: PrincipalKind.CLIENT })], name],
  permissionsOf: [['roles', texts]],
  authenticate: [name, password],
  find: [name],
  ensureAdministrator: [name, password],
  setPassword: [name, password],
  users: {
    create: [author, ['input', { ...roles, password: must('text'), tenantIds }], policy],
    get: [name, viewer],
    page: [page, viewer],
    changePassword: [author, ['input', { name: must('text'), password: must('text') }], policy],
    setRoles: [author, ['input', roles]],
    setGrants: [author, ['input', { ...grants, name: must('text') }]],
    deactivate: [author, name],
  },
  roles: { get: [name], create: [author, role], put: [author, role] },
  clients: {
    create: [
      author,
      ['input', { name: must('text'), secret: must('text'), roles: must(texts), tenantIds }],
      policy,
    ],
    get: [name, viewer],
    authenticate: [name, ['secret', 'text']],
    deactivate: [author, name],
  },
  sessions: {
    start: [
      ['user', principal],
      ['session', { tokenHash: must('text'), host: orNull('text'), idleMs }],
    ],
    find: [
      ['tokenHash', 'text'],
      ['idleMs?', 'count'],
    ],
    end: [['tokenHash', 'text']],
  },
  guard: {
    attempt: [
      [
        'attempt',
        {
          kind: must(oneOf({ user: 'user', client: 'client', tenant: 'tenant' })),
          name: must('text'),
          address: orNull('text'),
        },
      ],
      ['check', 'function'],
    ],
  },
  tokenKeys: { signer: [['make', 'function']], published: [['graceMs', 'number']] },
} as const;
