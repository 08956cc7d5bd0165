import { expect } from 'chai';
import { FurtherBehaviour } from '../support/payments/scripted-gateway.ts';
import type { Case, OperationType, Played } from './operation-play.ts';

/** Checks that the gateway has done exactly what the engine has recorded as done. */
export function expectOneEffect(played: Case, { effects, transactions, payments }: Played): void {
  const { type, behaviour } = played;
  const about = `${JSON.stringify(played)}: ${shown(transactions)}`;
  const byId = new Map(transactions.map((each) => [each.id, each]));
  // The engine knows all money that the gateway moved.
  for (const { transactionId } of effects) expect(byId.has(transactionId), about).to.equal(true);
  const keys = effects.map(({ transactionId }) => byId.get(transactionId)?.externalKey);
  expect(new Set(keys).size, `effects ${keys.join()} of ${about}`).to.equal(keys.length);
  expect(payments, about).to.have.length(1);
  const stays = behaviour === FurtherBehaviour.PENDING_FOR_EVER;
  const isOpen = ({ status }: { status: string }) => status === 'UNKNOWN' || (status === 'PENDING' && !stays);
  expect(transactions.filter(isOpen), about).to.eql([]);
  for (const each of transactions) expect(each.leaseUntil, about).to.equal(null);
  // Successful transactions and gateway effects have the same amounts.
  const done = transactions.filter(
    ({ status, externalKey }) => status === 'SUCCESS' && !externalKey.endsWith('before'),
  );
  expect(done.map(moneyOf).toSorted(), about).to.eql(effects.map(moneyOf).toSorted());
  if (!stays) expect(effects.length, about).to.be.at.least(1);
  if (onlyOnce.has(type)) expect(effects.filter((each) => each.type === type).length, about).to.be.at.most(1);
  const taken = total(transactions, ['PURCHASE', 'CAPTURE']);
  expect(total(transactions, ['REFUND']), about).to.be.at.most(taken);
}

/** Checks that a chargeback is recorded once per key, without gateway calls, up to the charged amount. */
export function expectOneRecord(played: Case, { effects, transactions, payments }: Played): void {
  const about = `${JSON.stringify(played)}: ${shown(transactions)}`;
  expect(payments, about).to.have.length(1);
  expect(
    effects.map(({ type }) => type).filter((type) => type !== 'REFUND'),
    about,
  ).to.eql([]);
  const recorded = transactions.filter(({ transactionType }) => transactionType === 'CHARGEBACK');
  expect(
    recorded.map(({ status }) => status),
    about,
  ).to.include('SUCCESS');
  for (const each of recorded) expect([each.status, each.leaseUntil], about).to.eql(['SUCCESS', null]);
  expect(new Set(recorded.map(({ externalKey }) => externalKey)).size, about).to.equal(recorded.length);
  expect(total(transactions, ['CHARGEBACK']), about).to.be.at.most(total(transactions, ['PURCHASE']));
}

/** A payment has at most one of these, with any key. */
const onlyOnce: ReadonlySet<OperationType> = new Set<OperationType>([
  'AUTHORIZE',
  'PURCHASE',
  'CREDIT',
  'VOID',
]);

type Stored = Played['transactions'][number];

function moneyOf(each: Played['effects'][number] | Stored): string {
  if ('transactionId' in each) return `${each.transactionId} ${each.amount ?? ''} ${each.currency ?? ''}`;
  const { id, processedAmount, processedCurrency } = each;
  return `${id} ${processedAmount ?? ''} ${processedCurrency ?? ''}`;
}

function total(transactions: readonly Stored[], types: readonly string[]): number {
  const counted = transactions.filter(
    (each) => each.status === 'SUCCESS' && types.includes(each.transactionType),
  );
  return counted.reduce((sum, { processedAmount }) => sum + Number(processedAmount), 0);
}

function shown(transactions: readonly Stored[]): string {
  return transactions
    .map(({ transactionType, externalKey, status, gatewayErrorMsg }) =>
      [transactionType, externalKey, status, gatewayErrorMsg ?? ''].join(' ').trim(),
    )
    .join('; ');
}
