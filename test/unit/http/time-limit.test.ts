import { expect } from 'chai';
import { timeOver, waitsForCompletion, withinTime } from '../../../adapters/koa/dispatch/time-limits.ts';
import { completionParameters } from '../../../adapters/koa/routes/subscriptions/call-completion.ts';

describe('request time limit (platform §16)', () => {
  for (const [query, exempt] of [
    ['callCompletion=true&callTimeoutSec=90', true],
    ['callTimeoutSec=90&callCompletion=TRUE', true],
    ['callCompletion=false', false],
    ['callTimeoutSec=90', false],
    ['', false],
  ] as const)
    it(`${exempt ? 'exempts' : 'applies to'} the query "${query}"`, () =>
      expect(waitsForCompletion({ query: completionParameters }, query)).to.equal(exempt));

  it('applies to routes without call completion, regardless of the query', () =>
    expect(waitsForCompletion({ query: {} }, 'callCompletion=true')).to.equal(false));

  it('reports a timeout as busy, or as an unknown outcome if the request is a payment', () => {
    expect(timeOver(60_000, { permission: 'account:update' })).to.include({ code: 60018 });
    expect(timeOver(60_000, { permission: 'payment:trigger' })).to.include({ code: 7019 });
    expect(timeOver(1_500, { permission: 'NONE' }).message).to.match(
      /within 1\.5 s; it may still take effect$/,
    );
  });

  it('does not affect results and errors that arrive in time', async () => {
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
    expect(taken).to.eql([]);
  });

  it('passes a late result to a handler, and ignores a late error', async () => {
    const late = Promise.withResolvers<string>();
    const failed = Promise.withResolvers<string>();
    const taken = Promise.withResolvers<string>();
    const overdue = { over: (): string => 'over', late: async (result: string) => taken.resolve(result) };
    expect(await withinTime(1, failed.promise, overdue)).to.equal('over');
    failed.reject(new Error('failed'));
    expect(await withinTime(1, late.promise, overdue)).to.equal('over');
    late.resolve('late');
    expect(await taken.promise).to.equal('late');
  });
});
