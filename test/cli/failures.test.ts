import { expect } from 'chai';
import { databaseFailure, reachingDatabase } from '../../adapters/cli/database.ts';
import { missingPackages, packagesOf } from '../../adapters/cli/packages.ts';
import { BillingError, ErrorCode } from '../../lib/values/errors/index.ts';
import manifest from '../../package.json' with { type: 'json' };

const url = 'postgresql://ada:secret@db.example:5433/shop';

function coded(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('startup error', () => {
  for (const [database, error, words] of [
    [url, coded('connect ECONNREFUSED', 'ECONNREFUSED'), 'the connection was refused. Start PostgreSQL'],
    [url, coded('getaddrinfo ENOTFOUND db.example', 'ENOTFOUND'), 'the host name is unknown'],
    [url, coded('connect ETIMEDOUT', 'ETIMEDOUT'), 'check the network'],
    [url, coded('password authentication failed', '28P01'), 'rejects the password'],
    [url, coded('no pg_hba.conf entry', '28000'), 'rejects the user'],
    [
      url,
      coded('database "shop" does not exist', '3D000'),
      'does not exist: create it with createdb --owner=ada shop,',
    ],
    [url, coded('permission denied for schema public', '42501'), 'does not permit this operation'],
    [url, new Error('SASL: client password must be a string'), 'check its password and sslmode'],
    [
      url,
      coded('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
      'specify the file of its certificate authority',
    ],
    [url, coded('no pg_hba.conf entry for host "h", no encryption', '28000'), 'add ?sslmode=verify-full'],
    [url, coded('connect ENOENT /run/.s.PGSQL.5432', 'ENOENT'), 'a socket or file in its URL does not exist'],
    ['a.db', coded('file is not a database', 'SQLITE_NOTADB'), 'is not a SQLite file'],
    ['a.db', coded('attempt to write a readonly database', 'SQLITE_READONLY'), 'cannot be written'],
    ['a.db', coded('EACCES: permission denied', 'EACCES'), 'cannot be written'],
    ['a.db', coded('database is locked', 'SQLITE_BUSY'), 'is locked by another process'],
    ['a.db', coded('unable to open database file', 'SQLITE_CANTOPEN'), 'cannot be opened'],
    ['a.db', coded('malformed', 'SQLITE_CORRUPT_VTAB'), 'is damaged: restore a backup'],
  ] as const)
    it(`contains a solution but no password for "${error.message}"`, () => {
      const wrapped = new BillingError({ code: ErrorCode.BUSY, message: 'later', cause: error });
      const several = new AggregateError([error], 'every address was tried');
      for (const each of [error, wrapped, several]) {
        const text = databaseFailure(each, database);
        expect(text).to.include(words).and.to.include(`(${error.message})`);
        expect(text).to.match(
          database === url
            ? /^The database postgresql:\/\/ada@db\.example:5433\/shop /
            : /^The database a\.db /,
        );
        expect(text).to.not.include('secret');
      }
    });

  it('names all hosts of the database', () => {
    const message = 'No host of the database URL can be used: one:5432 is a standby';
    const hosts = 'postgresql://ada:secret@one:5432,two/shop?target_session_attrs=read-write';
    expect(databaseFailure(coded(message, 'NO_HOST'), hosts)).to.equal(
      `The database postgresql://ada@one:5432,two/shop cannot be reached: start the primary or promote a standby, or correct the hosts (${message})`,
    );
  });

  it('names the database if its schema is rejected, but not for unrelated errors', () => {
    expect(databaseFailure(new Error('The database lacks 2 migration(s)'), 'a.db')).to.equal(
      'The database a.db lacks 2 migration(s)',
    );
    expect(databaseFailure(new Error('Two invoice plugins have the same name: a, a'), 'a.db')).to.equal(null);
    const port = Object.assign(coded('listen EACCES', 'EACCES'), { syscall: 'listen' });
    expect(databaseFailure(port, 'a.db')).to.equal(null);
    const address = coded('getaddrinfo ENOTFOUND nowhere', 'ENOTFOUND');
    const ofServer = Object.assign(address, { syscall: 'getaddrinfo', hostname: 'nowhere' });
    expect(databaseFailure(ofServer, url)).to.equal(null);
    expect(databaseFailure(new Error('x'), 'postgresql://a:b/c@d:e@f/g')).to.match(/%40, %3A, %2F and %25$/);
  });
});

describe('startup error for a missing package', () => {
  const notFound = (name: string) =>
    coded(`Cannot find package '${name}' imported from /app/dist/chunks/A.js`, 'ERR_MODULE_NOT_FOUND');

  it('names the command that installs the missing package in the required version', () => {
    const { peerDependencies } = manifest;
    const text = missingPackages(new Error('outer', { cause: notFound('@koa/router') }), ['koa']);
    expect(text).to.include('"@koa/router" is not installed');
    expect(text).to.match(/: npm install \S+$/);
    expect(text).to.include(`@koa/router@${peerDependencies['@koa/router']}`);
    expect(text).to.not.include(` koa@`);
  });

  it('lists all packages missing for the requested database', async () => {
    const thrown = await reachingDatabase({ database: url }, () =>
      Promise.reject(notFound('@mikro-orm/postgresql')),
    ).catch((error: unknown) => error);
    expect((thrown as Error).message).to.match(/npm install "?@mikro-orm\/postgresql@/);
  });

  it('covers every optional dependency of billwright that startup needs', () => {
    const notNeeded = Object.keys(manifest.peerDependencies).filter((name) =>
      /^(stripe|swagger-ui-dist|pdfkit|fontkit|bidi-js|@expo-google-fonts\/.*|@opentelemetry\/.*)$/.test(
        name,
      ),
    );
    const known = new Set([...Object.values(packagesOf).flat(), ...notNeeded]);
    expect(known).to.eql(new Set(Object.keys(manifest.peerDependencies)));
  });

  it('keeps the original message for any other missing module', () => {
    expect(missingPackages(notFound('left-pad'), [])).to.equal(null);
    expect(missingPackages(new Error('other'), [])).to.equal(null);
  });
});
