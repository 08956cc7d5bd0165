import { expect } from 'chai';
import { type DatabaseKind, eachDatabase } from '../support/databases.ts';
import { isLongRun } from '../support/long-run.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, FurtherBehaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';
import { sampled } from '../support/sampled.ts';
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

    const onStage = (define: (play: () => OperationPlay) => void) => {
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
      define(() => play);
    };

    for (const [turn, type] of operationTypes.entries()) {
      describe(type, () => {
        onStage((play) => {
          for (const [row, behaviour] of behaviours.entries()) {
            for (const pattern of patternsOf(kind, row + turn)) {
              it(`${behaviour}, ${pattern}`, async () => {
                const played = { type, behaviour, pattern };
                expectOneEffect(played, await play().play(played));
              });
            }
          }

          it('the process dies at each step of its work', () => dieAtEachStep(play(), type, turn));
        });
      });
    }

    describe('CHARGEBACK', () => {
      onStage((play) => {
        for (const pattern of patterns) {
          it(`recorded without a gateway, ${pattern}`, async () => {
            const played = { type: 'CHARGEBACK', pattern } as const;
            expectOneRecord(played, await play().play(played));
          });
        }

        it('the process dies at each step of its work', () => dieAtEachStep(play(), 'CHARGEBACK', 0));
      });
    });

    async function dieAtEachStep(play: OperationPlay, type: OperationType, turn: number): Promise<void> {
      const { steps } = await play.play({ type, pattern: Pattern.RETRY });
      expect(steps).to.be.greaterThan(10);
      const expectOne = type === 'CHARGEBACK' ? expectOneRecord : expectOneEffect;
      const all = Array.from({ length: steps }, (_, index) => index + 1);
      const every = { sqlite: 3, postgresql: 9 }[kind];
      for (const [index, diesAt] of sampled(all, every, turn).entries()) {
        for (const pattern of sampled(patterns, patterns.length, index + turn)) {
          const played = { type, pattern, diesAt };
          expectOne(played, await play.play(played));
        }
      }
    }
  });
});

/** Each type meets each fault, on PostgreSQL every second one, with some of the patterns by turns; in the long run with all. */
function patternsOf(kind: DatabaseKind, turn: number): readonly Pattern[] {
  if (isLongRun || kind === 'sqlite') return sampled(patterns, 3, turn);
  return turn % 2 === 0 ? sampled(patterns, patterns.length, turn / 2) : [];
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

/** What the network has done stands in the books of the engine alone: once by key, and never more than was taken. */
function expectOneRecord(played: Case, { effects, transactions, payments }: Played): void {
  const about = `${JSON.stringify(played)}: ${shown(transactions)}`;
  expect(payments, about).to.have.length(1);
  expect(
    effects.map(({ type }) => type).filter((type) => type !== 'REFUND'),
    about,
  ).to.deep.equal([]);
  const recorded = transactions.filter(({ transactionType }) => transactionType === 'CHARGEBACK');
  expect(
    recorded.map(({ status }) => status),
    about,
  ).to.include('SUCCESS');
  for (const each of recorded) expect([each.status, each.leaseUntil], about).to.deep.equal(['SUCCESS', null]);
  expect(new Set(recorded.map(({ externalKey }) => externalKey)).size, about).to.equal(recorded.length);
  expect(total(transactions, ['CHARGEBACK']), about).to.be.at.most(total(transactions, ['PURCHASE']));
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
