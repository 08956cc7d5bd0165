import { expect } from 'chai';
import { postgresqlDialect } from '../../../adapters/mikro-orm/postgresql/dialect.ts';
import { clauseConditions } from '../../../adapters/mikro-orm/sql/search-conditions.ts';
import { render } from '../../../adapters/mikro-orm/sql/sql.ts';
import { sqliteDialect } from '../../../adapters/mikro-orm/sqlite/dialect.ts';

const columns = {
  id: { column: 'id', type: 'uuid' },
  name: { column: 'name', type: 'text' },
  length: { column: 'first_name_length', type: 'number' },
} as const;

describe('clauses of a search (accounts §6.2)', () => {
  for (const [clause, postgresql, sqlite] of [
    [{ column: 'name', operator: 'eq', value: 'a' }, 'name = $1', 'name = ?'],
    [{ column: 'name', operator: 'neq', value: 'a' }, 'name <> $1', 'name <> ?'],
    [{ column: 'name', operator: 'gt', value: 'a' }, 'name collate "C" > $1', 'name > ?'],
    [{ column: 'name', operator: 'gte', value: 'a' }, 'name collate "C" >= $1', 'name >= ?'],
    [{ column: 'name', operator: 'lt', value: 'a' }, 'name collate "C" < $1', 'name < ?'],
    [{ column: 'name', operator: 'lte', value: 'a' }, 'name collate "C" <= $1', 'name <= ?'],
    [{ column: 'id', operator: 'eq', value: 'a' }, 'id = $1', 'id = ?'],
    [
      { column: 'id', operator: 'lt', value: 'a' },
      'cast(id as text) collate "C" < $1',
      'cast(id as text) < ?',
    ],
    [{ column: 'length', operator: 'gt', value: 2 }, 'first_name_length > $1', 'first_name_length > ?'],
    [{ column: 'name', operator: 'gt', value: 'a\0' }, '1 = 0', '1 = 0'],
    [
      { column: 'name', operator: 'like', value: 'İ1%' },
      `lower(cast(name as text) collate "C") like $1 escape '\\'`,
      `lower(cast(name as text)) like ? escape '\\'`,
    ],
    [
      { column: 'name', operator: 'like', value: 'Ö%' },
      `replace(lower(cast(name as text) collate "C"), $1, $2) like $3 escape '\\'`,
      `replace(lower(cast(name as text)), ?, ?) like ? escape '\\'`,
    ],
  ] as const) {
    it(`conditions of a search read texts alike on every database: ${JSON.stringify(clause)}`, () => {
      const condition = clauseConditions([clause], columns);
      expect(render(condition, postgresqlDialect.writer).text).to.equal(` and ${postgresql}`);
      expect(render(condition, sqliteDialect.writer).text).to.equal(` and ${sqlite}`);
    });
  }
});
