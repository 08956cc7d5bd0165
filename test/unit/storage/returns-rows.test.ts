import { expect } from 'chai';
import { returnsRows } from '../../../adapters/mikro-orm/hosts/prisma.ts';

const statements: readonly (readonly [text: string, returns: boolean])[] = [
  ['select 1', true],
  [' SELECT a from b for update', true],
  ['values (1), (2)', true],
  ['pragma journal_mode', true],
  ['with a as (select 1) select * from a', true],
  ['with recursive a (b) as (select 1 union select b from a) select b from a', true],
  ['insert into a values (1)', false],
  ['insert into a select * from b', false],
  ['insert into a (b) values (1) on conflict (b) do update set c = 1 returning b', true],
  ['update a set b = (select max(c) from d)', false],
  ['delete from a where b in (select c from d) returning b', true],
  ['with moved as (delete from a where (b = 1) returning *) insert into c select * from moved', false],
  ['with moved as (delete from a returning *) select count(*) from moved', true],
  ["update a set b = 'they are returning (' where c = ')'", false],
  ['savepoint a', false],
  ['rollback to savepoint a', false],
  ["set local lock_timeout = '1s'", false],
];

describe('statement result detection', () => {
  for (const [text, returns] of statements)
    it(`expects ${returns ? 'rows' : 'a count'} for ${text.trim()}`, () =>
      expect([returnsRows(text), returnsRows(text)]).to.eql([returns, returns]));
});
