import { expect } from 'chai';
import { TransactionType } from '../../../lib/index.ts';
import { readStateMachine } from '../../../lib/payments/loading/state-machines.ts';
import { checkMayStart, mayStart, type PaymentOperation } from '../../../lib/payments/state/payment-state.ts';
import { DocumentFault } from '../../../lib/values/documents/index.ts';
import { type StateLink, stateMachineDocument } from '../../support/payments/state-machine-document.ts';

const operations: readonly PaymentOperation[] = [...Object.values(TransactionType), 'CHARGEBACK_REVERSAL'];

function allowedBy(document: string, states: readonly (string | null)[]) {
  const table = readStateMachine(document);
  return states.map((state) => [
    state,
    ...operations.filter((each) => mayStart(each, state, { transactions: [], table })),
  ]);
}

const own: readonly StateLink[] = [
  ['BIG_BANG_INIT', 'AUTHORIZE'],
  ['BIG_BANG_INIT', 'PURCHASE'],
  ['AUTH_SUCCESS', 'VOID'],
  ['PURCHASE_SUCCESS', 'CAPTURE'],
  ['CREDIT_SUCCESS', 'CREDIT'],
  ['CHARGEBACK_SUCCESS', 'CHARGEBACK'],
];

describe('tenant payment state machine (payments §3.1)', () => {
  it('allows only the operations that its links reach', () => {
    const states = [null, 'AUTH_SUCCESS', 'PURCHASE_SUCCESS', 'CREDIT_SUCCESS', 'CAPTURE_SUCCESS'];
    expect(allowedBy(stateMachineDocument(own), [...states, 'CHARGEBACK_SUCCESS'])).to.eql([
      [null, 'AUTHORIZE', 'PURCHASE'],
      ['AUTH_SUCCESS', 'VOID'],
      ['PURCHASE_SUCCESS', 'CAPTURE'],
      ['CREDIT_SUCCESS', 'CREDIT'],
      ['CAPTURE_SUCCESS'],
      ['CHARGEBACK_SUCCESS', 'CHARGEBACK', 'CHARGEBACK_REVERSAL'],
    ]);
  });

  for (const [what, document] of Object.entries({
    'of a machine without its operation': stateMachineDocument(own).replaceAll(
      'name="OP_PURCHASE"',
      'name="OP_BUY"',
    ),
    'to another state than the first one': stateMachineDocument(own).replaceAll(
      '<finalState>PURCHASE_INIT',
      '<finalState>PURCHASE_PENDING',
    ),
    'to a missing machine': stateMachineDocument(own).replaceAll('name="PURCHASE"', 'name="BUY"'),
    'to an operation that is only used in transitions': stateMachineDocument(own).replaceAll(
      '<operation name="OP_PURCHASE"/>',
      '',
    ),
  } as const))
    it(`allows nothing through a link ${what}`, () =>
      expect(allowedBy(document, [null])).to.eql([[null, 'AUTHORIZE']]));

  it('allows no operation if the document is not a state machine', () => {
    for (const document of ['<stateMachineConfig/>', '\ufeff<catalog><a name="x">y</a></catalog>'])
      expect(allowedBy(document, [null, 'AUTH_SUCCESS'])).to.eql([[null], ['AUTH_SUCCESS']]);
  });

  it('blocks an operation while a transaction is open, like the default state machine', () => {
    const table = readStateMachine(stateMachineDocument([['BIG_BANG_INIT', 'AUTHORIZE']]));
    const open = [{ transactionType: 'AUTHORIZE', status: 'UNKNOWN' }] as const;
    expect(() => checkMayStart('AUTHORIZE', null, { transactions: open, table })).to.throw(
      'AUTHORIZE is not allowed',
    );
    expect(() => checkMayStart('AUTHORIZE', null, { transactions: [], table })).to.not.throw();
  });

  for (const [what, document] of [
    ['an empty document', ''],
    ['text', 'one'],
    ['an unclosed element', '<a><b></a>'],
    ['two roots', '<a/><b/>'],
    ['a document type declaration', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['an undeclared entity', '<a>&x;</a>'],
    ['a name of a megabyte', `<${'a'.repeat(1_000_000)}/>`],
    ['a million extra characters', `<a>${'a'.repeat(1_100_000)}</a>`],
    ['endlessly nested elements', '<a>'.repeat(100_000)],
    ['endless elements', `<a>${'<b/>'.repeat(100_000)}</a>`],
    ['endless attributes', `<a ${Array.from({ length: 50_000 }, (_, index) => `b${index}="c"`).join(' ')}/>`],
    ['endless ampersands', `<a>${'&'.repeat(500_000)}</a>`],
    ['a control character', '<a>\u0001</a>'],
  ] as const)
    it(`quickly rejects ${what}`, () => expect(() => readStateMachine(document)).to.throw(DocumentFault));
});
