import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { unknownVariables } from '../../adapters/cli/configuration/unknown-names.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the examples of deployments', () => {
  for (const file of ['Dockerfile', 'examples/compose.yaml', 'examples/billwright.service']) {
    it(`leave the database to the environment, which an option would win over and show to everybody: ${file}`, async () => {
      const text = await readFile(join(root, file), 'utf8');
      expect(text).to.include('BILLWRIGHT_DATABASE').and.to.not.include('--database');
    });

    it(`name variables that there are: ${file}`, async () => {
      const text = await readFile(join(root, file), 'utf8');
      // One of the container of the database, for the script that makes the role.
      const names = text
        .match(/\bBILLWRIGHT_[A-Z_]+/g)
        ?.filter((name) => name !== 'BILLWRIGHT_DATABASE_PASSWORD');
      expect(names).to.not.be.empty;
      expect(unknownVariables(Object.fromEntries((names ?? []).map((name) => [name, 'x'])))).to.deep.equal(
        [],
      );
    });
  }
});
