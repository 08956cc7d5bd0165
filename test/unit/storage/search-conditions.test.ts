import { expect } from 'chai';
import { postgresqlDialect } from '../../../adapters/mikro-orm/postgresql/dialect.ts';
import { clauseConditions } from '../../../adapters/mikro-orm/sql/search-conditions.ts';
import { render } from '../../../adapters/mikro-orm/sql/sql.ts';
import { sqliteDialect } from '../../../adapters/mikro-orm/sqlite/dialect.ts';

describe('search conditions (accounts §6.2)', () => {
  for (const [clause, postgresql, sqlite] of [
    [{ property: 'name', type: 'text', operator: 'eq', value: 'a' }, 'name = $1', 'name = ?'],
    [{ property: 'name', type: 'text', operator: 'neq', value: 'a' }, 'name <> $1', 'name <> ?'],
    [{ property: 'name', type: 'text', operator: 'gt', value: 'a' }, 'name collate "C" > $1', 'name > ?'],
    [{ property: 'name', type: 'text', operator: 'gte', value: 'a' }, 'name collate "C" >= $1', 'name >= ?'],
    [{ property: 'name', type: 'text', operator: 'lt', value: 'a' }, 'name collate "C" < $1', 'name < ?'],
    [{ property: 'name', type: 'text', operator: 'lte', value: 'a' }, 'name collate "C" <= $1', 'name <= ?'],
    [{ property: 'id', type: 'uuid', operator: 'eq', value: 'a' }, 'id = $1', 'id = ?'],
    [
      { property: 'id', type: 'uuid', operator: 'lt', value: 'a' },
      'cast(id as text) collate "C" < $1',
      'cast(id as text) < ?',
    ],
    [
      { property: 'firstNameLength', type: 'number', operator: 'gt', value: 2 },
      'first_name_length > $1',
      'first_name_length > ?',
    ],
    [{ property: 'name', type: 'text', operator: 'gt', value: 'a\0' }, '1 = 0', '1 = 0'],
    [
      { property: 'name', type: 'text', operator: 'like', value: 'İ1%' },
      `lower(cast(name as text) collate "C") like $1 escape '\\'`,
      `lower(cast(name as text)) like ? escape '\\'`,
    ],
    [
      { property: 'name', type: 'text', operator: 'like', value: 'Ö%' },
      `replace(lower(cast(name as text) collate "C"), $1, $2) like $3 escape '\\'`,
      `replace(lower(cast(name as text)), ?, ?) like ? escape '\\'`,
    ],
  ] as const)
    it(`compare text the same way on every database for ${JSON.stringify(clause)}`, () => {
      const condition = clauseConditions([clause]);
      expect(render(condition, postgresqlDialect.writer).text).to.equal(` and ${postgresql}`);
      expect(render(condition, sqliteDialect.writer).text).to.equal(` and ${sqlite}`);
    });
});
