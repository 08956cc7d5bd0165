/** Imports point inward (lib/README.md rule 1): the engine imports no framework, and adapters import only the engine. */
const libPackages = '^node_modules/(decimal[.]js|date-fns-tz|jsvat-next|mustache|saxes)/';
const storagePackages = '^node_modules/(@mikro-orm/[^/]+|pg|better-sqlite3|kysely)/';
const httpPackages = '^node_modules/(koa|@koa/[^/]+|koa-body|prom-client)/';
const pdfPackages = '^node_modules/(pdfkit|fontkit|bidi-js|@expo-google-fonts)/';
const paymentPackages = '^node_modules/stripe/';
const tracingPackages = '^node_modules/@opentelemetry/';
const commandPackages = '^node_modules/(commander|yocto-spinner)/';
/** Bundled into the published package by `--alias` of `build:code`, so hosts do not install them. Licenses are in `NOTICE`. */
const builtIn = '^node_modules/(commander|date-fns-tz|js-yaml|jsvat-next|kysely|yocto-spinner)/';
const packages = ['npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'npm-unknown', 'npm-bundled'];

/** Bundled into the console, which the browser loads. `build.mjs` builds it. */
const browserPackages = '^node_modules/(preact|@preact/signals|uplot)/';

/** Modules from the lowest to the highest: a module imports only earlier ones (lib/README.md). */
const modules = [
  'values',
  'records',
  'ports',
  'runtime',
  'security',
  'tenants',
  'control-tags',
  'accounts',
  'push',
  'tags',
  'custom-fields',
  'audit',
  'catalog',
  'subscriptions',
  'usage',
  'coupons',
  'features',
  'invoicing',
  'payments',
  'overdue',
  'nodes',
  'queues',
  'export',
  'timeline',
  'check',
  'account-closing',
  'health',
  'metrics',
  'monitoring',
  'reports',
  'cells',
  'engine',
];
/** Folders that decide, by module. They do not import the module's other folders, which load, store and operate. */
const deciding = {
  accounts: ['rules'],
  catalog: ['model', 'lookup', 'overrides', 'validation', 'formats'],
  subscriptions: [
    'requests',
    'timeline',
    'blocking',
    'add-ons',
    'create',
    'edits',
    'transfer',
    'billing-stream',
    'views',
    'what-if',
  ],
  usage: ['recording', 'roll-up', 'rating', 'intervals', 'settlement', 'collecting', 'supplied', 'unbilled'],
  overdue: ['config', 'evaluation', 'triggers'],
};
/** Folders from the lowest to the highest: a folder imports only earlier ones. */
const ordered = {
  'lib/invoicing': [
    'invoices',
    'credit',
    'proposals',
    'reconciliation',
    'evaluation',
    'explanation',
    'documents',
    'e-invoices',
    'loading',
    'saving',
    'runs',
    'dry-run',
    'plugins',
    'review',
    'operations',
  ],
  'lib/payments': [
    'claims',
    'state',
    'planning',
    'loading',
    'plugins',
    'machine',
    'reading',
    'methods',
    'operations',
    'background',
  ],
  'adapters/koa': [
    'wire',
    'auth',
    'models',
    'routing',
    'request',
    'response',
    'monitoring',
    'openapi',
    'pages',
    'routes',
    'dispatch',
  ],
};
/** Entry points: the `index.ts` of a module; `lib/values` and `lib/ports` have one per topic. */
const entryPoints = '^lib/([^/]+|values/[^/]+|ports/storage)/index[.]ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'lib-imports-nothing-outside',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(adapters|examples|test)/' },
    },
    {
      name: 'lib-packages-are-listed',
      severity: 'error',
      from: { path: '^lib/' },
      to: { dependencyTypes: packages, pathNot: libPackages },
    },
    {
      name: 'lib-runs-anywhere',
      comment: 'No built-in modules of Node: clock, ids, hashing and timers come through ports.',
      severity: 'error',
      from: { path: '^lib/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'decimals-come-from-money',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/values/money/' },
      to: { path: '^node_modules/decimal[.]js/' },
    },
    {
      name: 'zones-come-from-time',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/values/time/' },
      to: { path: '^node_modules/date-fns(-tz)?/' },
    },
    {
      name: 'adapters-do-not-import-each-other',
      comment:
        'The command line composes adapters; the testing entry point offers some of them to hosts; the server shares one module with its client; the console is built on the client.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/(cli|testing|console)/' },
      to: { path: '^adapters/', pathNot: '^adapters/($1/|supported-node[.]ts$|client/operation-calls[.]ts$)' },
    },
    {
      name: 'console-uses-the-client-only',
      severity: 'error',
      from: { path: '^adapters/console/' },
      to: { path: '^(lib|adapters)/', pathNot: '^adapters/(console|client)/' },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/cli/' },
      to: { path: '^adapters/cli/' },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      from: { path: '^(adapters|examples)/' },
      to: { path: '^test/' },
    },
    {
      name: 'product-does-not-import-examples',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^examples/' },
    },
    {
      name: 'storage-packages-stay-in-their-adapter',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/mikro-orm/' },
      to: { path: storagePackages },
    },
    {
      name: 'http-packages-stay-in-their-adapter',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/koa/' },
      to: { path: httpPackages },
    },
    {
      name: 'pdf-packages-stay-in-their-adapter',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/pdf/' },
      to: { path: pdfPackages },
    },
    {
      name: 'payment-packages-stay-in-their-adapter',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/stripe/' },
      to: { path: paymentPackages },
    },
    {
      name: 'tracing-packages-stay-in-their-adapter',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/opentelemetry/' },
      to: { path: tracingPackages },
    },
    {
      name: 'command-packages-stay-in-the-command',
      severity: 'error',
      from: { path: '^(adapters|examples)/', pathNot: '^adapters/cli/commands/' },
      to: { path: commandPackages },
    },
    {
      name: 'sqlite-needs-no-postgresql',
      comment: 'A host that uses only SQLite does not install pg.',
      severity: 'error',
      from: { path: '^adapters/mikro-orm/sqlite[.]ts$' },
      to: { path: '^node_modules/(@mikro-orm/postgresql|pg)/', reachable: true },
    },
    {
      name: 'postgresql-needs-no-sqlite',
      severity: 'error',
      from: { path: '^adapters/mikro-orm/postgresql[.]ts$' },
      to: { path: '^node_modules/(@mikro-orm/sqlite|better-sqlite3)/', reachable: true },
    },
    {
      name: 'engine-and-testing-need-no-peer',
      comment: 'The entry points `billwright`, `…/testing` and `…/server` work whatever packages a host has installed.',
      severity: 'error',
      from: { path: '^adapters/(node/billwright|testing/index|server/index)[.]ts$' },
      to: {
        path: [storagePackages, httpPackages, pdfPackages, paymentPackages, tracingPackages, '^node_modules/(pino|zod)/'],
        reachable: true,
      },
    },
    {
      name: 'product-needs-no-development-package',
      severity: 'error',
      from: { path: '^(lib|adapters)/', pathNot: '^adapters/console/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer'], pathNot: builtIn },
    },
    {
      name: 'console-runs-in-browsers',
      severity: 'error',
      from: { path: '^adapters/console/', pathNot: '/build[.]mjs$' },
      to: { dependencyTypes: [...packages, 'core'], pathNot: browserPackages },
    },
    {
      name: 'packages-are-declared',
      severity: 'error',
      from: {},
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm', 'npm-dev', 'npm-peer'],
      },
    },
    ...modules.map((module, index) => ({
      name: 'modules-import-only-earlier-ones',
      severity: 'error',
      from: { path: `^lib/${module}/` },
      to: { path: [`^lib/(${[...modules.slice(index + 1), '-'].join('|')})/`, '^lib/[^/]+[.]ts$'] },
    })),
    ...Object.entries(deciding).map(([module, folders]) => ({
      name: 'deciding-folders-do-not-import-others',
      severity: 'error',
      from: { path: `^lib/${module}/(${folders.join('|')})/` },
      to: { path: `^lib/${module}/[^/]+/`, pathNot: `^lib/${module}/(${folders.join('|')})/` },
    })),
    ...Object.entries(ordered).flatMap(([place, folders]) =>
      folders.map((folder, index) => ({
        name: 'folders-import-only-earlier-ones',
        severity: 'error',
        from: { path: `^${place}/${folder}/` },
        to: { path: `^${place}/[^/]+/`, pathNot: `^${place}/(${folders.slice(0, index + 1).join('|')})/` },
      })),
    ),
    {
      name: 'modules-are-listed',
      severity: 'error',
      from: { path: '^lib/[^/]+/', pathNot: `^lib/(${modules.join('|')})/` },
      to: {},
    },
    {
      name: 'modules-are-imported-by-their-entry-points',
      comment: 'Tests may import inner files.',
      severity: 'error',
      from: { path: '^(lib/[^/]+|adapters|examples)/' },
      to: { path: '^lib/[^/]+/', pathNot: [entryPoints, '^lib/values/limits[.]ts$', '^lib/engine/frequent-operations[.]ts$', '^$1/'] },
    },
    {
      name: 'modules-do-not-import-their-own-entry-points',
      severity: 'error',
      from: { path: '^lib/([^/]+)/' },
      to: { path: '^lib/$1/index[.]ts$' },
    },
    { name: 'imports-resolve', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'no-cycles', comment: 'Type imports count.', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    // TypeScript 7 has no compiler interface for tools yet: swc reads the sources, type imports included.
    parser: 'swc',
    moduleSystems: ['es6'],
    doNotFollow: { path: '(^|/)node_modules/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
