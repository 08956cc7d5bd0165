import { expect } from 'chai';
import { timeOver, waitsForCompletion, withinTime } from '../../../adapters/koa/dispatch/time-limits.ts';
import { completionParameters } from '../../../adapters/koa/routes/subscriptions/call-completion.ts';

describe('the time limit of a request (platform §16)', () => {
  for (const [query, exempt] of [
    ['callCompletion=true&callTimeoutSec=90', true],
    ['callTimeoutSec=90&callCompletion=TRUE', true],
    ['callCompletion=false', false],
    ['callTimeoutSec=90', false],
    ['', false],
  ] as const)
    it(`${exempt ? 'is no matter to' : 'holds for'} "${query}"`, () =>
      expect(waitsForCompletion({ query: completionParameters }, query)).to.equal(exempt));

  it('holds on routes that cannot wait for what they cause, whatever they are asked', () =>
    expect(waitsForCompletion({ query: {} }, 'callCompletion=true')).to.equal(false));

  it('ends as busy, and as an unknown outcome where payments are asked for', () => {
    expect(timeOver(60_000, { permission: 'account:update' })).to.include({ code: 60018 });
    expect(timeOver(60_000, { permission: 'payment:trigger' })).to.include({ code: 7019 });
    expect(timeOver(1_500, { permission: 'NONE' }).message).to.match(
      /within 1\.5 s; it may still take effect$/,
    );
  });

  it('gives what comes in time, and what fails in time, as it is', async () => {
    const taken: string[] = [];
    const overdue = {
      over: (): string => 'over',
      late: async (result: string) => {
        taken.push(result);
      },
    };
    expect(await withinTime(1_000, Promise.resolve('in time'), overdue)).to.equal('in time');
    expect(await withinTime(1, new Promise<string>(() => undefined), overdue)).to.equal('over');
    const failing = withinTime(1_000, Promise.reject(new Error('failed')), overdue);
    expect(await failing.catch((error: Error) => error.message)).to.equal('failed');
    expect(taken).to.deep.equal([]);
  });

  it('hands what comes too late to somebody, and does not mind what fails too late', async () => {
    const late = Promise.withResolvers<string>();
    const failed = Promise.withResolvers<string>();
    const taken = Promise.withResolvers<string>();
    const overdue = {
      over: (): string => 'over',
      late: async (result: string) => taken.resolve(result),
    };
    expect(await withinTime(1, failed.promise, overdue)).to.equal('over');
    failed.reject(new Error('failed'));
    expect(await withinTime(1, late.promise, overdue)).to.equal('over');
    late.resolve('late');
    expect(await taken.promise).to.equal('late');
  });
});
