import { expect } from 'chai';
import { type DatabaseKind, eachDatabase } from '../support/databases.ts';
import { isLongRun } from '../support/long-run.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, FurtherBehaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';
import { migrated, storageOf } from '../support/storage.ts';
import {
  type Case,
  OperationPlay,
  type OperationType,
  operationTypes,
  Pattern,
  type Played,
} from './operation-play.ts';

const START = '2012-05-01T00:00:00Z';
const patterns = Object.values(Pattern);
const behaviours = [...Object.values(Behaviour), ...Object.values(FurtherBehaviour)];

eachDatabase((kind, open) => {
  describe('at most one effect per operation on a payment', function () {
    this.timeout(isLongRun ? 0 : 120_000);

    for (const type of operationTypes) {
      describe(type, () => {
        let stage: PaymentStage;
        let play: OperationPlay;

        before(async () => {
          const gateway = new ScriptedGateway(Behaviour.PROMPT, () => Promise.resolve());
          stage = await PaymentStage.open(storageOf(await open(migrated)), START, {
            gateway: gateway.port(true),
          });
          play = new OperationPlay(stage, gateway);
        });
        after(() => stage.stop());

        for (const behaviour of behaviours) {
          for (const pattern of patterns) {
            it(`${behaviour}, ${pattern}`, async () => {
              const played = { type, behaviour, pattern };
              expectOneEffect(played, await play.play(played));
            });
          }
        }

        it('the process dies at each step of its work', async () => {
          const { steps } = await play.play({ type, pattern: Pattern.RETRY });
          expect(steps).to.be.greaterThan(10);
          let deaths = 0;
          for (let diesAt = 1; diesAt <= steps; diesAt += 1) {
            for (const pattern of patternsAt(kind, diesAt)) {
              const played = { type, pattern, diesAt };
              deaths += 1;
              expectOneEffect(played, await play.play(played));
            }
          }
          expect(deaths).to.be.at.least(kind === 'sqlite' ? steps : steps / 4);
        });
      });
    }
  });
});

/** Every step with one of the patterns, by turns; in the long run with all of them. PostgreSQL has a part of the steps. */
function patternsAt(kind: DatabaseKind, step: number): readonly Pattern[] {
  if (isLongRun) return patterns;
  if (kind === 'postgresql' && step % 3 !== 0) return [];
  return patterns.filter((_, index) => index === step % patterns.length);
}

function expectOneEffect(played: Case, { effects, transactions, payments }: Played): void {
  const { type, behaviour } = played;
  const about = `${JSON.stringify(played)}: ${shown(transactions)}`;
  const byId = new Map(transactions.map((each) => [each.id, each]));
  // The gateway has moved no money that the engine does not know of.
  for (const { transactionId } of effects) expect(byId.has(transactionId), about).to.equal(true);
  const keys = effects.map(({ transactionId }) => byId.get(transactionId)?.externalKey);
  expect(new Set(keys).size, `effects ${keys.join()} of ${about}`).to.equal(keys.length);
  expect(payments, about).to.have.length(1);
  const stays = behaviour === FurtherBehaviour.PENDING_FOR_EVER;
  const isOpen = ({ status }: { status: string }) => status === 'UNKNOWN' || (status === 'PENDING' && !stays);
  expect(transactions.filter(isOpen), about).to.deep.equal([]);
  for (const each of transactions) expect(each.leaseUntil, about).to.equal(null);
  // What the engine takes for done the gateway has done, for the same money, and the other way round.
  const done = transactions.filter(
    ({ status, externalKey }) => status === 'SUCCESS' && !externalKey.endsWith('before'),
  );
  expect(done.map(moneyOf).toSorted(), about).to.deep.equal(effects.map(moneyOf).toSorted());
  if (!stays) expect(effects.length, about).to.be.at.least(1);
  if (onlyOnce.has(type)) expect(effects.filter((each) => each.type === type).length, about).to.be.at.most(1);
  const taken = total(transactions, ['PURCHASE', 'CAPTURE']);
  expect(total(transactions, ['REFUND']), about).to.be.at.most(taken);
}

/** Of one payment there is one of these, whatever its key. */
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
