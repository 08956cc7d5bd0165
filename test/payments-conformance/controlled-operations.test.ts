import { decimal, type PaymentControl, type PaymentControlContext } from '../../lib/index.ts';
import { type DatabaseKind, eachDatabase, expect, isLongRun, sampled } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';
import { migrated, storageOf } from '../support/storage.ts';
import { expectOneEffect } from './expected-effects.ts';
import { OperationPlay, operationTypes, Pattern, type Played } from './operation-play.ts';

const START = '2012-05-01T00:00:00Z';
const patterns = [Pattern.TWO_NODES, Pattern.ONE_KEY];
const behaviours = [Behaviour.ANSWER_LOST, Behaviour.DECLINED];
const ONE = decimal('1');
const ADJUSTS = 'subtracts 1 from each amount';

/** The control plugins by what they do with the tested operation. */
const plugins: Readonly<Record<string, () => PaymentControl>> = {
  [ADJUSTS]: () => ({
    name: 'control',
    priorCall: async ({ amount }) => (amount ? { adjustedAmount: amount.minus(ONE) } : null),
  }),
  'aborts the operation once': () => {
    const isFirst = firstTimes();
    return { name: 'control', priorCall: async (context) => ({ isAborted: isFirst(context) }) };
  },
  'throws once before and always after the operation': () => {
    const isFirst = firstTimes();
    return {
      name: 'control',
      priorCall: async (context) => {
        if (isFirst(context)) throw new Error('broken');
        return null;
      },
      onSuccessCall: async () => {
        throw new Error('broken');
      },
      onFailureCall: async () => {
        throw new Error('broken');
      },
    };
  },
};

/** Returns true on the first call for the tested operation, not for its preparation. */
function firstTimes(): (context: PaymentControlContext) => boolean {
  const known = new Set<string | null>();
  return ({ transactionExternalKey: key }) => {
    if (known.has(key) || !key?.endsWith('-a')) return false;
    known.add(key);
    return true;
  };
}

eachDatabase((kind, open) => {
  describe('payment operation with a control plugin', function () {
    this.timeout(isLongRun ? 0 : 120_000);

    for (const [what, plugin] of Object.entries(plugins))
      describe(`that ${what}`, () => {
        let stage: PaymentStage;
        let play: OperationPlay;

        before(async () => {
          const gateway = new ScriptedGateway(Behaviour.PROMPT, () => Promise.resolve());
          stage = await PaymentStage.open(storageOf(await open(migrated)), START, {
            gateway: gateway.port(true),
            controls: [plugin()],
          });
          play = new OperationPlay(stage, gateway);
        });
        after(() => stage.stop());

        for (const [turn, type] of operationTypes.entries()) {
          for (const { behaviour, pattern } of casesOf(kind, turn))
            it(`has at most one effect (${type}, ${behaviour}, ${pattern})`, async () => {
              const played = { type, behaviour, pattern };
              const result = await play.play(played);
              expectOneEffect(played, result);
              expectEndedAttempts(result);
              const adjusted = what === ADJUSTS ? [5] : [6];
              const amounts = result.effects.flatMap(({ amount }) => (amount ? Number(amount) : []));
              expect(amounts).to.eql(type === 'VOID' ? [] : adjusted);
            });
        }
      });
  });
});

/** Half of them in rotation, on PostgreSQL one; all in the long run. */
function casesOf(kind: DatabaseKind, turn: number) {
  const all = behaviours.flatMap((behaviour) => patterns.map((pattern) => ({ behaviour, pattern })));
  return sampled(all, kind === 'sqlite' ? 2 : all.length, turn);
}

/** No attempt is pending, and each success has a successful attempt. */
function expectEndedAttempts({ attempts, transactions }: Played): void {
  expect(attempts.map(({ stateName }) => stateName)).to.not.include('INIT');
  const states = new Map(attempts.map(({ id, stateName }) => [id, stateName]));
  for (const { status, attemptId } of transactions)
    if (status === 'SUCCESS') expect(attemptId && states.get(attemptId)).to.equal('SUCCESS');
}
