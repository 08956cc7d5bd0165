import { expect } from 'chai';
import { workScopes } from '../../../adapters/node/index.ts';
import { detached, ofAccount, onBehalfOf, scopedLogger, traceParentOf } from '../../../lib/runtime/index.ts';
import { recordingLogger } from '../../support/system-time.ts';

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the scope of work (platform §13.1)', () => {
  const scopes = workScopes();
  const written = recordingLogger();
  const logger = scopedLogger(written, scopes);
  beforeEach(() => {
    written.lines.length = 0;
  });
  const fields = () => written.lines.map((line) => line.fields);

  it('lines carry the id of the request and its trace, whatever waits in between; what a line says itself wins', async () => {
    await scopes.run({ requestId: 'one', traceParent: trace }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      logger.warn({ a: 1 }, 'first');
      logger.error({ requestId: 'own' }, 'second');
    });
    logger.info({}, 'third');
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    expect(fields()).to.deep.equal([{ requestId: 'one', traceId, a: 1 }, { requestId: 'own', traceId }, {}]);
  });

  it('lines about several accounts carry the ids of all, one about an account that of who has caused its work', () => {
    const of = (requestId: string) => ({ requestId, traceParent: `${trace}${requestId}` });
    const accounts = new Map([
      [7, of('one')],
      [8, of('two')],
      [9, of('two')],
    ]);
    scopes.run({ requestId: null, traceParent: null, accounts }, () => {
      logger.warn({}, 'all');
      ofAccount({ scopes }, 8, () => logger.warn({}, 'eight'));
      expect(traceParentOf({ scopes }, 7)).to.equal(`${trace}one`);
      expect(traceParentOf({ scopes }, 6)).to.equal(null);
    });
    expect(fields()[0]).to.deep.equal({ requestIds: ['one', 'two'] });
    expect(fields()[1]).to.include({ requestId: 'two' });
  });

  it('what nobody has asked for is done on behalf of nobody, whoever has started it', () => {
    scopes.run({ requestId: 'one', traceParent: trace }, () =>
      detached({ scopes }, () => logger.warn({}, 'care')),
    );
    expect(fields()).to.deep.equal([{}]);
  });

  it('without anything that carries scopes the work is done all the same', async () => {
    const done = await onBehalfOf({}, { requestId: 'one', start: neverAsked }, async (span) => {
      expect(span).to.equal(null);
      return ofAccount({}, 7, () => detached({}, () => 'done'));
    });
    expect(done).to.equal('done');
    expect(scopedLogger(written, undefined)).to.equal(written);
  });
});

function neverAsked(): never {
  throw new Error('a span was begun without a tracer');
}
