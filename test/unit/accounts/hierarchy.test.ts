import { checkHierarchy } from '../../../lib/accounts/rules/hierarchy.ts';
import type { Account } from '../../../lib/records/account.ts';
import { asCurrency, expect, type Uuid, valueOrError } from '../../support/unit.ts';

type Member = Pick<Account, 'id' | 'parentAccountId' | 'isPaymentDelegatedToParent' | 'currency'>;

const id = (digit: string) => `00000000-0000-4000-8000-00000000000${digit}` as Uuid;
const member = (own: string, parent: string | null, more: Partial<Member> = {}): Member => ({
  id: id(own),
  parentAccountId: parent === null ? null : id(parent),
  isPaymentDelegatedToParent: false,
  currency: null,
  ...more,
});
const [usd, eur] = [asCurrency('USD'), asCurrency('EUR')];
const pays = { isPaymentDelegatedToParent: true };

function codeOf(account: Member, line: readonly Member[], children: readonly Member[] = []): number | null {
  const ancestors = new Map(line.map((each) => [each.id, each]));
  return valueOrError(() => checkHierarchy(account, { ancestors, children }))?.code ?? null;
}

describe('account hierarchy (accounts §7 rule 3)', () => {
  for (const [what, [account, line, children, code]] of Object.entries({
    'a missing parent': [member('1', null), [], [], null],
    'a parent': [member('1', '2'), [member('2', null)], [], null],
    'a parent that has a parent': [member('1', '2'), [member('2', '3'), member('3', null)], [], null],
    'an unknown parent': [member('1', '2'), [], [], 3002],
    'an account as its own parent': [member('1', '1'), [member('1', null)], [], 60003],
    'the child of an account as its parent': [
      member('1', '2'),
      [member('2', '1'), member('1', null)],
      [],
      60003,
    ],
    'the grandchild of an account as its parent': [
      member('1', '2'),
      [member('2', '3'), member('3', '1'), member('1', null)],
      [],
      60003,
    ],
    'delegation without a parent': [member('1', null, pays), [], [], null],
    delegation: [member('1', '2', pays), [member('2', null)], [], null],
    'delegation to a parent with the flag but without its own parent': [
      member('1', '2', pays),
      [member('2', null, pays)],
      [],
      null,
    ],
    'delegation to an account that delegates': [
      member('1', '2', pays),
      [member('2', '3', pays), member('3', null)],
      [],
      60003,
    ],
    'a delegating parent without delegation by the child': [
      member('1', '2'),
      [member('2', '3', pays)],
      [],
      null,
    ],
    'delegation by an account that others delegate to': [
      member('1', '2', pays),
      [member('2', null)],
      [member('4', '1', pays)],
      60003,
    ],
    'delegation by an account with children': [
      member('1', '2', pays),
      [member('2', null)],
      [member('4', '1')],
      null,
    ],
    'delegation in a different currency': [
      member('1', '2', { ...pays, currency: eur }),
      [member('2', null, { currency: usd })],
      [],
      60003,
    ],
    'delegation in the same currency': [
      member('1', '2', { ...pays, currency: usd }),
      [member('2', null, { currency: usd })],
      [],
      null,
    ],
    'delegation to a parent without a currency': [
      member('1', '2', { ...pays, currency: usd }),
      [member('2', null)],
      [],
      null,
    ],
    'a different currency without delegation': [
      member('1', '2', { currency: eur }),
      [member('2', null, { currency: usd })],
      [],
      null,
    ],
  } as const))
    it(`${code === null ? 'accepts' : 'rejects'} ${what}${code === null ? '' : ` with error ${code}`}`, () =>
      expect(codeOf(account, line, children)).to.equal(code));
});
