import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

const program = `
  import { createLogger } from './adapters/cli/logger.ts';
  const url = 'postgres://bob:sesame@db/billing';
  createLogger().error({ err: new Error('cannot connect to ' + url), url }, 'token: Bearer sesame-open');
`;

describe('command log', () => {
  it('masks secrets in messages, fields and errors (platform §6.3 rule 3)', () => {
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stderr).to.contain('postgres://bob:*****@db/billing').and.contain('token: *****');
    expect(stderr).not.to.contain('sesame');
  });
});
