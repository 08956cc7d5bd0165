import type { PositionedEntry } from '../../../lib/ports/storage/index.ts';
import { lateCause } from '../../../lib/queues/late-cause.ts';
import { newId } from '../../support/storage/stored-records.ts';
import { expect, instant } from '../../support/unit.ts';

const NOW_MS = Date.UTC(2025, 2, 10, 10);
const entry: PositionedEntry = {
  recordId: 7,
  kind: 'NOTIFICATION',
  topic: 'payment-service:retry',
  payload: {},
  accountRecordId: 1,
  tenantRecordId: 1,
  tenantId: newId(),
  accountId: newId(),
  userToken: newId(),
  traceParent: null,
  createdDate: instant(0),
  effectiveDate: instant(0),
  errorCount: 0,
  processingState: 'AVAILABLE',
  processingOwner: null,
  doneHandlers: [],
  availableAtMs: null,
  reason: null,
  underWay: null,
  behind: null,
  isCleared: false,
};
const now = { systemNowMs: NOW_MS, topics: new Set([entry.topic]), isAnybodyAtWork: true };
const claimed = { processingState: 'IN_PROCESSING', processingOwner: 'n1' } as const;

/** platform §9.5 rule 1, row by row: each applies only if the earlier ones do not. */
const table: readonly (readonly [changes: Partial<PositionedEntry>, cause: string, why: string])[] = [
  [
    { ...claimed, availableAtMs: NOW_MS + 1_000 },
    'IN_PROCESSING',
    'n1 is processing it until 2025-03-10T10:00:01.000Z, unless it renews its lease',
  ],
  [
    { ...claimed, availableAtMs: NOW_MS },
    'NODE_GONE',
    'n1 held it until 2025-03-10T10:00:00.000Z and did not renew its lease',
  ],
  [
    { availableAtMs: NOW_MS + 5_000, errorCount: 2, reason: 'Error: no', behind: 3 },
    'PAUSED',
    'it has failed 2 times (Error: no); it will be retried at 2025-03-10T10:00:05.000Z',
  ],
  [
    { availableAtMs: NOW_MS + 100 },
    'PAUSED',
    'its account was busy; it will be retried at 2025-03-10T10:00:00.100Z',
  ],
  [{ topic: 'elsewhere:new', behind: 3 }, 'UNKNOWN_TOPIC', 'nothing in this version handles elsewhere:new'],
  [
    { underWay: { recordId: 5, owner: 'n2' }, behind: 3 },
    'BEHIND',
    'entry 5 of its account is being processed by n2',
  ],
  [{ behind: 3 }, 'BEHIND', 'entry 3 of its account comes first'],
  [{ availableAtMs: NOW_MS }, 'WAITING', 'the next free node will process it'],
];

describe('reason for a late queue entry (platform §9.5 rule 1)', () => {
  for (const [changes, cause, why] of table)
    it(`is ${cause} with the explanation "${why}"`, () =>
      expect(lateCause({ ...entry, ...changes }, now)).to.eql({ cause, why }));

  it('is NO_NODE when no node is running', () => {
    expect(lateCause(entry, { ...now, isAnybodyAtWork: false }).cause).to.equal('NO_NODE');
    expect(lateCause({ ...entry, behind: 3 }, { ...now, isAnybodyAtWork: false }).cause).to.equal('BEHIND');
  });
});
