import { Decimal } from 'decimal.js';
import { findLender } from '../../../adapters/mikro-orm/hosts/find-lender.ts';
import { compileStatement } from '../../../adapters/mikro-orm/sql/connection.ts';
import { rejection } from '../../support/storage/opened-storage.ts';
import { ErrorCode, expect } from '../../support/unit.ts';

type Answer = (text: string, values: readonly unknown[]) => unknown;

const prisma = (provider: string, answer: Answer = () => []) => ({
  _activeProvider: provider,
  $queryRawUnsafe: async (text: string, ...values: readonly unknown[]) => answer(text, values),
  $executeRawUnsafe: async (text: string, ...values: readonly unknown[]) => answer(text, values),
});

async function run(provider: string, answer: Answer, text = 'select 1') {
  const lender = findLender(prisma(provider, answer));
  if (typeof lender === 'string') throw new Error(lender);
  return (await lender.lend()).transaction.executeQuery(compileStatement(text, [7]));
}

/** An error of Prisma that wraps a database error. */
const failure = (code: string, cause?: object) =>
  Object.assign(new Error('\nInvalid `prisma.$executeRawUnsafe()` invocation:\n\nIts own words'), {
    code,
    meta: { driverAdapterError: { cause } },
  });

describe('Prisma lender', () => {
  it('rejects a client outside a transaction or on another database', () => {
    const refusalOf = (handle: object) => {
      const lender = findLender(handle);
      return typeof lender === 'string' ? lender : lender.refusal;
    };
    const client = { ...prisma('postgresql'), $connect: async () => undefined };
    expect(refusalOf(client)).to.contain('prisma.$transaction(');
    expect(refusalOf(prisma('mysql'))).to.contain('mysql');
    expect(refusalOf(prisma('sqlite'))).to.equal(null);
  });

  it('returns the same values as a direct connection', async () => {
    const amount = new Decimal('0.000000012345678901234567');
    const row = {
      amount,
      big: 2n ** 62n,
      small: 5n,
      day: new Date('2024-02-29'),
      none: null,
      list: [1n, null],
    };
    expect((await run('postgresql', () => [row])).rows).to.eql([
      {
        amount: '0.000000012345678901234567',
        big: '4611686018427387904',
        small: '5',
        day: '2024-02-29',
        none: null,
        list: ['1', null],
      },
    ]);
    const { rows } = await run('sqlite', () => [{ big: 2n ** 62n, small: 5n, text: 'a' }]);
    expect(rows).to.eql([{ big: '4611686018427387904', small: 5, text: 'a' }]);
    const updated = await run('sqlite', (_text, values) => values[0], 'update a set b = ?');
    expect(updated).to.eql({ rows: [], numAffectedRows: 7n });
  });

  it('sends concurrent statements one at a time, even after a failure', async () => {
    let running = 0;
    let most = 0;
    const lender = findLender({
      ...prisma('postgresql'),
      $queryRawUnsafe: async (text: string) => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        if (text === 'select 2') throw failure('P2010');
        return [{ text }];
      },
    });
    if (typeof lender === 'string') throw new Error(lender);
    const { transaction } = await lender.lend();
    const queries = ['select 1', 'select 2', 'select 3'].map((text) =>
      transaction.executeQuery(compileStatement(text)),
    );
    const outcomes = await Promise.allSettled(queries);
    expect(outcomes.map(({ status }) => status)).to.eql(['fulfilled', 'rejected', 'fulfilled']);
    expect(most).to.equal(1);
  });

  it('passes database errors on and rejects an ended transaction', async () => {
    const failing = (error: Error) =>
      rejection(
        run('postgresql', () => {
          throw error;
        }),
      );
    const taken = { originalCode: '23505', originalMessage: 'duplicate key', constraint: { index: 'a_key' } };
    expect(await failing(failure('P2010', taken))).to.include({
      code: '23505',
      message: 'duplicate key',
      constraint: 'a_key',
    });
    expect(await failing(failure('P2010', { kind: 'ConnectionClosed' }))).to.include({ code: 'ECONNRESET' });
    const over = await failing(failure('P2028'));
    expect(over).to.include({ code: ErrorCode.MISSING_OR_INVALID_FIELD });
    expect(over.message).to.contain('timeout').and.to.contain('Its own words');
    const other = new Error('something else');
    expect(await failing(other)).to.equal(other);
  });
});
