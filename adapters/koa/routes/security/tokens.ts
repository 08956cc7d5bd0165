import { z } from 'zod';
import { json } from '../../routing/answer.ts';
import { PLUGIN } from '../../routing/path.ts';
import { loginRoute, openRoute, type Route } from '../../routing/route.ts';
import { perDialect } from '../../wire/wire-type.ts';

const area = 'security';

const Token = {
  answer: perDialect(() => z.strictObject({ token: z.string() })),
  json: {
    type: 'object',
    properties: { token: { type: 'string', description: 'What to send as `Authorization: Bearer`' } },
    required: ['token'],
  },
};

const KeySet = {
  answer: perDialect(() =>
    z.strictObject({ keys: z.array(z.looseObject({ kid: z.string(), kty: z.literal('RSA') })) }),
  ),
  json: {
    type: 'object',
    properties: {
      keys: { type: 'array', description: 'Keys as RFC 7517 writes them', items: { type: 'object' } },
    },
    required: ['keys'],
  },
};

const texts = (description: string) => ({ type: 'array', description, items: { type: 'string' } });
const url = (description: string) => ({ type: 'string', description });
const metadata = {
  issuer: url('Issuer that tokens name'),
  token_endpoint: url('Where to get tokens'),
  jwks_uri: url('Where to get the keys that verify them'),
  grant_types_supported: texts('What a token may be asked for by'),
  response_types_supported: texts('None: nobody is sent to a page to log in'),
  token_endpoint_auth_methods_supported: texts('How a client may present its secret'),
};
const Metadata = {
  answer: perDialect(() =>
    z.strictObject({
      issuer: z.string(),
      token_endpoint: z.string(),
      jwks_uri: z.string(),
      grant_types_supported: z.array(z.string()),
      response_types_supported: z.array(z.string()),
      token_endpoint_auth_methods_supported: z.array(z.string()),
    }),
  ),
  json: { type: 'object', properties: metadata, required: Object.keys(metadata) },
};

/** Tokens of the server and what others need to verify them (platform §7.1). */
export const tokenRoutes: readonly Route[] = [
  loginRoute({
    method: 'POST',
    path: `${PLUGIN}/auth`,
    operationId: 'issuePluginToken',
    area,
    summary: 'Log in for a bearer token',
    permission: 'NONE',
    outOfRotation: true,
    success: { status: 200, body: Token },
    async handle({ tokens, user }) {
      const { token } = await tokens.issue(user);
      return { ...json({ token }), headers: { 'Cache-Control': 'no-store' } };
    },
  }),
  openRoute({
    method: 'GET',
    path: '/.well-known/jwks.json',
    operationId: 'jwks',
    area,
    summary: 'Get the public keys that verify the tokens of this server',
    permission: 'NONE',
    success: { status: 200, body: KeySet },
    async handle({ tokens }) {
      return { ...json(await tokens.keySet()), headers: { 'Cache-Control': 'public, max-age=600' } };
    },
  }),
  openRoute({
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    operationId: 'issuerMetadata',
    area,
    summary: 'Tell what a client needs to know to get tokens (RFC 8414)',
    permission: 'NONE',
    success: { status: 200, body: Metadata },
    handle: ({ tokens }) =>
      json({
        issuer: tokens.issuer(),
        token_endpoint: `${tokens.baseUrl()}/oauth2/token`,
        jwks_uri: `${tokens.baseUrl()}/.well-known/jwks.json`,
        grant_types_supported: ['client_credentials', 'password'],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      }),
  }),
];
