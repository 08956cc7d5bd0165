import { type DatabaseKind, eachDatabase, expect, isLongRun, sampled } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, FurtherBehaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';
import { migrated, storageOf } from '../support/storage.ts';
import { expectOneEffect, expectOneRecord } from './expected-effects.ts';
import { OperationPlay, type OperationType, operationTypes, Pattern } from './operation-play.ts';

const START = '2012-05-01T00:00:00Z';
const patterns = Object.values(Pattern);
const behaviours = [...Object.values(Behaviour), ...Object.values(FurtherBehaviour)];

eachDatabase((kind, open) => {
  describe('payment operation', function () {
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

    for (const [turn, type] of operationTypes.entries())
      describe(type, () => {
        onStage((play) => {
          for (const [row, behaviour] of behaviours.entries()) {
            for (const pattern of patternsOf(kind, row + turn))
              it(`has at most one effect (${behaviour}, ${pattern})`, async () => {
                const played = { type, behaviour, pattern };
                expectOneEffect(played, await play().play(played));
              });
          }

          it('has at most one effect if the process dies at any step', () =>
            dieAtEachStep(play(), type, turn));
        });
      });

    describe('CHARGEBACK', () => {
      onStage((play) => {
        for (const pattern of patterns)
          it(`is recorded once (${pattern})`, async () => {
            const played = { type: 'CHARGEBACK', pattern } as const;
            expectOneRecord(played, await play().play(played));
          });

        it('has at most one effect if the process dies at any step', () =>
          dieAtEachStep(play(), 'CHARGEBACK', 0));
      });
    });

    async function dieAtEachStep(play: OperationPlay, type: OperationType, turn: number): Promise<void> {
      const { steps } = await play.play({ type, pattern: Pattern.RETRY });
      expect(steps).to.be.greaterThan(10);
      const expectOne = type === 'CHARGEBACK' ? expectOneRecord : expectOneEffect;
      const all = Array.from({ length: steps }, (_, index) => index + 1);
      const every = { sqlite: 12, postgresql: 40 }[kind];
      for (const [index, diesAt] of sampled(all, every, turn).entries()) {
        for (const pattern of sampled(patterns, patterns.length, index + turn)) {
          const played = { type, pattern, diesAt };
          expectOne(played, await play.play(played));
        }
      }
    }
  });
});

/** Each type with each fault, on PostgreSQL every third one, with rotating patterns; all in the long run. */
function patternsOf(kind: DatabaseKind, turn: number): readonly Pattern[] {
  if (isLongRun || kind === 'sqlite') return sampled(patterns, 4, turn);
  return turn % 3 === 0 ? sampled(patterns, patterns.length, turn / 3) : [];
}
