import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isFormerNode, newNodeName } from '../../../adapters/node/index.ts';

const module = fileURLToPath(new URL('../../../adapters/node/node-name.ts', import.meta.url));

/** A process that prints its node name and keeps running. */
async function anotherNode(): Promise<{ readonly process: ChildProcess; readonly name: string }> {
  const script = `import { newNodeName } from ${JSON.stringify(module)};
    console.log(newNodeName()); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, name: output.toString('utf8').trim() };
}

describe('generated node name (platform §15 rule 1)', () => {
  it('differs for each engine in a process and never equals the name of a former node', () => {
    const names = [newNodeName(), newNodeName(), newNodeName()];
    expect(new Set(names).size).to.equal(3);
    expect(names.filter(isFormerNode)).to.eql([]);
  });

  it('is recognized as the name of a former node once the process of that node has ended, even by SIGKILL', async () => {
    const { process: child, name } = await anotherNode();
    expect(isFormerNode(name)).to.equal(false);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(isFormerNode(name)).to.equal(true);
  });

  it('is recognized as the name of a former node when another process now has its pid', () => {
    const [space = '', pid = '', started = ''] =
      /^(.+)\.(\d+)\.(\d+)\.\d+$/.exec(newNodeName())?.slice(1) ?? [];
    expect(isFormerNode(`${space}.${pid}.${Number(started) - 1}.1`)).to.equal(true);
  });

  it('is not recognized as the name of a former node when it is from another host, an earlier boot or a user setting', () => {
    const others = [
      'elsewhere-01234567.1.1.1',
      newNodeName().replace(/-[^-.]+\./, '-00000000.'),
      'node-7',
      '',
    ];
    expect(others.filter(isFormerNode)).to.eql([]);
  });
});
