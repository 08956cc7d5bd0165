import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { unknownVariables } from '../../adapters/cli/environment.ts';
import manifest from '../../package.json' with { type: 'json' };

const root = resolve(import.meta.dirname, '../..');

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
}

interface Service {
  readonly build?: string;
  readonly command?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
}

describe('deployment examples', () => {
  for (const file of ['Dockerfile', 'examples/compose.yaml', 'examples/billwright.service']) {
    it(`leave the database URL in ${file} to the environment, because an option would expose it`, async () => {
      const text = await readFile(join(root, file), 'utf8');
      expect(text).to.include('BILLWRIGHT_DATABASE').and.to.not.include('--database');
    });

    it(`use only existing variables in ${file}`, async () => {
      const text = await readFile(join(root, file), 'utf8');
      // The excluded variable belongs to the database container, for the script that creates the role.
      const names = text
        .match(/\bBILLWRIGHT_[A-Z_]+/g)
        ?.filter((name) => name !== 'BILLWRIGHT_DATABASE_PASSWORD');
      expect(names).to.not.be.empty;
      expect(unknownVariables(Object.fromEntries((names ?? []).map((name) => [name, 'x'])))).to.eql([]);
    });
  }

  it('run the image as an unprivileged user and deliver signals to the server', async () => {
    const text = await readFile(join(root, 'Dockerfile'), 'utf8');
    const lines = text.slice(text.lastIndexOf('FROM ')).split('\n');
    const user = lines.findIndex((line) => /^USER (?!root|0\b)\w+/.test(line));
    expect(user).to.be.greaterThan(lines.findLastIndex((line) => line.startsWith('RUN ')));
    for (const instruction of ['ENTRYPOINT', 'CMD'])
      expect(lines.find((line) => line.startsWith(instruction))).to.match(/^[A-Z]+ \[".*"\]$/);
  });

  it('build the image with compose and connect with a role that is subject to row-level security', async () => {
    const { services, configs } = load(
      await readFile(join(root, 'examples/compose.yaml'), 'utf8'),
    ) as Compose;
    const { server, database } = services;
    expect(existsSync(join(root, 'examples', server?.build ?? '?', 'Dockerfile'))).to.equal(true);
    expect(server?.command).to.include.members(['serve', '--migrate', '--require-rls']);
    const [script] = (database?.configs ?? []).map(({ source }) => configs[source]?.content);
    expect(script)
      .to.include('create role billwright')
      .and.to.not.match(/superuser|bypassrls/i);
  });

  it('start the command with systemd as a dedicated user and stop it with SIGTERM', async () => {
    const text = await readFile(join(root, 'examples/billwright.service'), 'utf8');
    expect(text).to.include(`node node_modules/billwright/${manifest.bin.billwright} serve`);
    expect(text)
      .to.match(/^User=(?!root)\w+$/m)
      .and.to.match(/^KillSignal=SIGTERM$/m);
  });
});
