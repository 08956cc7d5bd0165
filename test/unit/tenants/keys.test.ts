import { expect } from 'chai';
import { type KeyKind, keyKind, maskedLines } from '../../../lib/tenants/key-value-operations.ts';

/** platform §3, the table of keys. */
const kinds: readonly (readonly [string, KeyKind])[] = [
  ['PUSH_NOTIFICATION_CB', 'CALLBACK'],
  ['PER_TENANT_CONFIG', 'CONFIGURATION'],
  ['PLUGIN_CONFIG_stripe', 'PLUGIN_CONFIGURATION'],
  ['PLUGIN_CONFIG_a/b c', 'PLUGIN_CONFIGURATION'],
  ['PLUGIN_PAYMENT_STATE_MACHINE_stripe', 'PAYMENT_STATE_MACHINE'],
  ['CATALOG', 'CATALOG'],
  ['OVERDUE_CONFIG', 'OVERDUE'],
  ['INVOICE_TRANSLATION_en_US', 'INVOICE_TEXT'],
  ['CATALOG_TRANSLATION_de', 'INVOICE_TEXT'],
  ['INVOICE_TEMPLATE', 'INVOICE_TEXT'],
  ['INVOICE_TEMPLATE_fr', 'INVOICE_TEXT'],
  ['INVOICE_MP_TEMPLATE', 'INVOICE_TEXT'],
  ['INVOICE_MP_TEMPLATE_fr', 'INVOICE_TEXT'],
  ['USAGE_METERS', 'USAGE'],
  ['USAGE_TERMS', 'USAGE'],
  ['color', 'USER'],
  ['catalog', 'USER'],
  ['CATALOGS', 'USER'],
  ['PLUGIN_CONFIG_', 'USER'],
  ['MY_PER_TENANT_CONFIG', 'USER'],
  ['INVOICE_TEMPLATES', 'USER'],
];

/** A line of a plugin's configuration, and its masked form. */
const lines: readonly (readonly [string, string])[] = [
  ['apiKey=sk_live_1', 'apiKey=*****'],
  ['  secret: "abc"', '  secret: *****'],
  ['"password" : "x",', '"password" : *****'],
  ['my.access_token = a=b', 'my.access_token = *****'],
  ['AWS_CREDENTIALS=x', 'AWS_CREDENTIALS=*****'],
  ['{"url":"u","apiKey":"k","b":1}', '{"url":"u","apiKey":*****'],
  ['url=https://example.com', 'url=https://example.com'],
  ['secret=', 'secret='],
  ['a=1\nkey=2\nb=3', 'a=1\nkey=*****\nb=3'],
  ['<password>x</password>', '<password>*****'],
  ['<entry name="apiKey">x</entry>', '<entry name="apiKey">*****'],
  ['a:\n  key: |\n    ---\n\n    x\n  url: u', 'a:\n  key: *****\n    *****\n\n    *****\n  url: u'],
  ['tokens:\n  one: 1\nurl: u', 'tokens:\n  *****\nurl: u'],
  ['key=\nurl=u', 'key=\nurl=u'],
];

describe('tenant key-value pairs', () => {
  for (const [key, kind] of kinds)
    it(`have the kind ${kind} for ${key}`, () => expect(keyKind(key)).to.equal(kind));

  for (const [given, shown] of lines)
    it(`show ${JSON.stringify(given)} as ${JSON.stringify(shown)}`, () =>
      expect(maskedLines(given)).to.equal(shown));

  it('are shown quickly even if a value is long and has no separators', () => {
    const text = 'key '.repeat(250_000);
    expect(maskedLines(text)).to.equal(text);
  });
});
