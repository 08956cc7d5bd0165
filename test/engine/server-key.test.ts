import { secretCipher } from '../../adapters/node/index.ts';
import { lostSecrets, rotateServerKey } from '../../lib/security/index.ts';
import { eachDatabase, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';

const [OLD, NEW, OTHER] = ['o', 'n', 'x'].map((letter) => letter.repeat(40)) as [string, string, string];
const NAMES = ['signing secret of tenant shop', 'signing key of tokens key-1'];

eachDatabase.describe('server key (platform §6.3)', (open) => {
  let engine: TestEngine;
  let cipher: ReturnType<typeof secretCipher>;
  beforeEach(async () => {
    cipher = secretCipher(OLD);
    const given: typeof cipher = {
      random: (length) => cipher.random(length),
      encrypt: (text) => cipher.encrypt(text),
      decrypt: (stored) => cipher.decrypt(stored),
    };
    engine = await openEngine(open, { now: '2024-03-01T00:00:00Z', cipher: given, areCells: false });
    await engine.acme.signingSecrets.create();
    await engine.billing.security.tokenKeys.signer(async () => ({
      kid: 'key-1',
      publicKey: {},
      privateKey: 'private',
    }));
  });

  const lostWith = (key: string) =>
    lostSecrets({ storage: engine.storage, systemClock: engine.systemClock, cipher: secretCipher(key) });

  const rotate = (from: string, to: string) =>
    rotateServerKey(engine.storage, { cipher: secretCipher(to), former: secretCipher(from) });

  it('makes the node unhealthy after a change, with a warning that lists the lost secrets (rule 4)', async () => {
    const serverKey = async () => (await engine.billing.health()).serverKey;
    cipher = secretCipher(NEW);
    engine.billing.start();
    expect(await serverKey()).to.eql({
      healthy: false,
      message: 'The server key cannot decrypt 2 stored secrets; the log names them',
    });
    expect((await serverKey()).healthy).to.equal(false);
    const warned = engine.logger.lines.filter(({ message }) => /server key was changed/.test(message));
    expect(warned.map(({ fields }) => fields)).to.eql([{ secrets: NAMES }]);
    cipher = secretCipher(NEW, [OLD]);
    expect(await serverKey()).to.eql({ healthy: true, message: null });
  });

  it('can be rotated so that decryption needs only the new key (rule 5)', async () => {
    expect(await rotate(OLD, NEW)).to.eql({ rotated: 2, upToDate: 0, lost: [] });
    expect(await lostWith(NEW)).to.eql([]);
    expect(await lostWith(OLD)).to.eql(NAMES);
    expect(await rotate(OLD, NEW)).to.eql({ rotated: 0, upToDate: 2, lost: [] });
  });

  it('can be fully rotated after an interrupted rotation (rule 5)', async () => {
    const [first] = await engine.storage.secrets.list('SIGNING_SECRET', { after: 0, limit: 1 });
    const text = await secretCipher(OLD).decrypt(first?.text ?? '');
    const after = await secretCipher(NEW).encrypt(text ?? '');
    const one = { recordId: first?.recordId ?? 0, before: first?.text ?? '', after };
    expect(await engine.storage.secrets.replace('SIGNING_SECRET', [one])).to.equal(1);
    // The stored text has changed since `one` was read.
    expect(await engine.storage.secrets.replace('SIGNING_SECRET', [one])).to.equal(0);
    expect(await rotate(OLD, NEW)).to.eql({ rotated: 1, upToDate: 1, lost: [] });
  });

  it('is not rotated with a wrong old key (rule 5)', async () => {
    await expectCode(rotate(OTHER, NEW), 'INVALID_PARAMETER');
    expect(await lostWith(OLD)).to.eql([]);
  });
});
