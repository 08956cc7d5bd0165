import { expect } from 'chai';
import { openApi } from '../../../adapters/koa/index.ts';
import { referencePages } from '../../../adapters/koa/pages/reference.ts';
import { routeTable } from '../../../adapters/koa/routes/route-table.ts';
import { tenantProperties } from '../../../lib/tenants/configuration/tenant-properties.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';

describe('generated reference pages', () => {
  const routes = routeTable({ testMode: true });
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    const listed = referencePages(routes, await openApi());
    pages = Object.fromEntries(listed.map(({ path, text }) => [path, text]));
  });

  const linesOf = (path: string) => pages[path]?.split('\n') ?? [];

  it('list every endpoint once, with its parameters, body, success status, errors and permission', () => {
    const lines = linesOf('reference/ENDPOINTS.md');
    expect(lines.filter((line) => /^\| [A-Z]+ \//.test(line))).to.have.length(routes.length);
    expect(lines).to.include.members([
      '| POST /1.0/kb/accounts/{accountId}/tags | createAccountTags: Tag an account |  | uuid[] | 201 → /accounts/{accountId}/tags | 404: 3902 3002; 400: 3953 3954 | tag:add |',
      '| GET /1.0/kb/export/{accountId} | exportDataForAccount: Export all stored data of an account, as lines of text by table |  |  | 201 application/octet-stream; 200 in dialect K | 404: 3002 | admin:export |',
    ]);
  });

  it('list every field with its type and access', () => {
    expect(linesOf('reference/MODELS.md')).to.include.members([
      '## AccountEmail',
      '| email | string ≤ 254 | C! | The email address |',
      '| linkedInvoiceItemId | uuid or null | C | Item that this item adjusts, repairs or taxes |',
      '| listRate | number or null | R D+ | Rate before the discounts of coupons; null without discounts. Dialect D only |',
      '| properties | PluginProperty[] or null | C | Other properties stored by the gateway |',
    ]);
  });

  it('list every tenant property with its default', () => {
    const lines = linesOf('reference/PROPERTIES.md');
    expect(lines.filter((line) => / \| (a|true|one) /.test(line))).to.have.length(
      Object.keys(tenantProperties).length,
    );
    const defaults = Object.fromEntries(
      lines
        .map((line) => line.split(' | '))
        .map(([name = '', fallback]) => [name.replace('| ', ''), fallback]),
    );
    expect(defaults).to.include({
      'invoice.enabled': 'true',
      'invoice.plugin': 'none',
      'invoice.parent.commit.local.utc.time': '23:59:59.999',
      'invoice.dryRunNotificationSchedule': '0s',
      'invoice.usage.collectionInterval': 'P0D',
      'payment.retry.days': '8,8,8',
      'payment.plugin.timeout': '30s',
      'billing.server.notifications.retries': '15m,30m,2h,12h,1d',
    });
  });

  it('list every error code with its status', () => {
    const lines = linesOf('reference/ERRORS.md');
    expect(lines.filter((line) => /^\| \d+ \|/.test(line))).to.have.length(Object.keys(ErrorCode).length);
    expect(lines).to.include('| 7022 | PAYMENT_DEL_DEFAULT_PAYMENT_METHOD | 500, in dialect K 400 |');
  });
});
