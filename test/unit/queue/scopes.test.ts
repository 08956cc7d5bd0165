import { expect } from 'chai';
import { workScopes } from '../../../adapters/node/index.ts';
import {
  ofAccount,
  onBehalfOf,
  runDetached,
  scopedLogger,
  traceParentOf,
} from '../../../lib/runtime/index.ts';
import { recordingLogger } from '../../support/system-time.ts';

const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('work scope (platform §13.1)', () => {
  const scopes = workScopes();
  const written = recordingLogger();
  const logger = scopedLogger(written, scopes);
  beforeEach(() => {
    written.lines.length = 0;
  });
  const fields = () => written.lines.map((line) => line.fields);

  it('adds the request id and trace to log lines across waits, but keeps an id that a line already has', async () => {
    await scopes.run({ requestId: 'one', traceParent: trace }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      logger.warn({ a: 1 }, 'first');
      logger.error({ requestId: 'own' }, 'second');
    });
    logger.info({}, 'third');
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    expect(fields()).to.eql([{ requestId: 'one', traceId, a: 1 }, { requestId: 'own', traceId }, {}]);
  });

  it('adds all ids to log lines about several accounts, but only the id of the cause to log lines about one account', () => {
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
    expect(fields()[0]).to.eql({ requestIds: ['one', 'two'] });
    expect(fields()[1]).to.include({ requestId: 'two' });
  });

  it('is empty for detached work', () => {
    scopes.run({ requestId: 'one', traceParent: trace }, () =>
      runDetached({ scopes }, () => logger.warn({}, 'care')),
    );
    expect(fields()).to.eql([{}]);
  });

  it('is not required to run work', async () => {
    const done = await onBehalfOf({}, { requestId: 'one', start: neverCalled }, async (span) => {
      expect(span).to.equal(null);
      return ofAccount({}, 7, () => runDetached({}, () => 'done'));
    });
    expect(done).to.equal('done');
    expect(scopedLogger(written, undefined)).to.equal(written);
  });
});

function neverCalled(): never {
  throw new Error('a span was begun without a tracer');
}
