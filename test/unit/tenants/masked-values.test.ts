import { expect } from 'chai';
import { maskedProperties, maskedValues } from '../../../lib/tenants/key-value-operations.ts';

describe('configuration diagnostic (platform §12.6 rule 5)', () => {
  it('masks values of properties with secret-like names', () => {
    const names = ['a.password', 'b.SECRET', 'c.accessToken', 'd.apiKey', 'e.credentials', 'f.timeout'];
    const shown = maskedProperties(Object.fromEntries(names.map((name) => [name, 1])));
    expect(Object.values(shown)).to.eql(['*****', '*****', '*****', '*****', '*****', 1]);
  });

  it('masks tenant properties, plugin lines and values of keys with secret-like names', () => {
    const shown = (key: string, ...values: string[]) => maskedValues({ key, values }).values;
    expect(shown('PER_TENANT_CONFIG', '{"x.secret":"s","y":"1"}')).to.eql(['{"x.secret":"*****","y":"1"}']);
    expect(shown('PLUGIN_CONFIG_a', 'apiKey: s\nurl: u')).to.eql(['apiKey: *****\nurl: u']);
    expect(shown('access_token', 's', 't')).to.eql(['*****', '*****']);
    expect(shown('color', 'red')).to.eql(['red']);
    expect(shown('PER_TENANT_CONFIG', 'password=1')).to.eql(['password=*****']);
  });
});
