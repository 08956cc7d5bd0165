import { parameterOf } from '../../lib/values/host-values/index.ts';

const check = parameterOf('options', {
  billing: ['!', { as: ['!', 'function'], requests: ['!', { logger: ['!', 'function'] }] }],
  basePath: 'text',
  docs: 'flag',
  console: 'flag',
  metricsRequireAuth: 'flag',
  group: { join: ['!', 'function'] },
  trustedProxies: [['!', 'text']],
});

/**
 * Checks the options of `listen`, because hosts may call it without type checking.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) that names the option.
 */
export const checkListenOptions = parameterOf('options', {
  port: ['!', 'count'],
  host: 'text',
  maxHeaderBytes: 'count',
  maxHeadersMs: 'count',
  requestTimeMs: 'count',
  maxConnections: 'count',
  prepare: 'function',
});
export const checkApp = parameterOf('app', { callback: ['!', 'function'] });

/**
 * Checks the options, because hosts may call this function without type checking.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) that names the option.
 */
export function checkOptions(options: object): void {
  check(options);
}
