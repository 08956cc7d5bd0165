import { secretCipher } from '../../adapters/node/index.ts';
import { type SigningSecretService, signingSecretService } from '../../lib/tenants/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect } from '../support/index.ts';

const HOUR_MS = 3_600_000;

eachDatabaseByTurns('signing secrets of a tenant (platform §10.3)', (open) => {
  let secrets: SigningSecretService;

  const engine = engineBeforeEach(open, { now: '2025-03-10T09:00:00Z' });
  beforeEach(async () => {
    secrets = serviceWith('the key of this server, which has 32 characters');
  });

  function serviceWith(serverKey: string): SigningSecretService {
    const { storage, systemClock } = engine;
    const ids = { next: () => crypto.randomUUID() as never };
    return signingSecretService({ storage, systemClock, ids, cipher: secretCipher(serverKey) });
  }
  const context = () => engine.billing.context({ tenant: engine.tenant, user: 'test' });
  const current = (service = secrets) =>
    engine.storage.read(engine.tenant, (session) => service.current(session));
  const create = async () => secrets.create(await context());

  it('signing secrets of a tenant are told once, kept encrypted, and sign until they are deleted', async () => {
    expect(await current()).to.eql([]);
    const secret = await create();
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await current()).to.eql([secret]);
    const [stored] = await engine.storage.read(engine.tenant, (session) => session.signingSecrets.active());
    expect(stored?.secret).to.not.contain(secret.slice('whsec_'.length));
    await secrets.delete(await context());
    await secrets.delete(await context());
    expect(await current()).to.eql([]);
  });

  it('signing secrets of a tenant overlap for 24 hours when one is replaced, and never more than two of them', async () => {
    const [first, second] = [await create(), await create()];
    expect(await current()).to.eql([second, first]);
    const third = await create();
    expect(await current()).to.eql([third, second]);
    engine.systemClock.push(24 * HOUR_MS - 60_000);
    expect(await current()).to.eql([third, second]);
    engine.systemClock.push(60_000);
    expect(await current()).to.eql([third]);
  });

  it('signing secrets of a tenant stay with their tenant', async () => {
    await create();
    const other = await engine.billing.tenants.create(
      { userName: 'test' },
      { apiKey: 'other', apiSecret: 'x' },
    );
    expect(await engine.storage.read(other, (session) => secrets.current(session))).to.eql([]);
  });

  it('signing secrets of another server key are not taken for none', async () => {
    await create();
    let thrown: unknown;
    await current(serviceWith('another key, which has 32 characters as well')).catch((error: unknown) => {
      thrown = error;
    });
    expect((thrown as Error).message).to.contain('another server key');
  });
});
