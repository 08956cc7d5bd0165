import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfiguration } from '../../adapters/cli/configuration/configured.ts';
import { databaseOf } from '../../adapters/cli/database.ts';
import { type Environment, unknownVariables } from '../../adapters/cli/environment.ts';
import { writeDefinition } from '../../adapters/cli/init.ts';
import { serveOptions } from '../../adapters/cli/serve-options.ts';
import { UsageError } from '../../adapters/cli/usage-error.ts';
import type { ServerDefinition } from '../../adapters/server/index.ts';
import { RetryLater } from '../../lib/index.ts';
import { blocksOf } from '../package/readme-examples.ts';

describe('server configuration', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'billwright-configuration-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const write = (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  const read = (option?: string, environment: Environment = {}) =>
    readConfiguration(option, environment, directory);
  const refusal = async (option?: string): Promise<string> => {
    const error = await read(option).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(UsageError);
    return (error as Error).message;
  };

  it('is empty if there is no file', async () =>
    expect(await read()).to.eql({ file: null, definition: {}, environment: {} }));

  it('contains only valid properties and plugins when written by init', async () => {
    await writeDefinition({ directory, isTypeScript: true });
    const file = join(directory, 'billwright.config.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/\/\/ (?='org\.|database: |\{ name: )/g, ''));
    const { definition, environment } = await read();
    expect(Object.keys(environment)).to.have.length.of.at.least(3);
    expect(definition.database).to.equal('billwright.db');
    expect(definition.eventSinks?.map(({ name }) => name)).to.eql(['mailer']);
  });

  it('can be a TypeScript or JavaScript module in the working directory that imports billwright', async () => {
    write('package.json', '{ "type": "commonjs" }');
    const file = write(
      'billwright.config.ts',
      `import { RetryLater, type EventSink } from 'billwright';
       import { defineServer } from 'billwright/server';
       const mailer: EventSink = { name: 'mailer', onEvent() { throw new RetryLater(1); } };
       export default defineServer({ eventSinks: [mailer], configuration: { 'org.service.server.limits.list': 7 } });`,
    );
    const found = await read(undefined, { SERVICE_server_limits_page: '8' });
    expect(found.file).to.equal(file);
    expect(() => found.definition.eventSinks?.[0]?.onEvent({} as never)).to.throw(RetryLater);
    expect(found.environment).to.eql({
      'org.service.server.limits.list': '7',
      SERVICE_server_limits_page: '8',
    });
    const other = write('other.mjs', 'export default { port: 1 };');
    expect((await read('other.mjs')).definition).to.eql({ port: 1 });
    expect((await read(other)).file).to.equal(other);
  });

  it('can be the module shown in the documentation', async () => {
    const [shown = ''] = await blocksOf('adapters/cli/README.md', 'js');
    write('billwright.config.mjs', shown);
    const { definition, environment } = await read();
    expect(definition.eventSinks?.map(({ name }) => name)).to.eql(['mailer']);
    expect(environment).to.eql({ 'org.service.payment.retry.days': '3,5,7' });
  });

  it('is rejected with an error that names the file if the file is missing or Node treats the file as CommonJS', async () => {
    write('package.json', '{ "type": "commonjs" }');
    write('server.js', 'export default {};');
    expect(await refusal('server.js')).to.match(
      /server\.js:1: .*\. Rename the file to \.mjs, or add "type": "module"/,
    );
    expect(await refusal('nowhere.mts')).to.equal(
      `--config ${join(directory, 'nowhere.mts')} does not exist: specify a different file, or write one with "billwright init"`,
    );
  });

  it('is not written by init if another configuration file exists, because startup rejects a second file', async () => {
    write('billwright.config.js', 'export default {};');
    const error = await writeDefinition({ directory, isTypeScript: true }).catch((thrown: unknown) => thrown);
    expect(error)
      .to.be.instanceOf(UsageError)
      .with.property('message')
      .that.matches(/^billwright\.config\.js already exists/);
  });

  it('must be selected by name if there are two files', async () => {
    write('billwright.config.mjs', 'export default {};');
    write('billwright.config.js', 'export default {};');
    expect(await refusal()).to.match(
      /billwright\.config\.mjs and billwright\.config\.js both exist .*--config/,
    );
  });

  for (const [text, message] of Object.entries({
    'export default {': /wrong\.mjs(:\d+)?: Unexpected/,
    "\nthrow new Error('no key');": /wrong\.mjs:2: no key$/,
    "import 'not-there';": /wrong\.mjs: Cannot find package 'not-there'/,
    'export const server = {};': /wrong\.mjs has no default export/,
    'export default { gatways: [] };':
      /wrong\.mjs: "gatways" is not a member of a server definition; did you mean gateways\?/,
    'export default { plugins: [] };':
      /wrong\.mjs: "plugins" is not a member of a server definition \(it has database, /,
    'export default { port: "8080" };': /wrong\.mjs: port must be a number from 0 to 65535/,
    'export default { gateways: {} };': /gateways must be a list of plugins/,
    'export default { configuration: { "org.service.server.limit.json": 1 } };':
      /wrong\.mjs: "org\.service\.server\.limit\.json" is not a property .* did you mean org\.service\.server\.limits\.json\?/,
    'export default { configuration: { "org.killbill.invoice.enabeld": true } };':
      /did you mean org\.service\.invoice\.enabled\?/,
    'export default { configuration: { "invoice.enabled": true } };':
      /"invoice\.enabled" is not a property .* did you mean org\.service\.invoice\.enabled\?/,
    'export default { configuration: { "org.servise.invoice.enabled": true } };':
      /did you mean org\.service\.invoice\.enabled\?/,
  } as const))
    it(`is rejected with the file name if it contains ${text.trim()}`, async () => {
      write('wrong.mjs', text);
      expect(await refusal('wrong.mjs')).to.match(message);
    });

  it('is rejected if it is a JSON object with an unknown property', async () => {
    const file = write('wrong.json', '{ "org.service.catalog.url": "x" }');
    expect(await refusal('wrong.json')).to.equal(
      `${file}: "org.service.catalog.url" is not a property of this server; did you mean org.service.catalog.uri?`,
    );
  });

  it('is rejected with a one-line error if it is invalid JSON or a JSON file with settings that require a module', async () => {
    write('parts.json', '{ "org.service.server.basePath": "/x", "database": "a.db" }');
    expect(await refusal('parts.json')).to.match(
      /^.*parts\.json: "database" is not a property.*billwright init/,
    );
    write('server.yaml', 'port: 8080\nhost: localhost\n');
    expect(await refusal('server.yaml')).to.match(
      /^[^\n]*server\.yaml is neither a module .* nor JSON: [^\n]*$/,
    );
  });

  it('is overridden by the environment, which is overridden by options', async () => {
    const definition: ServerDefinition = {
      port: 1,
      host: 'h',
      database: 'of-file.db',
      migrate: true,
      defaultCatalog: '<catalog/>',
      defaultOverdueConfig: '{}',
      sandboxLedger: 'ledger',
    };
    const environment = { 'org.service.server.basePath': '/file', 'org.service.server.limits.page': '9' };
    const file = { file: 'f.ts', definition, environment };
    const all = await serveOptions({}, file);
    expect(all).to.include({
      port: 1,
      host: 'h',
      database: 'of-file.db',
      migrate: true,
      defaultCatalog: '<catalog/>',
      defaultOverdueConfig: '{}',
      testMode: false,
      sandboxLedger: undefined,
    });
    expect(all.http.basePath).to.equal('/file');
    const over = await serveOptions(
      { port: '2', host: 'i', database: 'option.db', 'base-path': '/option', 'test-mode': true },
      {
        ...file,
        environment: { ...environment, BILLWRIGHT_DATABASE: 'variable.db', SERVICE_server_limits_page: '3' },
      },
    );
    expect(over).to.include({
      port: 2,
      host: 'i',
      database: 'option.db',
      testMode: true,
      sandboxLedger: 'ledger',
    });
    expect(over.http).to.deep.include({ basePath: '/option', limits: { page: 3 } });
    const wrong = { ...file, environment: { 'org.service.server.limits.page': 'many' } };
    const error = await serveOptions({}, wrong).catch((thrown: unknown) => thrown);
    expect((error as Error).message).to.match(/^f\.ts: org\.service\.server\.limits\.page "many" is not/);
  });

  it('uses a separate default database in test mode', () => {
    const where = (option: string | undefined, environment: Environment, testMode: boolean) =>
      databaseOf(option, { environment, definition: {} }, { testMode });
    expect(where(undefined, {}, false)).to.equal('billwright.db');
    expect(where(undefined, {}, true)).to.equal('billwright-test.db');
    expect(where(undefined, { BILLWRIGHT_DATABASE: 'v.db' }, true)).to.equal('v.db');
    expect(where('o.db', { BILLWRIGHT_DATABASE: 'v.db' }, true)).to.equal('o.db');
  });

  for (const [name, isTypeScript] of [
    ['billwright.config.ts', true],
    ['billwright.config.mjs', false],
  ] as const)
    it(`works unchanged as the ${name} that init writes`, async () => {
      expect(await writeDefinition({ directory, isTypeScript })).to.include(name);
      const { definition, environment, file } = await read();
      expect(file).to.equal(join(directory, name));
      expect(definition).to.include({ port: 8080, host: '127.0.0.1' });
      expect(environment).to.eql({});
      const again = await writeDefinition({ directory, isTypeScript }).catch((error: unknown) => error);
      expect(again).to.be.instanceOf(UsageError);
    });

  it('causes a warning about environment variables for settings that only options can change', () =>
    expect(unknownVariables({ BILLWRIGHT_PORT: '9000', BILLWRIGHT_HOST: '0.0.0.0' })).to.eql([
      'BILLWRIGHT_PORT has no effect because this variable does not exist; use the option --port',
      'BILLWRIGHT_HOST has no effect because this variable does not exist; use the option --host',
    ]));

  it('causes a warning with suggestions for misspelled environment variables, but not for unrelated variables', () => {
    const environment = {
      SERVICE_server_limits_jsn: '1',
      SERVICE_org_killbill_invoice_enabled: 'true',
      BILLWRIGHT_ADMIN_PASWORD: 'x',
      BILLWRIGHT_LOG_LEVEL: 'info',
      BILLWRIGHT_PORT: 'tcp://10.0.0.1:8080',
      BILLWRIGHT_SERVICE_HOST: '10.0.0.1',
      BILLWRIGHT_TEST_LONG: '1',
      SERVICE_SHOP_SERVICE_HOST: '10.0.0.2',
      PATH: '/bin',
    };
    expect(unknownVariables(environment)).to.eql([
      'SERVICE_server_limits_jsn has no effect because this variable does not exist; did you mean SERVICE_server_limits_json?',
      'BILLWRIGHT_ADMIN_PASWORD has no effect because this variable does not exist; did you mean BILLWRIGHT_ADMIN_PASSWORD?',
    ]);
  });
});
