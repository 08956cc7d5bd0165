import { ErrorCode } from '../../lib/index.ts';
import { openTwoCells, type TwoCells } from '../support/cells/two-cells.ts';
import { codeOf, expect, onPostgresql } from '../support/index.ts';
import { newId } from '../support/storage/stored-records.ts';

onPostgresql.describe('single statements for a moving tenant', (open) => {
  let cells: TwoCells;

  beforeEach(async () => {
    cells = await openTwoCells(open);
  });
  afterEach(() => cells.close());

  it('are rejected when they store the response for an idempotency key or release the key (cells §3.2 rule 2)', async () => {
    const { idempotency } = cells.storages.west;
    const claim = { tenantRecordId: cells.tenant.recordId, key: 'key', claimId: newId() };
    const bounds = { expiredBeforeMs: 0, abandonedBeforeMs: 0 };
    await idempotency.claim({ ...claim, requestHash: 'hash', nowMs: 1 }, bounds);
    const answer = { status: 200, headers: {}, body: 'body' };
    await cells.move('east', {
      watch: async (moment) => {
        if (moment !== 'before directory.switchMove') return;
        expect(await codeOf(idempotency.keep(claim, answer))).to.equal(ErrorCode.BUSY);
        expect(await codeOf(idempotency.release(claim))).to.equal(ErrorCode.BUSY);
      },
    });
    expect(await cells.storages.east.idempotency.keep(claim, answer)).to.equal(true);
  });

  it('are rejected when they store a secret under a new server key (cells §3.2 rule 2)', async () => {
    const { secrets } = cells.storages.west;
    const claim = { tenantRecordId: cells.tenant.recordId, key: 'key', claimId: newId() };
    const { idempotency } = cells.storages.west;
    await idempotency.claim(
      { ...claim, requestHash: 'hash', nowMs: 1 },
      { expiredBeforeMs: 0, abandonedBeforeMs: 0 },
    );
    await idempotency.keep(claim, { status: 200, headers: {}, body: 'old' });
    const [stored] = await secrets.list('STORED_ANSWER', { after: 0, limit: 1 });
    const texts = [{ recordId: stored?.recordId ?? 0, before: 'old', after: 'new' }];
    await cells.move('east', {
      watch: async (moment) => {
        if (moment !== 'before directory.switchMove') return;
        for (const { secrets: of } of Object.values(cells.storages))
          expect(await codeOf(of.replace('STORED_ANSWER', texts))).to.equal(ErrorCode.BUSY);
      },
    });
    expect(await cells.storages.east.secrets.replace('STORED_ANSWER', texts)).to.equal(1);
  });
});
