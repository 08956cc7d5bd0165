import { inspect } from 'node:util';
import { hostileAnswers, hostileThrows } from '../support/hostile-code.ts';
import { HostileHost } from '../support/hostile-host.ts';
import { type HostStage, hostOperations, openHostStage } from '../support/hosts/host-operations.ts';
import { anyDatabase, expect, sampled } from '../support/index.ts';

const hostile = Object.entries({
  ...prefixed('throws', hostileThrows),
  ...prefixed('answers', hostileAnswers),
});
const cells = Object.keys(hostOperations).flatMap((member, row) =>
  sampled(hostile, 9, row).map(([what, act]) => ({ member, what, act })),
);

function prefixed(verb: string, table: Readonly<Record<string, () => unknown>>) {
  const thrown = (make: () => unknown) => (): never => {
    throw make();
  };
  return Object.fromEntries(
    Object.entries(table).map(([what, make]) => [`${verb} ${what}`, verb === 'throws' ? thrown(make) : make]),
  );
}

function readWhole(error: unknown): void {
  expect(error).to.be.instanceOf(Error);
  const { name, message, stack, cause } = error as Error;
  expect([name, message, stack].every((text) => typeof text === 'string')).to.equal(true);
  inspect(error, { depth: 5 });
  JSON.stringify(error);
  if (cause !== undefined) readWhole(cause);
}

anyDatabase.describe('hostile host code (lib/ports)', (open) => {
  const host = new HostileHost();
  const escaped: unknown[] = [];
  const note = (reason: unknown): void => void escaped.push(reason);
  let stage: HostStage;

  before(async () => {
    process.on('unhandledRejection', note);
    stage = await openHostStage(host, open);
  });

  after(async () => {
    process.off('unhandledRejection', note);
    await stage.billing.close();
  });

  for (const { member, what, act } of cells)
    it(`causes a plain error without ending the process or the engine if ${member} ${what}`, async () => {
      await host.while(member, act, async () => {
        // On a busy machine `settle` may end before the member is called.
        for (let turn = 0; turn < 20 && host.calls === 0; turn += 1)
          await hostOperations[member]?.(stage).catch(readWhole);
      });
      expect(host.calls, 'calls of the member').to.be.above(0);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      for (const { fields } of host.logger.lines.splice(0)) inspect(fields, { depth: 5 });
      expect(escaped.splice(0)).to.eql([]);
      expect(await stage.acme.getAccount(stage.accountId)).to.include({ id: stage.accountId });
    });
});
