import { BusEventType, type Uuid } from '../../lib/index.ts';
import { type DatabaseKind, eachDatabase, expect, migrated, sampled, storageOf } from '../support/index.ts';
import { DeathPoint, MortalProcess } from '../support/payments/mortal-process.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { Behaviour, ScriptedGateway } from '../support/payments/scripted-gateway.ts';

const START = '2012-05-01T00:00:00Z';
/** Beyond every lease, check and retry: the first hours by minute, then each day. */
const LATER = [
  ...['00:01', '00:05', '00:06', '00:07', '00:10', '00:11', '00:16', '01:05', '01:10', '02:00'].map(
    (time) => `2012-05-01T${time}:00Z`,
  ),
  ...Array.from({ length: 29 }, (_, day) => `2012-05-${String(day + 2).padStart(2, '0')}T02:00:00Z`),
];

const patterns = ['one node', 'event delivered twice', 'two nodes', ...Object.values(DeathPoint)] as const;
type Pattern = (typeof patterns)[number];

interface Played {
  readonly behaviour: Behaviour;
  readonly pattern: Pattern;
  readonly completeLedger: boolean;
}

/**
 * A fifth of the patterns per behavior and commit, fewer with a partial ledger or on PostgreSQL; all in the long run.
 */
function patternsOf(kind: DatabaseKind, row: number, completeLedger: boolean): readonly Pattern[] {
  const every = { sqlite: 5, postgresql: 12 }[kind];
  return sampled(patterns, completeLedger ? every : 2 * every, row + Number(!completeLedger));
}

/** Only an operator can resolve it: the gateway's incomplete list does not contain it. */
function staysUnknown({ behaviour, pattern, completeLedger }: Played): boolean {
  if (completeLedger) return false;
  return behaviour === Behaviour.REQUEST_LOST || pattern === DeathPoint.AFTER_RESERVE;
}

eachDatabase((kind, open) => {
  describe('automatic invoice payment', () => {
    for (const [row, behaviour] of Object.values(Behaviour).entries()) {
      for (const completeLedger of [true, false]) {
        for (const pattern of patternsOf(kind, row, completeLedger)) {
          const ledger = completeLedger ? 'complete' : 'partial';
          it(`has at most one effect (${behaviour}, ${pattern}, ${ledger} ledger)`, async () => {
            const { effects, story } = await play({ behaviour, pattern, completeLedger });
            if (staysUnknown({ behaviour, pattern, completeLedger })) {
              expect(effects).to.equal(0);
              expect(story).to.deep.include({ transactions: ['UNKNOWN'], balance: '10' });
              return;
            }
            expect(effects).to.equal(1);
            expect(story.balance).to.equal('0');
            expect(story.rows).to.eql(['SUCCESS 10']);
            expect(story.transactions.filter((status) => status === 'SUCCESS')).to.have.length(1);
            expect(story.attempts).to.not.include('INIT');
          });
        }
      }
    }

    async function play(played: Played) {
      const { behaviour, pattern, completeLedger } = played;
      const mortal = new MortalProcess(isDeath(pattern) ? pattern : null);
      const storage = storageOf(await open(migrated));
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const scripted = new ScriptedGateway(behaviour, () => released);
      const gateway = scripted.port(completeLedger);
      const stage = await PaymentStage.open(storage, START, {
        gateway: mortal.gateway(gateway),
        handlerStorage: mortal.storage(storage),
      });
      try {
        const account = await stage.account(gateway.name);
        const invoiceId = await stage.invoice(account, '10');
        if (pattern === 'event delivered twice') await deliverAgain(stage, account.recordId, invoiceId);
        const second = pattern === 'two nodes' ? await stage.secondNode() : null;
        await firstRun(stage, played, { second, mortal });
        stage.timers.losePatience();
        release();
        await new Promise((resolve) => setImmediate(resolve));
        if (mortal.isDead) {
          mortal.succeeded();
          await stage.startProcess(storage);
        }
        for (const when of LATER) {
          stage.clock.set(when);
          await Promise.all([stage.settle(), second?.settle()]);
        }
        await second?.stop();
        return { effects: scripted.effects.length, story: await stage.story(invoiceId) };
      } finally {
        await stage.stop();
      }
    }
  });
});

function isDeath(pattern: Pattern): pattern is DeathPoint {
  return (Object.values(DeathPoint) as readonly string[]).includes(pattern);
}

async function deliverAgain(stage: PaymentStage, accountRecordId: number, invoiceId: Uuid): Promise<void> {
  await stage.storage.write(stage.tenant, stage.authorship(), async (session) => {
    session.publish([{ type: BusEventType.INVOICE_CREATION, accountRecordId, payload: { invoiceId } }]);
  });
}

const hanging: readonly Behaviour[] = [Behaviour.NO_ANSWER, Behaviour.LATE_ANSWER, Behaviour.LATE_CHARGE];
const beforeAnswer: readonly Pattern[] = [
  DeathPoint.BEFORE_RESERVE,
  DeathPoint.AFTER_RESERVE,
  DeathPoint.DURING_CALL,
];

/** Runs the queue at the start. An unanswered call times out. */
async function firstRun(
  stage: PaymentStage,
  { pattern, behaviour }: Played,
  { second, mortal }: { readonly second: { settle(): Promise<void> } | null; readonly mortal: MortalProcess },
): Promise<void> {
  const settled = Promise.allSettled([stage.settle(), second?.settle()]);
  if (hanging.includes(behaviour) && !beforeAnswer.includes(pattern)) await stage.timers.fire(30_000);
  const failed = (await settled).find((result) => result.status === 'rejected');
  if (failed && !mortal.isDead) throw new Error('the first run failed', { cause: failed.reason });
}
