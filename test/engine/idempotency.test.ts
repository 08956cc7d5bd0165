import { Billing } from '../../adapters/node/billwright.ts';
import { secretCipher, uuidGenerator } from '../../adapters/node/index.ts';
import { BillingError, ErrorCode } from '../../lib/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { IdempotencyService } from '../../lib/runtime/index.ts';
import { eachDatabase } from '../support/databases.ts';
import { expect, expectCode, migrated, pushableSystemClock, storageOf } from '../support/index.ts';

const MINUTE_MS = 60_000;
const tenant = { id: '11111111-1111-4111-8111-111111111111', recordId: 7 } as never;
const answer = { status: 201, headers: { Location: '/x/1' }, body: '{"secret":"whsec_1"}' };

eachDatabase.describe('stored responses', (open) => {
  let storage: Storage<never>;
  let clock: ReturnType<typeof pushableSystemClock>;
  let service: IdempotencyService;
  beforeEach(async () => {
    storage = storageOf(await open(migrated));
    clock = pushableSystemClock();
    const cipher = secretCipher('k'.repeat(32));
    service = new IdempotencyService({ storage, ids: uuidGenerator(), cipher, systemClock: clock });
  });
  afterEach(() => storage.close());

  const begin = (hash = 'h', key = 'key') => service.begin({ tenant, key, hash });
  const claimOf = async (hash?: string) => {
    const { claim } = await begin(hash);
    if (claim === undefined) throw new Error('the key was taken');
    return claim;
  };

  it('are returned unchanged', async () => {
    expect(await service.keep(await claimOf(), answer)).to.equal(true);
    expect(await begin()).to.eql({ answer });
  });

  it('may be missing after a crash, so that the request is allowed again after ten minutes', async () => {
    await claimOf();
    clock.push(9 * MINUTE_MS);
    await expectCode(begin(), 'IDEMPOTENCY_IN_PROGRESS');
    clock.push(MINUTE_MS + 1);
    await expectCode(begin('other'), 'IDEMPOTENCY_KEY_REUSED');
    expect(await begin()).to.have.property('claim');
  });

  it('come from the call that took over the key, even if the earlier call responds later', async () => {
    const late = await claimOf();
    clock.push(10 * MINUTE_MS + 1);
    const current = await claimOf();
    expect(await service.keep(late, { ...answer, body: 'late' })).to.equal(false);
    await service.release(late);
    expect(await service.keep(current, answer)).to.equal(true);
    expect(await begin()).to.eql({ answer });
  });

  it('can be removed by the next call with their key if an earlier release of the key failed', async () => {
    let isFull = true;
    const idempotency = {
      ...storage.idempotency,
      release: async (claim: Parameters<typeof storage.idempotency.release>[0]) => {
        if (isFull) throw new BillingError({ code: ErrorCode.NO_ROOM, message: 'full' });
        return storage.idempotency.release(claim);
      },
    };
    const cipher = secretCipher('k'.repeat(32));
    const ports = { ids: uuidGenerator(), cipher, systemClock: clock };
    service = new IdempotencyService({ ...ports, storage: { ...storage, idempotency } }, MINUTE_MS);
    const claim = await claimOf();
    await expectCode(service.release(claim), 'NO_ROOM');
    await expectCode(begin(), 'NO_ROOM');
    isFull = false;
    expect(await begin()).to.have.property('claim');
    await expectCode(begin(), 'IDEMPOTENCY_IN_PROGRESS');
  });

  it('can be stored for another request if the first request has released the key', async () => {
    await service.release(await claimOf());
    expect(await begin('other')).to.have.property('claim');
  });

  it('expire after a day, so that another request can use the key', async () => {
    await service.keep(await claimOf(), answer);
    clock.push(24 * 60 * MINUTE_MS - 1_000);
    await service.purge();
    expect(await begin()).to.eql({ answer });
    clock.push(2_000);
    expect(await begin('other')).to.have.property('claim');
    clock.push(25 * 60 * MINUTE_MS);
    await service.purge();
    expect(await storage.idempotency.purge(clock.nowMs(), 10)).to.equal(0);
  });

  it('are kept for the time that server.idempotency.retention specifies', async () => {
    const billing = await Billing.open({
      storage,
      systemClock: clock,
      configuration: { 'org.service.server.idempotency.retention': '1h' },
    });
    const request = { tenant, key: 'short', hash: 'h' };
    const { claim } = await billing.idempotency.begin(request);
    if (claim === undefined) throw new Error('the key was taken');
    await billing.idempotency.keep(claim, answer);
    clock.push(59 * MINUTE_MS);
    expect(await billing.idempotency.begin(request)).to.eql({ answer });
    clock.push(2 * MINUTE_MS);
    expect(await billing.idempotency.begin(request)).to.have.property('claim');
  });

  it('have an encrypted body in the database', async () => {
    await service.keep(await claimOf(), answer);
    const bounds = { expiredBeforeMs: 0, abandonedBeforeMs: 0 };
    const claim = { tenantRecordId: 7, key: 'key', claimId: uuidGenerator().next() };
    const row = await storage.idempotency.claim({ ...claim, requestHash: 'h', nowMs: 1 }, bounds);
    expect(row?.body).to.match(/^\$aes256gcm\$/);
  });
});
