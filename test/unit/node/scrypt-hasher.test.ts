import { scryptHasher } from '../../../adapters/node/index.ts';
import { expect, InvariantError } from '../../support/unit.ts';

const stored = '$scrypt$ln=15,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$hSSwjGIPQg9bhYcWKqx9ueA62Rppwjf7lqfdOl9VEg0';

describe('a scrypt hash', () => {
  it('equals the specified hash for a given password and salt (platform P7 "Password hash")', async () => {
    const hasher = scryptHasher({ saltOf: () => Buffer.from('0123456789abcdef') });
    expect(await hasher.hash('password')).to.equal(stored);
  });

  it('is verified with the parameters stored in it', async () => {
    const weaker = '$scrypt$ln=4,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$jU+wVnnRO8xMJ6kk2pn2W1IFgOT9r8PK+dHZ+HH3bt4';
    const hasher = scryptHasher();
    expect(await hasher.verify('password', stored)).to.equal(true);
    expect(await hasher.verify('Password', stored)).to.equal(false);
    expect(await hasher.verify('password', weaker)).to.equal(true);
    expect(await hasher.verify('passwort', weaker)).to.equal(false);
  });

  it('has a new salt each time', async () => {
    const hasher = scryptHasher();
    const [one, other] = await Promise.all([hasher.hash('secret'), hasher.hash('secret')]);
    expect(one).to.not.equal(other);
    expect(await hasher.verify('secret', one)).to.equal(true);
  });

  it('matches no password when the user is unknown', async () =>
    expect(await scryptHasher().verify('password', null)).to.equal(false));

  for (const text of [
    'plain',
    '$scrypt$ln=15,r=8,p=1$MDEy$',
    '$scrypt$ln=31,r=8,p=1$MDEy$MDEy',
    '$scrypt$ln=0,r=8,p=1$MDEy$MDEy',
    '$scrypt$ln=15,r=99,p=1$MDEy$MDEy',
  ])
    it(`is invalid as "${text}"`, async () => {
      const failure = await scryptHasher()
        .verify('password', text)
        .catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(InvariantError);
    });
});
