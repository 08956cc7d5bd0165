import { BillingError, ErrorCode, GatewayError, RetryLater } from '../../lib/index.ts';

const trap = (): never => {
  throw new Error('a trap');
};
const everyTrap: ProxyHandler<object> = {
  get: trap,
  has: trap,
  ownKeys: trap,
  getPrototypeOf: trap,
  getOwnPropertyDescriptor: trap,
};

/** An error whose members throw when read. */
function withThrowing<E extends Error>(error: E, ...members: readonly string[]): E {
  for (const member of members) Object.defineProperty(error, member, { get: trap, enumerable: true });
  return error;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
  revoke();
  return proxy;
}

/** Throws that are worse than errors. */
export const hostileThrows: Readonly<Record<string, () => unknown>> = {
  'an error whose members throw': () =>
    withThrowing(new Error('x'), 'message', 'name', 'stack', 'cause', 'toString', 'toJSON'),
  'a declared error whose message throws': () => withThrowing(new GatewayError('x'), 'message'),
  'an error of the engine whose members throw': () =>
    withThrowing(
      new BillingError({ code: ErrorCode.INVALID_PARAMETER, message: 'x' }),
      'message',
      'code',
      'facts',
    ),
  'a RetryLater whose delay throws': () => withThrowing(new RetryLater(1), 'delayMs', 'message'),
  'a proxy that throws at every touch': () => new Proxy(new Error('x'), everyTrap),
  'a revoked proxy': revoked,
  'an error with a hostile cause': () => new Error('x', { cause: new Proxy({}, everyTrap) }),
  null: () => null,
  undefined: () => undefined,
  'a symbol': () => Symbol('x'),
  'a function': () => trap,
  'an object without a text': () => Object.create(null),
  'an object whose text throws': () => ({ toString: trap, [Symbol.toPrimitive]: trap }),
};

export const hostileAnswers: Readonly<Record<string, () => unknown>> = {
  'an object whose "then" throws': () => Object.defineProperty({}, 'then', { get: trap }),
  'a thenable that throws': () => thenable(trap),
  'a thenable that is rejected twice': () =>
    thenable((_resolve: unknown, reject: (reason: unknown) => void) => {
      reject(new Proxy(new Error('x'), everyTrap));
      trap();
    }),
  'a promise that is rejected': () => Promise.reject(new Proxy(new Error('x'), everyTrap)),
  'a promise of an object whose members throw': () => Promise.resolve(throwingMembers()),
  'an object whose members throw': throwingMembers,
  'a list whose members throw': () => [throwingMembers(), new Proxy({}, everyTrap)],
  'a proxy that throws at every touch': () => new Proxy(() => undefined, everyTrap),
  'members that are rejected promises': () =>
    Object.fromEntries(members.map((name) => [name, Promise.reject(new Error('nobody awaits this'))])),
  'a list of rejected promises': () => [Promise.reject(new Error('nobody awaits this'))],
  'a stream that throws': () => ({ [Symbol.asyncIterator]: trap }),
  'a stream whose parts throw': () => ({
    [Symbol.asyncIterator]: () => ({ next: () => throwingMembers(), return: trap }),
  }),
  'a stream that is rejected': () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Proxy(new Error('x'), everyTrap)),
      return: () => Promise.reject(new Error('nobody awaits this')),
    }),
  }),
  'a symbol': () => Symbol('x'),
};

const members = [
  ...[
    'status',
    'amount',
    'currency',
    'kbPaymentId',
    'kbTransactionPaymentId',
    'transactionType',
    'properties',
  ],
  ...[
    'items',
    'groups',
    'aborted',
    'rescheduleDate',
    'abort',
    'replace',
    'name',
    'versions',
    'rows',
    'total',
  ],
  ...[
    'formFields',
    'formUrl',
    'headers',
    'entity',
    'dispute',
    'isAborted',
    'adjustedAmount',
    'adjustedCurrency',
  ],
  ...['bytes', 'missingCharacters', 'date', 'nextRetryDate', 'externalPaymentMethodId', 'text'],
];

function thenable(then: (resolve: unknown, reject: (reason: unknown) => void) => void): object {
  return Object.defineProperty({}, 'then', { value: then });
}

function throwingMembers(): object {
  const answer = {};
  for (const name of members) Object.defineProperty(answer, name, { get: trap, enumerable: true });
  return answer;
}
