import { expect } from 'chai';
import {
  maskNamedValue,
  maskQuery,
  maskSecretShapes,
  maskUrl,
} from '../../../lib/values/text/mask-secrets.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl';

const queries: readonly (readonly [query: string, shown: string])[] = [
  ['audit=NONE', 'audit=NONE'],
  ['apiKey=bob&x=1', 'apiKey=*****&x=1'],
  ['x=1&PASSWORD=abc', 'x=1&PASSWORD=*****'],
  ['my%53ecret=abc', 'my%53ecret=*****'],
  ['accessToken=a=b', 'accessToken=*****'],
  ['credential=', 'credential='],
  ['%zz=1&flag', '%zz=1&flag'],
  ['name=key', 'name=key'],
  ['pluginProperty=token%3Dsesame&x=1', 'pluginProperty=token%3D*****&x=1'],
  ['pluginProperty=payload%3Dsesame', 'pluginProperty=payload%3D*****'],
  ['pluginProperty=skip', 'pluginProperty=skip'],
  ['cb=https%3A%2F%2Fexample.com%2Fhook%3Fx%3Dsesame', 'cb=https%3A%2F%2Fexample.com%2Fhook%3Fx%3D*****'],
  [`x=${jwt}`, 'x=*****'],
  ['accountId=0a1b2c3d-aaaa-bbbb-cccc-1234567890ab', 'accountId=0a1b2c3d-aaaa-bbbb-cccc-1234567890ab'],
  ['startDate=2024-01-01T00%3A00%3A00.000Z', 'startDate=2024-01-01T00%3A00%3A00.000Z'],
];

const urls: readonly (readonly [url: string, shown: string])[] = [
  ['https://example.com/one', 'https://example.com/one'],
  ['https://example.com/hook?t=sesame&u=v', 'https://example.com/hook?t=*****&u=*****'],
  ['https://example.com/hook#sesame', 'https://example.com/hook#*****'],
  ['https://example.com/T0/b3Jc9KxTq2LmZ7pWv5RnYd8s', 'https://example.com/T0/*****'],
  ['https://bob:sesame@example.com/', 'https://bob:*****@example.com/'],
  ['https://sesame@example.com/', 'https://*****@example.com/'],
];

const texts: readonly (readonly [text: string, shown: string])[] = [
  ['dsn: postgres://bob:ses%40me@db:5432/billing', 'dsn: postgres://bob:*****@db:5432/billing'],
  [
    'GET https://example.com/x?audit=NONE&api_key=sesame',
    'GET https://example.com/x?audit=NONE&api_key=*****',
  ],
  ['got Bearer abcdefgh.ijkl', 'got Bearer *****'],
  ['Authorization: Basic bGF6YXI6', 'Authorization: *****'],
  ['{"token":"sesame","password":"x y","user":"bob"}', '{"token":"*****","password":"*****","user":"bob"}'],
  ['{"body":"{\\"cvv\\":\\"123\\"}"}', '{"body":"{\\"cvv\\":\\"*****\\"}"}'],
  ['password=sesame and x-killbill-apisecret: lazar', 'password=***** and x-killbill-apisecret: *****'],
  ['/accounts?pluginProperty=payload%3Dsesame&a=b', '/accounts?pluginProperty=payload%3D*****&a=b'],
  ['"externalKey":"bob-1"', '"externalKey":"bob-1"'],
  ['userToken: 0a1b2c3d-aaaa-bbbb-cccc-1234567890ab', 'userToken: 0a1b2c3d-aaaa-bbbb-cccc-1234567890ab'],
  ['postgres://bob:p@ss@db/x', 'postgres://bob:*****@db/x'],
  ['postgres://bob:pa/ss@db/x', 'postgres://bob:*****@db/x'],
  ['http://db:5432/x?mail=a@example.com', 'http://db:5432/x?mail=a@example.com'],
  [`got ${jwt} from it`, 'got ***** from it'],
  ['sk_live_4eC39HqLyjWD and whsec_MfKQ9r8G', '***** and *****'],
  ['pi_3MtwBw_secret_YrKJUKribc', '*****'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nnext', '*****\nnext'],
  ['card 4242 4242 4242 4242 declined', 'card ***** declined'],
  ['card 4242424242424241 is not a card number', 'card 4242424242424241 is not a card number'],
  ['at 1735689600000, 12 of 4096', 'at 1735689600000, 12 of 4096'],
];

describe('secret masking (platform §6.3 rule 3)', () => {
  for (const [query, shown] of queries)
    it(`shows the query "${query}" as "${shown}"`, () => {
      expect(maskQuery(query)).to.equal(shown);
      expect(maskQuery(shown)).to.equal(shown);
    });

  for (const [url, shown] of urls)
    it(`shows the URL ${url} as ${shown}`, () => {
      expect(maskUrl(url)).to.equal(shown);
      expect(maskUrl(shown)).to.equal(shown);
    });

  for (const [text, shown] of texts)
    it(`shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => {
      expect(maskSecretShapes(text)).to.equal(shown);
      expect(maskSecretShapes(shown)).to.equal(shown);
    });

  it('hides a long random value under any name', () => {
    expect(maskNamedValue('merchant', 'b3Jc9KxTq2LmZ7pWv5RnYd8s')).to.equal('*****');
    expect(maskNamedValue('merchant', 'a-merchant-of-many-words-2')).to.equal('a-merchant-of-many-words-2');
  });
});
