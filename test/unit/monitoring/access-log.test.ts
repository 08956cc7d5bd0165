import { expect } from 'chai';
import { systemClock, workScopes } from '../../../adapters/node/index.ts';
import {
  ACCESS_FLUSH_LINES,
  AccessLog,
  MAX_ACCESS_LINES_HELD,
} from '../../../lib/monitoring/request-observer.ts';
import type { AccessLine } from '../../../lib/ports/storage/index.ts';
import { pushableSystemClock, recordingLogger } from '../../support/system-time.ts';

type LogPorts = Partial<ConstructorParameters<typeof AccessLog>[0]>;

function logOver(input: { readonly retentionMs?: number; readonly ports?: LogPorts } = {}) {
  const stored: AccessLine[] = [];
  const state = { isAway: false, calls: 0 };
  const logger = recordingLogger();
  const log = new AccessLog(
    {
      logger,
      systemClock: pushableSystemClock(),
      storage: {
        monitoring: {
          addAccess: async (lines) => {
            state.calls += 1;
            if (state.isAway) throw new Error('away');
            stored.push(...lines);
          },
        },
      },
      ...input.ports,
    },
    { nodeName: 'n1', hostName: 'h1', retentionMs: input.retentionMs ?? 1_000 },
  );
  const add = (path: string) =>
    log.add({
      tenantRecordId: 1,
      method: 'GET',
      path,
      query: '',
      status: 200,
      bytesSent: 2,
      principal: 'admin',
      createdBy: null,
    });
  return { log, add, stored, state, logger };
}

describe('access log (platform §12.1 rule 5)', () => {
  it('stores entries outside the scope of any request (platform §13.1)', async () => {
    const scopes = workScopes();
    const stored = Promise.withResolvers<unknown>();
    const addAccess = async () => stored.resolve(scopes.current() ?? 'nobody');
    const ports = { scopes, systemClock: systemClock(), storage: { monitoring: { addAccess } } };
    const { add } = logOver({ ports });
    scopes.run({ requestId: 'a-request' } as never, () => {
      for (let line = 0; line < ACCESS_FLUSH_LINES; line += 1) add('/a');
    });
    expect(await stored.promise).to.equal('nobody');
  });

  it('stores several requests together, in order', async () => {
    const { log, add, stored, state } = logOver();
    for (const path of ['/a', '/b', '/c']) add(path);
    await log.flush();
    expect(stored.map(({ uri, nodeName, hostName }) => [uri, nodeName, hostName])).to.eql([
      ['/a', 'n1', 'h1'],
      ['/b', 'n1', 'h1'],
      ['/c', 'n1', 'h1'],
    ]);
    expect(state.calls).to.equal(1);
    await log.close();
  });

  it('keeps the entries of a failed write for the next attempt', async () => {
    const { log, add, stored, state } = logOver();
    state.isAway = true;
    add('/a');
    await log.flush();
    add('/b');
    state.isAway = false;
    await log.flush();
    expect(stored.map(({ uri }) => uri)).to.eql(['/a', '/b']);
    await log.close();
  });

  it('has a size limit, and reports the number of lost entries', async () => {
    const { log, add, stored, state, logger } = logOver();
    state.isAway = true;
    for (let index = 0; index < MAX_ACCESS_LINES_HELD + 7; index += 1) add(`/${index}`);
    await log.flush();
    expect(logger.lines.at(-1)?.fields).to.include({ held: MAX_ACCESS_LINES_HELD, lost: 7 });
    state.isAway = false;
    await log.close();
    expect(stored).to.have.length(MAX_ACCESS_LINES_HELD);
  });

  it('replaces characters that databases reject', async () => {
    const { log, add, stored } = logOver();
    add(`/a\0b${'\ud83d'}`);
    await log.close();
    expect(stored.map(({ uri }) => uri)).to.eql(['/a\ufffdb\ufffd']);
  });

  it('stores nothing when it is disabled', async () => {
    const { log, add, state } = logOver({ retentionMs: 0 });
    add('/a');
    await log.close();
    expect(state.calls).to.equal(0);
  });
});
