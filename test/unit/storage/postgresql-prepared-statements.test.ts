import { expect } from 'chai';
import { keepPrepared } from '../../../adapters/mikro-orm/postgresql-prepared-statements.ts';

/** A pool whose connections note what they are asked. */
function recordingPool() {
  const asked: unknown[][] = [];
  let connected: (client: { query(...args: unknown[]): unknown }) => void = () => undefined;
  const pool = {
    Client: { Query: class {} },
    on: (_event: 'connect', listener: typeof connected) => {
      connected = listener;
    },
  };
  const connect = () => {
    const client = {
      query(...args: unknown[]) {
        asked.push(args);
      },
    };
    connected(client);
    return client;
  };
  return { asked, pool, connect };
}

describe('prepared statements on PostgreSQL', () => {
  it('have one name per text, on every connection', () => {
    const { asked, pool, connect } = recordingPool();
    keepPrepared(pool);
    connect().query('select $1', [1]);
    connect().query('select $1', [2]);
    connect().query('select $1 + 1', [3]);
    const names = asked.map(([config]) => (config as { name: string }).name);
    expect(names[0]).to.equal(names[1]).and.not.equal(names[2]);
    expect(asked[1]).to.deep.equal([{ name: names[0], text: 'select $1', values: [2] }]);
  });

  it('are those with parameters only: settings, locks and documents of others pass as they are', () => {
    const { asked, pool, connect } = recordingPool();
    keepPrepared(pool);
    const client = connect();
    client.query('begin');
    client.query('commit', []);
    client.query({ text: 'select $1', values: [1] });
    expect(asked).to.deep.equal([
      ['begin', undefined],
      ['commit', []],
      [{ text: 'select $1', values: [1] }, undefined],
    ]);
  });

  it('are none that search by a pattern: each pattern has a plan of its own', () => {
    const { asked, pool, connect } = recordingPool();
    keepPrepared(pool);
    connect().query('select name from t where name like $1', ['%rare%']);
    expect(asked).to.deep.equal([['select name from t where name like $1', ['%rare%']]]);
  });

  it('are bounded: texts without end are not kept by the server', () => {
    const { asked, pool, connect } = recordingPool();
    keepPrepared(pool);
    const client = connect();
    for (let index = 0; index < 600; index += 1) client.query(`select $1 + ${index}`, [1]);
    client.query('select $1 + 0', [1]);
    const named = asked.filter(([config]) => typeof config === 'object');
    expect(named).to.have.length(501);
    expect(asked.at(-1)?.[0]).to.have.property('name', 'bw_0');
  });
});
