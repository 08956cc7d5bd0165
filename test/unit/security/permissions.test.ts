import {
  checkKnownPermissions,
  isPermitted,
  joinPermissions,
  normalisePermissions,
} from '../../../lib/security/permissions.ts';
import { BillingError, expect } from '../../support/unit.ts';

describe('permissions', () => {
  const stored: readonly (readonly [given: readonly string[], stored: readonly string[]])[] = [
    // platform P8
    [
      ['invoice:credit', 'invoice:item_adjust', 'user', 'tag:', ''],
      ['invoice:credit', 'invoice:item_adjust', 'user:*', 'tag:*'],
    ],
    [['account:create', '*'], ['*']],
    [['account:create', '*:*'], ['*:*']],
    [
      ['account:create', 'account', 'account:update', 'tag:add'],
      ['account:*', 'tag:add'],
    ],
    [['tag:add', 'tag:add'], ['tag:add']],
    [['my-plugin:do it'], ['my-plugin:do it']],
    [['', ''], []],
  ];
  for (const [given, expected] of stored)
    it(`are stored as ${JSON.stringify(expected)} if given as ${JSON.stringify(given)} (platform P8)`, () =>
      expect(normalisePermissions(given)).to.eql(expected));

  for (const bad of ['a:b:c', ':', ':b', '::'])
    it(`are rejected if given as ${bad} (platform P8)`, () =>
      expect(() => normalisePermissions(['a:b', bad]))
        .to.throw(BillingError, 'is not a permission')
        .with.property('code', 40005));

  for (const [given, nearest] of [
    ['account:fly', 'account:create'],
    ['account:creat', 'account:create'],
    ['account:add_email', 'account:add_emails'],
    ['payment:Refund', 'payment:refund'],
    ['tenant_kvs:remove', 'tenant_kvs:delete'],
    [`tag:${'x'.repeat(10_000)}`, 'tag:create_tag_definition'],
  ] as const)
    it(`suggest ${nearest} for the unknown value ${given.slice(0, 30)} of a built-in group`, () => {
      const refused = () => checkKnownPermissions(['tag:add', given]);
      expect(refused).to.throw(BillingError, `did you mean ${nearest}?`).with.property('code', 40005);
    });

  it('include whole groups, their values, the wildcard and names from plugins', () => {
    checkKnownPermissions(['account:*', 'account:create', '*', '*:*', 'my-plugin:do it', 'accounts:fly']);
  });

  const checks: readonly (readonly [granted: readonly string[], needed: string, permitted: boolean])[] = [
    [['*'], 'account:create', true],
    [['*:*'], 'account:create', true],
    [['account:*'], 'account:create', true],
    [['account:create'], 'account:create', true],
    [['account:create'], 'account:update', false],
    [['accounts:*'], 'account:create', false],
    [['account'], 'account:create', false],
    [['tag:add', 'usage:record'], 'usage:record', true],
    [[], 'account:create', false],
  ];
  for (const [granted, needed, permitted] of checks)
    it(`${permitted ? 'cover' : 'do not cover'} ${needed} when granted as ${JSON.stringify(granted)}`, () =>
      expect(isPermitted(granted, needed)).to.equal(permitted));

  it('are combined into one sorted list for several roles', () =>
    expect(joinPermissions([['tag:add', 'account:create'], ['tag:add'], []])).to.eql([
      'account:create',
      'tag:add',
    ]));
});
